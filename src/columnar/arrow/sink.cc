// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/sink.h"

namespace braid::columnar::arrow {
namespace {

constexpr std::size_t kWriteSize = std::size_t{1} << 20;

}  // namespace

Status FileSink::append(std::string_view bytes) {
  if (pending_.size() + bytes.size() < kWriteSize) {
    pending_.append(bytes);
    return Unit{};
  }
  BRAID_TRY(flush());
  if (bytes.size() < kWriteSize) {
    pending_.append(bytes);
    return Unit{};
  }
  BRAID_TRY(file_.write_at(written_, bytes));
  written_ += bytes.size();
  return Unit{};
}

Status FileSink::flush() {
  if (pending_.empty()) return Unit{};
  BRAID_TRY(file_.write_at(written_, pending_));
  written_ += pending_.size();
  pending_.clear();
  return Unit{};
}

}  // namespace braid::columnar::arrow

// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes: as a file and as a stream they are refused, or give batches. Checked batches
// are valid and survive being written again; unchecked ones can be walked over.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "columnar/arrow/builder.h"
#include "columnar/arrow/ipc_reader.h"
#include "columnar/arrow/ipc_writer.h"
#include "columnar/arrow/sink.h"

namespace braid::columnar::arrow {
namespace {

constexpr std::size_t kDecodedMax = std::size_t{16} << 20;

void require(bool condition) {
  if (!condition) std::abort();
}

/// A11
void require_refusal(const Error& error) {
  if (error.code() == ErrorCode::corrupt) {
    require(error.detail("offset") != nullptr);
  } else {
    require(error.code() == ErrorCode::unsupported || error.code() == ErrorCode::resource_limit);
  }
}

std::size_t walk(const Array& array) {
  std::size_t seen = 0;
  const TypeId id = array.type().id();
  const bool is_list = id == TypeId::list || id == TypeId::fixed_size_list;
  for (std::size_t row = 0; row < array.length(); ++row) {
    if (array.is_null(row)) continue;
    if (id >= TypeId::utf8 && id <= TypeId::fixed_size_binary) {
      for (const char byte : array.bytes(row)) seen += static_cast<unsigned char>(byte);
    } else if (id == TypeId::dictionary) {
      seen += array.entry(row);
    } else if (is_list) {
      const ListRange range = array.list(row);
      require(range.begin + range.size <= array.child().length());
      seen += range.size;
    }
  }
  return is_list || id == TypeId::dictionary ? seen + walk(array.child()) : seen;
}

void rewrite(const RecordBatch& batch) {
  StringSink sink;
  auto writer = IpcWriter::begin(sink, batch.shared_schema(), {.container = Container::stream});
  require(writer.ok());
  require((*writer)->append(batch).ok());
  require((*writer)->finish().ok());
  const Buffer again = Buffer::copy_of(sink.bytes());
  auto reader = StreamReader::open(again.bytes(), again.owner());
  require(reader.ok());
  require((*reader)->schema() == batch.schema());
  auto read = (*reader)->next();
  require(read.ok() && read->has_value());
  for (std::size_t i = 0; i < batch.columns().size(); ++i) {
    require(same_values(batch.column(i), (*read)->column(i)));
  }
}

void take(const RecordBatch& batch, bool is_checked) {
  for (const ArrayPointer& column : batch.columns()) {
    if (is_checked) require(validate(*column).ok());
    static_cast<void>(walk(*column));
  }
  if (is_checked) rewrite(batch);
}

void read_file(const Buffer& bytes, bool check_rows) {
  const auto reader = FileReader::open(
      bytes.bytes(), bytes.owner(), {.check_rows = check_rows, .decoded_bytes_max = kDecodedMax});
  if (!reader) return require_refusal(reader.error());
  for (std::size_t i = 0; i < (*reader)->batch_count() && i < 8; ++i) {
    const auto batch = (*reader)->read(i);
    if (batch) {
      take(*batch, check_rows);
    } else {
      require_refusal(batch.error());
    }
    if (!(*reader)->schema().fields.empty()) {
      const std::vector<std::size_t> last = {(*reader)->schema().fields.size() - 1};
      const auto part = (*reader)->read(i, last);
      require(!batch || part.ok());
    }
  }
}

void read_stream(const Buffer& bytes, bool check_rows) {
  auto reader = StreamReader::open(bytes.bytes(), bytes.owner(),
                                   {.check_rows = check_rows, .decoded_bytes_max = kDecodedMax});
  if (!reader) return require_refusal(reader.error());
  for (int i = 0; i < 8; ++i) {
    const auto batch = (*reader)->next();
    if (!batch) return require_refusal(batch.error());
    if (!batch->has_value()) return;
    take(**batch, check_rows);
  }
}

}  // namespace

void read_all(const Buffer& bytes, bool check_rows) {
  read_file(bytes, check_rows);
  read_stream(bytes, check_rows);
}

}  // namespace braid::columnar::arrow

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Aligned, as a mapping is, and of its exact size, so that ASan sees what reads beyond it.
  const auto exact = std::make_unique<std::uint64_t[]>((size + 7) / 8);
  std::memcpy(exact.get(), data, size);
  const std::shared_ptr<const void> nobody;
  const braid::columnar::arrow::Buffer bytes({reinterpret_cast<const char*>(exact.get()), size},
                                             nobody);
  for (const bool check_rows : {true, false}) {
    braid::columnar::arrow::read_all(bytes, check_rows);
  }
  return 0;
}

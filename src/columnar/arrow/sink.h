// SPDX-License-Identifier: Apache-2.0
// Where a writer's bytes go: appended, in order, never read back.
// Layer: columnar.
// Threads: a sink belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "braid/result.h"
#include "env/file_system.h"

namespace braid::columnar::arrow {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status append(std::string_view bytes) = 0;
};

class StringSink final : public Sink {
 public:
  Status append(std::string_view bytes) override {
    bytes_.append(bytes);
    return Unit{};
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Appends to a file from its beginning, in writes of about a mebibyte. What was appended is
/// written only after flush(), and durable only after the file's own sync().
class FileSink final : public Sink {
 public:
  /// `file` outlives the sink.
  explicit FileSink(env::File& file) : file_(file) {}

  Status append(std::string_view bytes) override;
  Status flush();
  /// Appended so far.
  std::uint64_t size_bytes() const { return written_ + pending_.size(); }

 private:
  env::File& file_;
  std::uint64_t written_ = 0;
  std::string pending_;
};

}  // namespace braid::columnar::arrow

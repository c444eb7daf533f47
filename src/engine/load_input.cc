// SPDX-License-Identifier: Apache-2.0
#include "engine/load_input.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "env/random.h"
#include "load/decompress.h"

namespace braid::engine {
namespace {

// A single row must not pay for a large buffer; a large text is cut for several threads.
constexpr std::size_t kFirstBytes = 512;
constexpr std::size_t kSegmentBytes = std::size_t{1} << 20;
constexpr std::size_t kGrowthBytesMax = std::size_t{64} << 20;

// Bytes as they come, cut behind the ends of lines.
class Segments {
 public:
  /// Where the next bytes go, and how many fit.
  char* room() { return open_.data() + used_; }
  std::size_t room_bytes() {
    if (used_ == open_.size()) make_room();
    return open_.size() - used_;
  }
  void took(std::size_t size) { used_ += size; }
  std::vector<std::string> finish() && {
    open_.resize(used_);
    if (used_ > 0) closed_.push_back(std::move(open_));
    return std::move(closed_);
  }

 private:
  void make_room() {
    const std::size_t end = used_ < kSegmentBytes ? std::string::npos : open_.rfind('\n');
    if (end == std::string::npos) {
      open_.resize(open_.size() + std::clamp(open_.size(), kFirstBytes, kGrowthBytesMax));
      return;
    }
    std::string next;
    next.reserve(kSegmentBytes);
    next.append(open_, end + 1);
    open_.resize(end + 1);
    closed_.push_back(std::move(open_));
    open_ = std::move(next);
    used_ = open_.size();
    open_.resize(std::max(kSegmentBytes, used_ * 2));
  }

  std::vector<std::string> closed_;
  std::string open_;
  std::size_t used_ = 0;
};

}  // namespace

void ProgressTeller::read_bytes(std::uint64_t size) {
  if (!told_) return;
  const env::Lock lock(mutex_);
  progress_.bytes_read += size;
  told_(progress_);
}

void ProgressTeller::parsed_rows(std::uint64_t count) {
  if (!told_) return;
  const env::Lock lock(mutex_);
  progress_.rows_parsed += count;
  told_(progress_);
}

Result<LoadTexts> read_sources(std::vector<LoadSource>& sources, ProgressTeller& progress) {
  LoadTexts out;
  std::uint64_t total = 0;
  for (LoadSource& source : sources) {
    load::ByteSource read = std::move(source.read);
    if (const auto compression = load::compression_of(source.name)) {
      read = load::decompressed(*compression, source.name, std::move(read));
    }
    Segments segments;
    base::Sha256 digest;
    std::uint64_t untold = 0;
    for (;;) {
      const std::size_t room = segments.room_bytes();
      BRAID_ASSIGN(const std::size_t size, read(segments.room(), room));
      if (size == 0) break;
      digest.update({segments.room(), size});
      segments.took(size);
      total += size;
      untold += size;
      if (untold >= kSegmentBytes) progress.read_bytes(std::exchange(untold, 0));
      if (total > kLoadTextBytesMax) {
        return Error(ErrorCode::resource_limit, "the load is larger than one commit may be here")
            .with("file", source.name)
            .with("resource", "load_text_bytes")
            .with("limit", kLoadTextBytesMax)
            .with("actual", total);
      }
    }
    if (untold > 0) progress.read_bytes(untold);
    out.texts.push_back({source.name, std::move(segments).finish()});
    out.digests.push_back(digest.finish());
  }
  return out;
}

Result<LoadRows> parse_texts(std::vector<load::Text> texts, const schema::Schema& schema,
                             env::Env& env, const env::Crew& crew, ProgressTeller& progress) {
  LoadRows out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const load::RowLimit limit{kLoadRowsMax, out.rows_.size()};
    BRAID_ASSIGN(auto blocks,
                 load::read_rows(schema, texts[i], limit, crew,
                                 [&](std::uint64_t count) { progress.parsed_rows(count); }));
    std::vector<std::string>().swap(texts[i].segments);
    for (load::RowBlock& block : blocks) {
      out.origins_.push_back({i, out.rows_.size(), block.first, std::move(block.places)});
      out.rows_.add(std::move(block.rows));
    }
    out.files_.push_back(std::move(texts[i].file));
  }
  out.rows_.draw_ids([&env] { return env::make_ulid(env.clock, env.random); });
  return out;
}

Error LoadRows::locate(const Error& error) const {
  const std::string* ordinal = error.detail("row");
  if (ordinal == nullptr) return error;
  const std::size_t row = std::stoull(*ordinal);
  if (row >= rows_.size()) return error;
  const auto after = std::upper_bound(
      origins_.begin(), origins_.end(), row,
      [](std::size_t left, const Origin& right) { return left < right.first_row; });
  const Origin& origin = *std::prev(after);
  const load::RowBlock::Offset place = origin.places[row - origin.first_row];
  const std::uint64_t line = origin.first.line + place.line;
  return error.prefixed(fmt::format("{}:{}", files_[origin.file], line))
      .with("file", files_[origin.file])
      .with("line", line)
      .with("byte", origin.first.byte + place.byte);
}

}  // namespace braid::engine

// SPDX-License-Identifier: Apache-2.0
#include "load/text_rows.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/assert.h"
#include "env/mutex.h"

namespace braid::load {
namespace {

constexpr std::size_t kBlockBytesMax = std::size_t{1} << 20;

/// The bytes of segments, one behind the other.
ByteSource source_of(std::span<const std::string> segments) {
  return [segments, left = std::string_view()](char* out,
                                               std::size_t size) mutable -> Result<std::size_t> {
    if (left.empty()) {
      if (segments.empty()) return std::size_t{0};
      left = segments.front();
      segments = segments.subspan(1);
    }
    const std::size_t part = left.copy(out, size);
    left.remove_prefix(part);
    return part;
  };
}

class Blocks {
 public:
  explicit Blocks(RowPlace first) { start(first); }

  void add(const LoadRow& row) {
    RowBlock* block = &blocks_.back();
    if (block->rows.size_bytes() >= kBlockBytesMax) {
      block->rows.shrink();
      block->places.shrink_to_fit();
      block = &start({row.line, row.byte});
    }
    block->rows.add(row.type(), row.is_edge, row.id, row.from, row.to, row.assigned);
    block->places.push_back({static_cast<std::uint32_t>(row.line - block->first.line),
                             static_cast<std::uint32_t>(row.byte - block->first.byte)});
  }
  std::vector<RowBlock> take() && {
    blocks_.back().rows.shrink();
    blocks_.back().places.shrink_to_fit();
    return std::move(blocks_);
  }

 private:
  RowBlock& start(RowPlace first) {
    blocks_.emplace_back().first = first;
    return blocks_.back();
  }

  std::vector<RowBlock> blocks_;
};

/// All rows from `first` on, up to the end or the first fault.
Result<std::vector<RowBlock>> read_segments(const schema::Schema& schema, const std::string& file,
                                            std::span<const std::string> segments, RowPlace first,
                                            RowLimit limit) {
  std::size_t size = 0;
  for (const std::string& segment : segments) size += segment.size();
  JsonlOptions options;
  options.file = file;
  options.first_byte = first.byte;
  options.first_line = static_cast<std::uint32_t>(first.line);
  options.buffer_bytes = std::clamp<std::size_t>(size + 1, 256, std::size_t{1} << 20);
  JsonlReader reader(schema, source_of(segments), options);
  Blocks blocks(first);
  LoadRow row;
  for (std::uint64_t count = limit.before;; ++count) {
    BRAID_ASSIGN(const bool more, reader.next(row));
    if (!more) return std::move(blocks).take();
    if (count == limit.max) {
      return Error(ErrorCode::resource_limit, "the load has more rows than one commit may here")
          .with("file", file)
          .with("line", row.line)
          .with("resource", "load_rows")
          .with("limit", limit.max)
          .with("actual", count + 1);
    }
    // A key names its row: its text need not be kept.
    if (row.type().is_keyed()) row.id.reset();
    blocks.add(row);
  }
}

std::uint64_t row_count(const std::vector<RowBlock>& blocks) {
  std::uint64_t count = 0;
  for (const RowBlock& block : blocks) count += block.rows.size();
  return count;
}

/// Where each segment begins.
std::vector<RowPlace> places_of(std::span<const std::string> segments, const env::Crew& crew) {
  std::vector<std::uint64_t> lines(segments.size());
  crew.run(segments.size(), [&](std::size_t i) {
    lines[i] = static_cast<std::uint64_t>(std::count(segments[i].begin(), segments[i].end(), '\n'));
  });
  std::vector<RowPlace> places;
  RowPlace place;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    places.push_back(place);
    place.line += lines[i];
    place.byte += segments[i].size();
  }
  return places;
}

/// Tells of rows once all before them are known to hold.
class RowCounter {
 public:
  RowCounter(std::size_t segments, const std::function<void(std::uint64_t)>& told)
      : counts_(segments), told_(told) {}

  void done(std::size_t segment, const Result<std::vector<RowBlock>>& blocks)
      BRAID_EXCLUDES(mutex_) {
    if (!told_) return;
    const env::Lock lock(mutex_);
    if (blocks) counts_[segment] = row_count(*blocks);
    std::uint64_t more = 0;
    for (; next_ < counts_.size() && counts_[next_]; ++next_) more += *counts_[next_];
    if (more > 0) told_(more);
  }

  /// Of the rest of the text.
  void add(std::uint64_t rows) BRAID_EXCLUDES(mutex_) {
    const env::Lock lock(mutex_);
    if (told_ && rows > 0) told_(rows);
  }

 private:
  env::Mutex mutex_;
  std::vector<std::optional<std::uint64_t>> counts_ BRAID_GUARDED_BY(mutex_);
  std::size_t next_ BRAID_GUARDED_BY(mutex_) = 0;
  const std::function<void(std::uint64_t)>& told_;
};

}  // namespace

Result<std::vector<RowBlock>> read_rows(const schema::Schema& schema, const Text& text,
                                        RowLimit limit, const env::Crew& crew,
                                        const std::function<void(std::uint64_t)>& parsed) {
  const std::span<const std::string> segments(text.segments);
  const std::vector<RowPlace> places = places_of(segments, crew);
  std::vector<Result<std::vector<RowBlock>>> read(segments.size(), std::vector<RowBlock>());
  RowCounter counter(segments.size(), parsed);
  crew.run(segments.size(), [&](std::size_t i) {
    read[i] = read_segments(schema, text.file, segments.subspan(i, 1), places[i], limit);
    counter.done(i, read[i]);
  });
  std::vector<RowBlock> out;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    // J7: whole records have been read up to here, so one begins here. If this segment is made of
    // whole records as well, what was read of it holds; else what is wrong is found again, or not.
    const bool holds = read[i].ok() && row_count(*read[i]) <= limit.max - limit.before;
    if (!holds) read[i] = read_segments(schema, text.file, segments.subspan(i), places[i], limit);
    if (!read[i]) return read[i].error();
    if (!holds) counter.add(row_count(*read[i]));
    limit.before += row_count(*read[i]);
    std::move(read[i]->begin(), read[i]->end(), std::back_inserter(out));
    if (!holds) break;
  }
  return out;
}

}  // namespace braid::load

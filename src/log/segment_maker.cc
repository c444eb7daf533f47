// SPDX-License-Identifier: Apache-2.0
#include "log/segment_maker.h"

#include <algorithm>

#include "log/segment.h"

namespace braid::log {
namespace {

constexpr std::string_view kSpareUnfinished = "spare.tmp";
constexpr std::string_view kReserveUnfinished = "reserve.tmp";
constexpr std::string_view kNextUnfinished = "next.tmp";

Status write_zeros(env::File& file, std::uint64_t offset, std::uint64_t size_bytes) {
  return file.write_at(offset, std::string(size_bytes, '\0'));
}

}  // namespace

SegmentMaker::SegmentMaker(env::FileSystem& files, std::string directory)
    : files_(files), directory_(std::move(directory)) {}

Status SegmentMaker::adopt(const std::vector<std::string>& names) {
  const env::Lock lock(mutex_);
  for (const std::string& name : names) {
    if (name == kSpareName || name == kReserveName) {
      BRAID_ASSIGN(const env::FileInfo info, files_.stat(path_of(name)));
      (name == kSpareName ? spare_bytes_ : reserve_bytes_) =
          info.size_bytes / kBlockBytes * kBlockBytes;
    } else if (name.ends_with(kUnfinishedSuffix)) {
      BRAID_TRY(files_.remove(path_of(name)));
    }
  }
  return Unit{};
}

Result<FreshFile> SegmentMaker::create(std::string_view name, std::uint64_t size_bytes) {
  FreshFile fresh;
  fresh.path = path_of(name);
  fresh.size_bytes = size_bytes;
  auto file = files_.open(fresh.path, env::OpenMode::kCreateNew);
  if (!file && file.error().code() == ErrorCode::already_exists) {
    BRAID_TRY(files_.remove(fresh.path));
    file = files_.open(fresh.path, env::OpenMode::kCreateNew);
  }
  if (!file) return std::move(file).error();
  fresh.file = *std::move(file);
  return fresh;
}

Result<FreshFile> SegmentMaker::make(std::uint64_t size_bytes) {
  BRAID_ASSIGN(FreshFile fresh, create(kNextUnfinished, size_bytes));
  for (std::uint64_t at = 0; at < size_bytes; at += kChunkBytes) {
    Status written = write_zeros(*fresh.file, at, std::min(kChunkBytes, size_bytes - at));
    if (!written) {
      discard(std::move(fresh));
      return std::move(written).error();
    }
  }
  made_count_.fetch_add(1, std::memory_order_relaxed);
  return fresh;
}

Result<FreshFile> SegmentMaker::open_made(std::string_view name, std::uint64_t size_bytes) {
  FreshFile fresh;
  fresh.path = path_of(name);
  fresh.size_bytes = size_bytes;
  BRAID_ASSIGN(fresh.file, files_.open(fresh.path, env::OpenMode::kReadWrite));
  return fresh;
}

Result<FreshFile> SegmentMaker::take(std::uint64_t bytes_min, std::uint64_t bytes_wanted) {
  std::uint64_t spare_bytes = 0;
  {
    const env::Lock lock(mutex_);
    if (spare_bytes_ >= bytes_min) spare_bytes = std::exchange(spare_bytes_, 0);
  }
  if (spare_bytes > 0) {
    auto fresh = open_made(kSpareName, spare_bytes);
    if (fresh) return fresh;
  }
  auto fresh = make(std::max(bytes_min, bytes_wanted));
  if (fresh || fresh.error().code() != ErrorCode::no_space || bytes_min >= bytes_wanted) {
    return fresh;
  }
  return make(bytes_min);
}

Result<FreshFile> SegmentMaker::take_for_recovery(std::uint64_t bytes_min,
                                                  std::uint64_t bytes_wanted) {
  std::uint64_t reserve_bytes = 0;
  {
    const env::Lock lock(mutex_);
    if (reserve_bytes_ >= bytes_min) reserve_bytes = std::exchange(reserve_bytes_, 0);
    reserve_in_use_ = reserve_bytes > 0;
  }
  if (reserve_bytes > 0) {
    auto fresh = open_made(kReserveName, reserve_bytes);
    if (fresh) {
      fresh->is_reserve = true;
      return fresh;
    }
    const env::Lock lock(mutex_);
    reserve_in_use_ = false;
  }
  return take(bytes_min, bytes_wanted);
}

Status SegmentMaker::install(const FreshFile& fresh, const std::string& path) {
  const env::Lock lock(mutex_);
  if (fresh.is_reserve) reserve_in_use_ = false;
  return files_.rename(fresh.path, path);
}

void SegmentMaker::discard(FreshFile fresh) {
  const env::Lock lock(mutex_);
  if (fresh.is_reserve) reserve_in_use_ = false;
  fresh.file.reset();
  // A file that stays is removed by the next one who opens the log, or made anew.
  static_cast<void>(files_.remove(fresh.path).ok());
}

bool SegmentMaker::want_spare(std::uint64_t size_bytes) {
  const env::Lock lock(mutex_);
  if (spare_bytes_ > 0) return false;
  spare_wanted_bytes_ = size_bytes;
  return true;
}

bool SegmentMaker::want_reserve(std::uint64_t size_bytes) {
  const env::Lock lock(mutex_);
  if (reserve_bytes_ >= size_bytes) return false;
  reserve_wanted_bytes_ = std::max(reserve_wanted_bytes_, size_bytes);
  return true;
}

std::uint64_t SegmentMaker::reserve_bytes() const {
  const env::Lock lock(mutex_);
  return reserve_bytes_;
}

Status SegmentMaker::write_chunk() {
  if (unfinished_.file == nullptr) {
    const bool is_spare = goal_ == Goal::kSpare;
    std::uint64_t size_bytes = 0;
    {
      const env::Lock lock(mutex_);
      size_bytes = is_spare ? spare_wanted_bytes_ : reserve_wanted_bytes_;
    }
    BRAID_ASSIGN(unfinished_, create(is_spare ? kSpareUnfinished : kReserveUnfinished, size_bytes));
    written_bytes_ = 0;
  }
  const std::uint64_t chunk_bytes = std::min(kChunkBytes, unfinished_.size_bytes - written_bytes_);
  BRAID_TRY(write_zeros(*unfinished_.file, written_bytes_, chunk_bytes));
  BRAID_TRY(unfinished_.file->sync());
  written_bytes_ += chunk_bytes;
  return Unit{};
}

Status SegmentMaker::put_aside() {
  const bool is_spare = goal_ == Goal::kSpare;
  const env::Lock lock(mutex_);
  if (!is_spare && reserve_in_use_) {
    return Error(ErrorCode::busy, "a recovery is filling the reserve");
  }
  BRAID_TRY(files_.rename(unfinished_.path, path_of(is_spare ? kSpareName : kReserveName)));
  (is_spare ? spare_bytes_ : reserve_bytes_) = unfinished_.size_bytes;
  std::uint64_t& wanted_bytes = is_spare ? spare_wanted_bytes_ : reserve_wanted_bytes_;
  if (is_spare || wanted_bytes <= unfinished_.size_bytes) wanted_bytes = 0;
  made_count_.fetch_add(1, std::memory_order_relaxed);
  unfinished_ = {};
  goal_ = Goal::kNone;
  return Unit{};
}

Result<bool> SegmentMaker::go_on() {
  if (goal_ == Goal::kNone) {
    const env::Lock lock(mutex_);
    if (reserve_wanted_bytes_ > 0) {
      goal_ = Goal::kReserve;
    } else if (spare_wanted_bytes_ > 0) {
      goal_ = Goal::kSpare;
    } else {
      return false;
    }
  }
  BRAID_TRY(write_chunk());
  if (written_bytes_ == unfinished_.size_bytes) BRAID_TRY(put_aside());
  return true;
}

void SegmentMaker::drop_unfinished() {
  if (unfinished_.file != nullptr) discard(std::move(unfinished_));
  unfinished_ = {};
  const env::Lock lock(mutex_);
  (goal_ == Goal::kSpare ? spare_wanted_bytes_ : reserve_wanted_bytes_) = 0;
  goal_ = Goal::kNone;
}

bool SegmentMaker::step() {
  const env::Lock lock(background_mutex_);
  const auto more = go_on();
  if (more) return *more;
  drop_unfinished();
  return true;
}

Status SegmentMaker::make_reserve_now(std::uint64_t size_bytes) {
  if (!want_reserve(size_bytes)) return Unit{};
  const env::Lock lock(background_mutex_);
  while (true) {
    const auto more = go_on();
    if (!more) {
      drop_unfinished();
      return more.error();
    }
    if (!*more) return Unit{};
  }
}

}  // namespace braid::log

// SPDX-License-Identifier: Apache-2.0
#include "log/memory_log.h"

#include <algorithm>

#include "log/append_result.h"
#include "log/record_codec.h"

namespace braid::log {
namespace {

Position last_of(const StoredGroup& group) { return group.records.back().position; }

Error damaged(Position position, std::string_view what) {
  return Error(ErrorCode::corrupt, std::string(what)).with("position", position.value);
}

}  // namespace

MemoryLogStore::MemoryLogStore(GraphId graph) : graph_(graph) { tail_.hash = genesis_hash(graph); }

MemoryLog::MemoryLog(std::shared_ptr<MemoryLogStore> store, const env::Clock& clock,
                     GroupLimits limits)
    : store_(std::move(store)), clock_(clock), limits_(limits) {
  const env::Lock lock(store_->mutex_);
  store_->tail_.epoch = store_->tail_.epoch.next();
}

MemoryLog::MemoryLog(GraphId graph, const env::Clock& clock, GroupLimits limits)
    : MemoryLog(std::make_shared<MemoryLogStore>(graph), clock, limits) {}

LogTail MemoryLog::tail() const {
  const env::Lock lock(store_->mutex_);
  return store_->tail_;
}

Position MemoryLog::first() const {
  const env::Lock lock(store_->mutex_);
  return store_->first_;
}

std::int64_t MemoryLog::clock_ms() const { return std::max(tail().time_ms, clock_.now_ms()); }

AppendResult MemoryLog::append(Position first, std::span<const RecordDraft> group,
                               std::int64_t time_ms) {
  const env::Lock lock(store_->mutex_);
  LogTail& tail = store_->tail_;
  if (closed_) return refused(closed_error());
  if (Status fits = check_group(group, limits_); !fits) return refused(std::move(fits).error());
  if (first != tail.last.next()) return lost(tail.last.next(), first);
  auto stored = std::make_shared<StoredGroup>();
  stored->records.reserve(group.size());
  tail.time_ms = std::max(tail.time_ms, time_ms);
  for (const RecordDraft& draft : group) {
    Record record;
    record.position = tail.last.next();
    record.type = draft.type;
    record.epoch = tail.epoch;
    record.time_ms = tail.time_ms;
    record.previous_hash = tail.hash;
    record.hash = chain_hash(tail.hash, record.position, draft.type, draft.sections);
    record.sections = draft.sections;
    tail.last = record.position;
    tail.hash = record.hash;
    stored->records.push_back(std::move(record));
  }
  store_->groups_.push_back(std::move(stored));
  return done(tail);
}

std::vector<std::shared_ptr<const StoredGroup>> MemoryLog::groups_of(Position first,
                                                                     Position last) const {
  const env::Lock lock(store_->mutex_);
  const auto& groups = store_->groups_;
  auto from = std::partition_point(groups.begin(), groups.end(),
                                   [&](const auto& group) { return last_of(*group) < first; });
  auto to = std::partition_point(from, groups.end(), [&](const auto& group) {
    return group->records.front().position <= last;
  });
  return {from, to};
}

Status MemoryLog::read(Position first, Position last, const RecordVisitor& visit) const {
  if (first < this->first()) return reclaimed(first, this->first());
  for (const auto& group : groups_of(first, last)) {
    for (const Record& record : group->records) {
      if (record.position < first || record.position > last) continue;
      BRAID_TRY(visit(record));
    }
  }
  return Unit{};
}

Status MemoryLog::truncate_below(Position keep_from) {
  const env::Lock lock(store_->mutex_);
  if (closed_) return closed_error();
  auto& groups = store_->groups_;
  const auto kept = std::partition_point(
      groups.begin(), groups.end(), [&](const auto& group) { return last_of(*group) < keep_from; });
  if (kept != groups.begin()) store_->first_ = last_of(**(kept - 1)).next();
  groups.erase(groups.begin(), kept);
  return Unit{};
}

Status MemoryLog::verify() const {
  const Position from = first();
  Position expected = from;
  std::optional<base::Digest> hash;
  std::int64_t time_ms = INT64_MIN;
  BRAID_TRY(read(from, {UINT64_MAX}, [&](const Record& record) -> Status {
    if (record.position != expected) return damaged(expected, "a position is missing");
    if (hash.has_value() && record.previous_hash != *hash) {
      return damaged(record.position, "the chain is broken");
    }
    for (const Section& section : record.sections) {
      if (!digest_matches(section)) return damaged(record.position, "a section is damaged");
    }
    if (chain_hash(record.previous_hash, record.position, record.type, record.sections) !=
        record.hash) {
      return damaged(record.position, "the chain is broken");
    }
    if (record.time_ms < time_ms) return damaged(record.position, "time went back");
    expected = record.position.next();
    hash = record.hash;
    time_ms = record.time_ms;
    return Unit{};
  }));
  return Unit{};
}

Status MemoryLog::close() {
  const env::Lock lock(store_->mutex_);
  closed_ = true;
  return Unit{};
}

}  // namespace braid::log

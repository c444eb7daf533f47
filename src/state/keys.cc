// SPDX-License-Identifier: Apache-2.0
#include "state/keys.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "base/coding.h"

namespace braid::state {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr char kEscape = '\x00';
constexpr char kEscapedZero = '\xFF';
constexpr char kTerminator = '\x01';

std::string begin_key(KeyFamily family, std::size_t size_hint) {
  std::string key;
  key.reserve(size_hint);
  key.push_back(static_cast<char>(family));
  return key;
}

// The end is less than any byte that could follow, and occurs nowhere within (S6).
void put_id(std::string& out, std::string_view id) {
  for (const char c : id) {
    out.push_back(c);
    if (c == kEscape) out.push_back(kEscapedZero);
  }
  out.push_back(kEscape);
  out.push_back(kTerminator);
}

void put_table(std::string& out, TableId table, BranchIncarnation branch) {
  base::put_big_endian(out, table.value);
  base::put_big_endian(out, branch.value);
}

KeyFamily family_of(Direction direction) {
  return direction == Direction::kOut ? KeyFamily::out_adjacency : KeyFamily::in_adjacency;
}

// Reads a key from the front; the first rule broken makes it fail for good.
class KeyReader {
 public:
  explicit KeyReader(std::string_view key) : reader_(key), key_(key) {}

  void family(KeyFamily expected) {
    if (reader_.u8() != static_cast<std::uint8_t>(expected)) reader_.fail();
  }
  std::uint32_t u32() {
    const std::string_view bytes = reader_.raw(4);
    return reader_.failed() ? 0 : base::big_endian_u32(bytes);
  }
  std::uint64_t u64() {
    const std::string_view bytes = reader_.raw(8);
    return reader_.failed() ? 0 : base::big_endian_u64(bytes);
  }
  template <class Array>
  Array array() {
    return reader_.array<Array>();
  }
  Position position() { return Position{~u64()}; }

  // Calls `keep` with each unescaped byte.
  template <class Keep>
  void id(Keep keep) {
    while (!reader_.failed()) {
      const char c = static_cast<char>(reader_.u8());
      if (c != kEscape) {
        if (!reader_.failed()) keep(c);
        continue;
      }
      const char marker = static_cast<char>(reader_.u8());
      if (marker == kTerminator && !reader_.failed()) return;
      if (marker != kEscapedZero) reader_.fail();
      if (!reader_.failed()) keep(kEscape);
    }
  }
  std::string id() {
    std::string out;
    id([&out](char c) { out.push_back(c); });
    return out;
  }
  void skip_id() {
    id([](char) {});
  }

  // Skips what stands between the family byte and the position; fails for a family without one.
  void version_prefix() {
    const auto family = key_family_of(static_cast<char>(reader_.u8()));
    if (reader_.failed() || !family) return reader_.fail();
    switch (*family) {
      case KeyFamily::row: reader_.raw(16); return skip_id();
      case KeyFamily::unique: reader_.raw(20); return skip_id();
      case KeyFamily::out_adjacency:
      case KeyFamily::in_adjacency:
        reader_.raw(16);
        skip_id();
        return skip_id();
      case KeyFamily::branch:
      case KeyFamily::commit:
      case KeyFamily::idempotency:
      case KeyFamily::pin:
      case KeyFamily::meta: return reader_.fail();
    }
  }

  bool at_end() const { return !reader_.failed() && reader_.remaining() == 0; }
  Status finish(std::string_view what) const {
    const Status status = reader_.finish(what);
    if (!status) return status.error().with("key", base::hex(key_.substr(0, 64)));  // S5
    return Unit{};
  }

 private:
  ByteReader reader_;
  std::string_view key_;
};

}  // namespace

std::string stamp_value(const Stamp& stamp) {
  ByteWriter writer;
  writer.u32(stamp.format);
  writer.array(stamp.graph.ulid.bytes);
  return std::move(writer).take();
}

Result<Stamp> decode_stamp_value(std::string_view value) {
  ByteReader reader(value);
  Stamp stamp;
  stamp.format = reader.u32();
  if (!reader.failed() && stamp.format != kStateFormat) {  // another format may have another size
    return Error(ErrorCode::format_mismatch, "the state was written in another format")
        .with("found", std::uint64_t{stamp.format})
        .with("supported", std::uint64_t{kStateFormat});
  }
  stamp.graph.ulid.bytes = reader.array<decltype(Ulid::bytes)>();
  BRAID_TRY(reader.finish("the stamp of the state"));
  return stamp;
}

std::string applied_value(const Applied& applied) {
  ByteWriter writer;
  writer.u64(applied.position.value);
  writer.array(applied.hash);
  return std::move(writer).take();
}

Result<Applied> decode_applied_value(std::string_view value) {
  ByteReader reader(value);
  Applied applied;
  applied.position = Position{reader.u64()};
  applied.hash = reader.array<base::Digest>();
  BRAID_TRY(reader.finish("the applied position of the state"));
  return applied;
}

std::string branch_prefix() { return begin_key(KeyFamily::branch, 1); }

std::string branch_key(BranchIncarnation branch) {
  std::string key = begin_key(KeyFamily::branch, 9);
  base::put_big_endian(key, branch.value);
  return key;
}

Result<BranchIncarnation> decode_branch_key(std::string_view key) {
  KeyReader reader(key);
  reader.family(KeyFamily::branch);
  const BranchIncarnation branch{reader.u64()};
  BRAID_TRY(reader.finish("a branch key"));
  return branch;
}

std::string pin_prefix() { return begin_key(KeyFamily::pin, 1); }

std::string pin_key(const PinKey& pin) {
  std::string key = begin_key(KeyFamily::pin, 29);
  put_table(key, pin.table, pin.branch);
  base::put_big_endian(key, pin.position.value);
  base::put_big_endian(key, pin.ordinal);
  return key;
}

Result<PinKey> decode_pin_key(std::string_view key) {
  KeyReader reader(key);
  reader.family(KeyFamily::pin);
  PinKey pin;
  pin.table = TableId{reader.u64()};
  pin.branch = BranchIncarnation{reader.u64()};
  pin.position = Position{reader.u64()};
  pin.ordinal = reader.u32();
  BRAID_TRY(reader.finish("a pin key"));
  return pin;
}

std::string commit_prefix() { return begin_key(KeyFamily::commit, 1); }

std::string commit_key(const CommitId& commit) {
  std::string key = begin_key(KeyFamily::commit, 17);
  key.append(reinterpret_cast<const char*>(commit.ulid.bytes.data()), commit.ulid.bytes.size());
  return key;
}

Result<CommitId> decode_commit_key(std::string_view key) {
  KeyReader reader(key);
  reader.family(KeyFamily::commit);
  CommitId commit;
  commit.ulid.bytes = reader.array<decltype(Ulid::bytes)>();
  BRAID_TRY(reader.finish("a commit key"));
  return commit;
}

std::string idempotency_prefix() { return begin_key(KeyFamily::idempotency, 1); }

std::string idempotency_key(const BatchIdPrefix& batch) {
  std::string key = begin_key(KeyFamily::idempotency, 17);
  key.append(reinterpret_cast<const char*>(batch.data()), batch.size());
  return key;
}

Result<BatchIdPrefix> decode_idempotency_key(std::string_view key) {
  KeyReader reader(key);
  reader.family(KeyFamily::idempotency);
  const auto batch = reader.array<BatchIdPrefix>();
  BRAID_TRY(reader.finish("an idempotency key"));
  return batch;
}

std::string position_value(Position position) {
  ByteWriter writer;
  writer.u64(position.value);
  return std::move(writer).take();
}

Result<Position> decode_position_value(std::string_view value) {
  ByteReader reader(value);
  const Position position{reader.u64()};
  BRAID_TRY(reader.finish("a position in the state"));
  return position;
}

std::string row_prefix(TableId table, BranchIncarnation branch) {
  std::string key = begin_key(KeyFamily::row, 17);
  put_table(key, table, branch);
  return key;
}

std::string row_version_prefix(TableId table, BranchIncarnation branch, std::string_view id) {
  std::string key = begin_key(KeyFamily::row, 27 + id.size());
  put_table(key, table, branch);
  put_id(key, id);
  return key;
}

std::string row_key(TableId table, BranchIncarnation branch, std::string_view id,
                    Position position) {
  std::string key = row_version_prefix(table, branch, id);
  base::put_big_endian(key, ~position.value);
  return key;
}

Result<RowKey> decode_row_key(std::string_view key) {
  KeyReader reader(key);
  RowKey out;
  reader.family(KeyFamily::row);
  out.table = TableId{reader.u64()};
  out.branch = BranchIncarnation{reader.u64()};
  out.id = reader.id();
  out.position = reader.position();
  BRAID_TRY(reader.finish("a row key"));
  return out;
}

std::string unique_prefix(TableId table, BranchIncarnation branch, std::uint32_t constraint) {
  std::string key = begin_key(KeyFamily::unique, 21);
  put_table(key, table, branch);
  base::put_big_endian(key, constraint);
  return key;
}

std::string unique_version_prefix(TableId table, BranchIncarnation branch, std::uint32_t constraint,
                                  std::string_view tuple) {
  std::string key = unique_prefix(table, branch, constraint);
  put_id(key, tuple);
  return key;
}

std::string unique_key(TableId table, BranchIncarnation branch, std::uint32_t constraint,
                       std::string_view tuple, Position position) {
  std::string key = unique_version_prefix(table, branch, constraint, tuple);
  base::put_big_endian(key, ~position.value);
  return key;
}

Result<UniqueKey> decode_unique_key(std::string_view key) {
  KeyReader reader(key);
  UniqueKey out;
  reader.family(KeyFamily::unique);
  out.table = TableId{reader.u64()};
  out.branch = BranchIncarnation{reader.u64()};
  out.constraint = reader.u32();
  out.tuple = reader.id();
  out.position = reader.position();
  BRAID_TRY(reader.finish("a unique key"));
  return out;
}

std::string adjacency_prefix(Direction direction, TableId edge_table, BranchIncarnation branch) {
  std::string key = begin_key(family_of(direction), 17);
  put_table(key, edge_table, branch);
  return key;
}

std::string adjacency_endpoint_prefix(Direction direction, TableId edge_table,
                                      BranchIncarnation branch, std::string_view endpoint) {
  std::string key = adjacency_prefix(direction, edge_table, branch);
  put_id(key, endpoint);
  return key;
}

std::string adjacency_version_prefix(Direction direction, TableId edge_table,
                                     BranchIncarnation branch, EdgeEndsView ends) {
  std::string key = adjacency_endpoint_prefix(direction, edge_table, branch, ends.endpoint);
  put_id(key, ends.edge);
  return key;
}

std::string adjacency_key(Direction direction, TableId edge_table, BranchIncarnation branch,
                          EdgeEndsView ends, Position position) {
  std::string key = adjacency_version_prefix(direction, edge_table, branch, ends);
  base::put_big_endian(key, ~position.value);
  return key;
}

Result<AdjacencyKey> decode_adjacency_key(std::string_view key) {
  KeyReader reader(key);
  AdjacencyKey out;
  const bool in = !key.empty() && key.front() == static_cast<char>(KeyFamily::in_adjacency);
  out.direction = in ? Direction::kIn : Direction::kOut;
  reader.family(family_of(out.direction));
  out.edge_table = TableId{reader.u64()};
  out.branch = BranchIncarnation{reader.u64()};
  out.endpoint = reader.id();
  out.edge = reader.id();
  out.position = reader.position();
  BRAID_TRY(reader.finish("an adjacency key"));
  return out;
}

std::string version_suffix(Position at) {
  std::string suffix;
  base::put_big_endian(suffix, ~at.value);
  return suffix;
}

Position position_of_suffix(std::string_view suffix) {
  BRAID_ASSERT(suffix.size() == kVersionSuffixBytes);
  return Position{~base::big_endian_u64(suffix)};
}

bool is_version_prefix(std::string_view prefix) {
  KeyReader reader(prefix);
  reader.version_prefix();
  return reader.at_end();
}

std::optional<std::string_view> version_prefix_of(std::string_view key) {
  if (key.size() < kVersionSuffixBytes) return std::nullopt;
  const std::string_view prefix = key.substr(0, key.size() - kVersionSuffixBytes);
  if (!is_version_prefix(prefix)) return std::nullopt;
  return prefix;
}

namespace {

template <class T>
Status status_of(const Result<T>& result) {
  if (!result) return result.error();
  return Unit{};
}

}  // namespace

Status check_key(std::string_view key) {
  const auto family = key.empty() ? std::nullopt : key_family_of(key.front());
  if (!family) {
    return Error(ErrorCode::corrupt, "a state key of no known family")
        .with("key", base::hex(key.substr(0, 64)));
  }
  switch (*family) {
    case KeyFamily::branch: return status_of(decode_branch_key(key));
    case KeyFamily::commit: return status_of(decode_commit_key(key));
    case KeyFamily::idempotency: return status_of(decode_idempotency_key(key));
    case KeyFamily::meta:
      if (key == kStampKey || key == kAppliedKey) return Unit{};
      break;
    case KeyFamily::pin: return status_of(decode_pin_key(key));
    case KeyFamily::row: return status_of(decode_row_key(key));
    case KeyFamily::unique: return status_of(decode_unique_key(key));
    case KeyFamily::in_adjacency:
    case KeyFamily::out_adjacency: return status_of(decode_adjacency_key(key));
  }
  return Error(ErrorCode::corrupt, "an unknown meta key").with("key", base::hex(key.substr(0, 64)));
}

}  // namespace braid::state

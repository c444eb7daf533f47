// SPDX-License-Identifier: Apache-2.0
// A small graph in memory for the tests of table: one schema, rows committed one change set at a
// time, images of any branch and position.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "schema/catalog.h"
#include "state/memory_state.h"
#include "table/change_builder.h"
#include "table/effects.h"
#include "table/image.h"

namespace braid::table {

// Identities are drawn in this order from 1: node types, then edge types, a type before its
// properties.
inline constexpr std::string_view kTestSchema = R"(
node Person {
  email: String @key
  age: I32? @range(0..150)
  code: String? @check("^[a-z]+$")
  badge: I64? @unique
  ratio: F64? @unique
}
node Doc { title: String }
node Pair { second: I64
  first: String
  @key(first, second) }
node Team { name: String @key }
edge Knows: Person -> Person @card(0..2) { since: Date?
  @key(@src, @dst) }
edge Leads: Team -> Person @card(1..) { rank: I32? }
edge Cites: Doc -> Doc { note: String?
  @unique(@src, note) }
)";
inline constexpr TableId kPerson{1};
inline constexpr PropertyId kEmail{2};
inline constexpr PropertyId kAge{3};
inline constexpr TableId kDoc{7};
inline constexpr TableId kKnows{14};
inline constexpr BranchIncarnation kMain{1};
// Indices of Person's properties.
inline constexpr std::size_t kEmailAt = 0;
inline constexpr std::size_t kAgeAt = 1;
inline constexpr std::size_t kCodeAt = 2;
inline constexpr std::size_t kBadgeAt = 3;
inline constexpr std::size_t kRatioAt = 4;

inline std::shared_ptr<const schema::Schema> test_schema() {
  static const auto catalog =
      std::make_shared<const schema::Catalog>(*schema::make_catalog(kTestSchema));
  return {catalog, &catalog->schema()};
}

using Assigned = std::vector<std::pair<std::size_t, Value>>;

inline RowWrite node(std::string_view type, Assigned assigned) {
  RowWrite write;
  write.type = test_schema()->node_type(type);
  write.fresh_id = "fresh";
  write.assigned = std::move(assigned);
  return write;
}

inline RowWrite person(std::string_view email, Assigned more = {}) {
  more.emplace(more.begin(), kEmailAt, Value(std::string(email)));
  return node("Person", std::move(more));
}

inline RowWrite edge(std::string_view type, std::string_view src, std::string_view dst,
                     Assigned assigned = {}) {
  RowWrite write;
  write.type = test_schema()->edge_type(type);
  write.is_edge = true;
  write.fresh_id = "fresh";
  write.src = src;
  write.dst = dst;
  write.assigned = std::move(assigned);
  return write;
}

inline RowWrite with_id(RowWrite write, std::string_view id) {
  write.id = std::string(id);
  return write;
}

/// A row of Person whose properties but the key are absent.
inline RowImage person_row(std::string_view email) {
  RowImage row;
  row.id = email;
  row.values.resize(5);
  row.values[kEmailAt] = std::string(email);
  return row;
}

class World : public ChangeSource {
 public:
  Image image_of(std::vector<LineageStep> lineage) const {
    return {state::StateView(state_), std::move(lineage), test_schema(), *this};
  }
  Image image() const { return image_of({{kMain, last_}}); }
  Position last() const { return last_; }
  state::State& state() { return *state_; }

  Position commit(const ChangeSet& changes, BranchIncarnation branch = kMain) {
    last_ = last_.next();
    const EncodedChangeSet encoded = encode(changes, *test_schema());
    std::vector<state::StateWrite> writes;
    append_effects(changes, encoded, *test_schema(), {branch, last_}, writes);
    EXPECT_TRUE(state_->apply(writes, {last_, {}}).ok());
    changes_[last_] = std::make_shared<const std::string>(encoded.bytes);
    return last_;
  }
  /// Takes a position for a record without delta rows.
  Position skip() { return last_ = last_.next(); }
  /// Commits one row of one table.
  Position commit_row(TableId table, RowChange change, BranchIncarnation branch = kMain) {
    return commit({{{table, {std::move(change)}}}, {}}, branch);
  }

  Result<BuiltChanges> build(const std::vector<RowWrite>& writes,
                             WriteMode mode = WriteMode::merge) const {
    return build_changes(writes, {mode, 7}, image());
  }
  Position load(const std::vector<RowWrite>& writes, WriteMode mode = WriteMode::merge) {
    const auto built = build(writes, mode);
    EXPECT_TRUE(built.ok()) << to_string(built.error());
    return commit(built->changes);
  }
  void lose(Position position) { changes_.erase(position); }

  Result<std::shared_ptr<const std::string>> changes_at(Position position) const override {
    const auto found = changes_.find(position);
    if (found == changes_.end()) return Error(ErrorCode::corrupt, "no such change set");
    return found->second;
  }

 private:
  std::shared_ptr<state::MemoryState> state_ = std::make_shared<state::MemoryState>(GraphId{});
  std::map<Position, std::shared_ptr<const std::string>> changes_;
  Position last_;
};

/// The value of a detail, or "".
inline std::string detail(const Error& error, std::string_view name) {
  const std::string* found = error.detail(name);
  return found == nullptr ? std::string() : *found;
}

/// "constraint_violation required age": what was violated, and where.
template <class T>
std::string refusal(const Result<T>& result) {
  if (result.ok()) return "accepted";
  std::string out(name_of(result.error().code()));
  for (const char* name : {"constraint", "field"}) {
    if (!detail(result.error(), name).empty()) out += " " + detail(result.error(), name);
  }
  return out;
}

}  // namespace braid::table

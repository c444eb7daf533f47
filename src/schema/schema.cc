// SPDX-License-Identifier: Apache-2.0
#include "schema/schema.h"

#include <algorithm>

namespace braid::schema {
namespace {

template <class T>
bool within(const std::optional<RangeLimit>& low, const std::optional<RangeLimit>& high, T value) {
  if (low && !(std::get<T>(*low) <= value)) return false;
  return !high || value <= std::get<T>(*high);
}

template <class Types, class Index, class Key>
auto find_in(const Types& types, const Index& index, const Key& key) {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &types[found->second];
}

}  // namespace

bool Range::admits(std::int64_t value) const { return within(low, high, value); }
bool Range::admits(std::uint64_t value) const { return within(low, high, value); }
bool Range::admits(double value) const { return within(low, high, value); }

std::optional<std::size_t> RecordType::property_index(std::string_view property_name) const {
  const auto found = by_name_.find(property_name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> RecordType::property_index(PropertyId property_id) const {
  const auto found = by_id_.find(property_id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

const Property* RecordType::property(std::string_view property_name) const {
  return find_in(properties, by_name_, property_name);
}

const Property* RecordType::property(PropertyId property_id) const {
  return find_in(properties, by_id_, property_id);
}

bool RecordType::is_key_member(std::size_t property_position) const {
  const Member member{Member::Kind::property, property_position};
  return std::find(key.begin(), key.end(), member) != key.end();
}

const Range* RecordType::range_of(std::size_t property_position) const {
  const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.property == property_position;
  });
  return found == ranges.end() ? nullptr : &*found;
}

void RecordType::rebuild_lookups() {
  by_name_.clear();
  by_id_.clear();
  for (std::size_t i = 0; i < properties.size(); ++i) {
    by_name_.emplace(properties[i].name, i);
    if (properties[i].id.value != 0) by_id_.emplace(properties[i].id, i);
  }
}

const Embed* NodeType::embed_of(std::size_t property_position) const {
  const auto found = std::find_if(embeds.begin(), embeds.end(), [&](const Embed& embed) {
    return embed.property == property_position;
  });
  return found == embeds.end() ? nullptr : &*found;
}

const NodeType* Schema::node_type(std::string_view name) const {
  return find_in(node_types_, nodes_by_name_, name);
}

const EdgeType* Schema::edge_type(std::string_view name) const {
  return find_in(edge_types_, edges_by_name_, name);
}

const EdgeType* Schema::edge_type_folded(std::string_view spelling) const {
  return find_in(edge_types_, edges_by_folded_name_, folded_name(spelling));
}

const NodeType* Schema::node_type(TableId id) const {
  return find_in(node_types_, nodes_by_id_, id);
}

const EdgeType* Schema::edge_type(TableId id) const {
  return find_in(edge_types_, edges_by_id_, id);
}

void Schema::rebuild_lookups() {
  nodes_by_name_.clear();
  edges_by_name_.clear();
  edges_by_folded_name_.clear();
  nodes_by_id_.clear();
  edges_by_id_.clear();
  for (std::size_t i = 0; i < node_types_.size(); ++i) {
    node_types_[i].rebuild_lookups();
    nodes_by_name_.emplace(node_types_[i].name, i);
    if (node_types_[i].id.value != 0) nodes_by_id_.emplace(node_types_[i].id, i);
  }
  for (std::size_t i = 0; i < edge_types_.size(); ++i) {
    edge_types_[i].rebuild_lookups();
    edges_by_name_.emplace(edge_types_[i].name, i);
    edges_by_folded_name_.emplace(folded_name(edge_types_[i].name), i);
    if (edge_types_[i].id.value != 0) edges_by_id_.emplace(edge_types_[i].id, i);
  }
}

std::string folded_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace braid::schema

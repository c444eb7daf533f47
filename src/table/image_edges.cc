// SPDX-License-Identifier: Apache-2.0
// The edges of a node: those of delta rows by the state's entries, those of fragments by their
// adjacency.
#include <algorithm>
#include <deque>

#include "base/assert.h"
#include "state/keys.h"
#include "table/effects.h"
#include "table/image.h"

namespace braid::table {

/// What is said of the edges of one node, by whom.
class Image::NodeEdges {
 public:
  NodeEdges(std::string_view node, state::Direction direction)
      : node_(node), direction_(direction) {}
  // Versions point into the deques, which a move leaves where they are.
  NodeEdges(NodeEdges&&) = default;
  NodeEdges& operator=(NodeEdges&&) = default;

  struct Version {
    std::string_view id;
    /// In the lineage: what a nearer step says counts, whatever its stamp.
    std::size_t step = 0;
    Position stamp;
    bool is_live = false;
    /// In fragments_; nullptr: a delta row.
    const std::shared_ptr<const Fragment>* fragment = nullptr;
    FragmentPlace place;
  };

  std::string_view node() const { return node_; }
  state::Direction direction() const { return direction_; }
  std::size_t step = 0;

  /// Keeps the id.
  void add(std::string id, Position stamp, bool is_live) {
    ids_.push_back(std::move(id));
    versions_.push_back({ids_.back(), step, stamp, is_live, nullptr, {}});
  }
  /// Requires: the id lasts as long as the fragment.
  void add(std::string_view id, Position stamp, FragmentPlace place) {
    versions_.push_back({id, step, stamp, true, &fragments_.back(), place});
  }
  void enter(std::shared_ptr<const Fragment> fragment) {
    fragments_.push_back(std::move(fragment));
  }

  /// The version that counts of each edge that is there, by id.
  Status for_each_live(const std::function<Status(const Version&)>& visit) {
    const auto counts_first = [](const Version& a, const Version& b) {
      if (const auto order = a.id <=> b.id; order != 0) return order < 0;
      return a.step != b.step ? a.step < b.step : a.stamp > b.stamp;  // T11
    };
    if (!std::is_sorted(versions_.begin(), versions_.end(), counts_first)) {
      std::sort(versions_.begin(), versions_.end(), counts_first);
    }
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const bool counts = i == 0 || versions_[i - 1].id != versions_[i].id;
      if (counts && versions_[i].is_live) BRAID_TRY(visit(versions_[i]));
    }
    return Unit{};
  }

 private:
  std::string_view node_;
  state::Direction direction_;
  std::vector<Version> versions_;
  // Neither moves what it holds when it grows.
  std::deque<std::string> ids_;
  std::deque<std::shared_ptr<const Fragment>> fragments_;
};

Status Image::collect_delta_edges(TableId table, const LineageStep& step, NodeEdges& edges) const {
  const std::string prefix =
      state::adjacency_endpoint_prefix(edges.direction(), table, step.branch, edges.node());
  Status status = Unit{};
  std::optional<std::string> last;
  BRAID_TRY(view_.scan(prefix, prefix, [&](std::string_view key, std::string_view value) {
    auto decoded = state::decode_adjacency_key(key);
    const auto is_live = decode_adjacency_value(value);
    if (!decoded || !is_live) {
      status = decoded ? is_live.error() : decoded.error();
      return false;
    }
    if (decoded->position > step.up_to) return true;  // T4
    if (last == decoded->edge) return true;           // newest first
    last = decoded->edge;
    edges.add(std::move(decoded->edge), decoded->position, *is_live);
    return true;
  }));
  return status;
}

Status Image::collect_pinned_edges(const PinnedFragment& pinned, NodeEdges& edges) const {
  const schema::EdgeType* type = schema_->edge_type(pinned.pin->table);
  BRAID_ASSERT(type != nullptr);
  BRAID_ASSIGN(
      const auto adjacency,
      pinned_.source->edges(*pinned.pin, std::shared_ptr<const schema::RecordType>(schema_, type)));
  BRAID_ASSIGN(const auto ordinals, adjacency->edges_of(edges.node(), edges.direction()));
  if (ordinals.empty()) return Unit{};
  BRAID_ASSIGN(auto fragment, open(pinned));
  const Fragment& rows = *fragment;
  edges.enter(std::move(fragment));
  return rows.edges_at(ordinals, [&](FragmentPlace place, const FragmentEdge& edge) -> Status {
    const bool is_out = edges.direction() == state::Direction::kOut;
    if ((is_out ? edge.src : edge.dst) != edges.node()) {  // T12
      return Error(ErrorCode::corrupt, "an adjacency index names an edge of another node")
          .with("file", pinned.pin->object)
          .with("id", std::string(edge.id));
    }
    edges.add(edge.id, edge.stamp.value_or(pinned.position), place);
    return Unit{};
  });
}

Result<Image::NodeEdges> Image::node_edges(TableId table, std::string_view node,
                                           state::Direction direction) const {
  NodeEdges edges(node, direction);
  for (std::size_t i = 0; i < lineage_.size(); ++i) {
    edges.step = i;
    BRAID_TRY(collect_delta_edges(table, lineage_[i], edges));
    for (const PinnedFragment& pinned : pinned_.layers->of(table, lineage_[i].branch)) {
      if (pinned.position > lineage_[i].up_to) continue;  // T4
      BRAID_TRY(collect_pinned_edges(pinned, edges));
    }
  }
  return edges;
}

Status Image::edges(TableId edge_table, std::string_view node, state::Direction direction,
                    const std::function<Status(const AdjacentEdge&)>& visit) const {
  BRAID_ASSIGN(NodeEdges edges, node_edges(edge_table, node, direction));
  return edges.for_each_live([&](const NodeEdges::Version& version) -> Status {
    if (version.fragment != nullptr) {
      return visit(
          {version.id, {version.stamp, FragmentPointer{*version.fragment, version.place}}});
    }
    BRAID_ASSIGN(const auto value,
                 view_.get(state::row_key(edge_table, lineage_[version.step].branch, version.id,
                                          version.stamp)));
    std::optional<RowPlace> place;
    if (value) {
      BRAID_ASSIGN(place, decode_row_value(*value));
    }
    if (!place) {
      return Error(ErrorCode::corrupt, "the state names an edge whose row it does not have")
          .with("id", std::string(version.id))
          .with("position", version.stamp.value);
    }
    return visit({version.id, {version.stamp, *place}});
  });
}

Result<std::uint64_t> Image::degree(TableId edge_table, std::string_view node,
                                    state::Direction direction) const {
  BRAID_ASSIGN(NodeEdges edges, node_edges(edge_table, node, direction));
  std::uint64_t degree = 0;
  BRAID_TRY(edges.for_each_live([&](const NodeEdges::Version&) -> Status {
    ++degree;
    return Unit{};
  }));
  return degree;
}

Result<std::uint64_t> Image::out_degree(TableId edge_table, std::string_view src) const {
  return degree(edge_table, src, state::Direction::kOut);
}

}  // namespace braid::table

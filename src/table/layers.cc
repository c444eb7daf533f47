// SPDX-License-Identifier: Apache-2.0
#include "table/layers.h"

#include "base/assert.h"
#include "base/coding.h"

namespace braid::table {

std::string encode_pins(const std::vector<Pin>& pins) {
  base::ByteWriter writer;
  writer.varint(pins.size());
  for (const Pin& pin : pins) {
    writer.u64(pin.table.value);
    writer.bytes(pin.object);
    writer.u64(pin.size_bytes);
    writer.array(pin.digest);
    writer.varint(pin.summary.rows);
    writer.bytes(pin.summary.first_id);
    writer.bytes(pin.summary.last_id);
  }
  return std::move(writer).take();
}

Result<std::vector<Pin>> decode_pins(std::string_view bytes) {
  base::ByteReader reader(bytes);
  std::vector<Pin> pins;
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left) {
    Pin pin;
    pin.table.value = reader.u64();
    pin.object = reader.bytes();
    pin.size_bytes = reader.u64();
    pin.digest = reader.array<base::Digest>();
    pin.summary.rows = reader.varint();
    pin.summary.first_id = reader.bytes();
    pin.summary.last_id = reader.bytes();
    const bool whole = !pin.object.empty() && pin.size_bytes > 0 && pin.summary.rows > 0 &&
                       pin.summary.first_id <= pin.summary.last_id;
    if (!whole) reader.fail();
    pins.push_back(std::move(pin));
  }
  BRAID_TRY(reader.finish("pins of a record"));
  return pins;
}

std::shared_ptr<const Layers> Layers::none() {
  static const auto kNone = std::make_shared<const Layers>();
  return kNone;
}

std::shared_ptr<const Layers> Layers::with(Position position, BranchIncarnation branch,
                                           const std::vector<Pin>& pins) const {
  auto next = std::make_shared<Layers>(*this);
  for (const Pin& pin : pins) next->add(position, branch, pin);
  return next;
}

void Layers::add(Position position, BranchIncarnation branch, Pin pin) {
  auto& fragments = fragments_[{pin.table, branch}];
  BRAID_ASSERT(fragments.empty() || fragments.back().position <= position);
  fragments.push_back({position, std::make_shared<const Pin>(std::move(pin))});
}

std::span<const PinnedFragment> Layers::of(TableId table, BranchIncarnation branch) const {
  const auto found = fragments_.find({table, branch});
  if (found == fragments_.end()) return {};
  return found->second;
}

std::vector<PinnedFragment> Layers::all() const {
  std::vector<PinnedFragment> out;
  for (const auto& [key, fragments] : fragments_) {
    out.insert(out.end(), fragments.begin(), fragments.end());
  }
  return out;
}

}  // namespace braid::table

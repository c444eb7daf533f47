// SPDX-License-Identifier: Apache-2.0
// What the tests of the state share: scratch directories, both kinds of state, and a history whose
// contents at every position are known from a plain map.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "env/env.h"
#include "state/keys.h"
#include "state/memory_state.h"
#include "state/rocks_state.h"

namespace braid::state {

inline GraphId graph_of(std::uint8_t number) {
  GraphId graph;
  graph.ulid.bytes[15] = number;
  return graph;
}

inline Applied applied_of(std::uint64_t position) {
  Applied applied{.position = Position{position}, .hash = {}};
  applied.hash[0] = static_cast<std::uint8_t>(position);
  applied.hash[31] = 0x5A;
  return applied;
}

/// A directory that exists as long as this object.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    env::Env& env = env::real_env();
    const char* base = std::getenv("TMPDIR");
    path_ = env::join(base != nullptr ? base : "/tmp",
                      "braid-state-" + env::make_ulid(env.clock, env.random).to_string());
    const Status made = env.files.create_directory(path_);
    EXPECT_TRUE(made) << to_string(made.error());
  }
  ~ScratchDirectory() { static_cast<void>(RocksState::destroy(env::real_env(), path_)); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string path(std::string_view name) const { return env::join(path_, name); }

 private:
  std::string path_;
};

enum class Kind { kMemory, kRocks };

inline std::string name_of_kind(const ::testing::TestParamInfo<Kind>& info) {
  return info.param == Kind::kMemory ? "Memory" : "Rocks";
}

inline std::shared_ptr<State> make_state(Kind kind, const ScratchDirectory& scratch,
                                         std::string_view name = "state") {
  if (kind == Kind::kMemory) return std::make_shared<MemoryState>(graph_of(1));
  auto made = RocksState::create(env::real_env(), scratch.path(name), graph_of(1));
  EXPECT_TRUE(made) << to_string(made.error());
  return *std::move(made);
}

using Entries = std::vector<std::pair<std::string, std::string>>;

/// Everything from `from` on with the prefix, through anything that scans.
template <class Source>
Entries entries_of(const Source& source, std::string_view from, std::string_view prefix) {
  Entries out;
  const Status status = source.scan(from, prefix, [&out](auto key, auto value) {
    out.emplace_back(key, value);
    return true;
  });
  EXPECT_TRUE(status) << to_string(status.error());
  return out;
}

using Model = std::map<std::string, std::string>;

inline void apply_to(Model& model, const std::vector<StateWrite>& writes) {
  for (const StateWrite& write : writes) {
    if (write.value) {
      model.insert_or_assign(write.key, *write.value);
    } else {
      model.erase(write.key);
    }
  }
}

inline Entries entries_of_model(const Model& model, std::string_view from,
                                std::string_view prefix) {
  Entries out;
  for (const auto& entry : model) {
    if (entry.first >= from && entry.first.starts_with(prefix)) out.push_back(entry);
  }
  return out;
}

/// Keys of the families that hold no positions, over and over, so that sets and removals meet.
inline std::string some_key(std::mt19937_64& random) {
  std::string key(1, "bci"[random() % 3]);
  for (std::uint64_t left = random() % 3; left > 0; --left) {
    key.push_back(
        "\x00\x01"
        "ab\xFF"[random() % 5]);
  }
  return key;
}

/// writes[p] are the effects of position p, and model[p] is what there is then; p counts from 1.
struct History {
  std::vector<std::vector<StateWrite>> writes;
  std::vector<Model> model;

  static History make(std::uint64_t seed, std::uint64_t positions, std::size_t value_bytes = 1) {
    std::mt19937_64 random(seed);
    History history;
    history.writes.resize(1);
    history.model.resize(1);
    for (std::uint64_t position = 1; position <= positions; ++position) {
      std::vector<StateWrite> writes;
      for (std::uint64_t left = random() % 6; left > 0; --left) {
        const bool removal = random() % 4 == 0;
        std::string value = std::to_string(position) + std::string(value_bytes, 'v');
        writes.push_back({some_key(random), removal ? std::nullopt : std::optional(value)});
      }
      history.model.push_back(history.model.back());
      apply_to(history.model.back(), writes);
      history.writes.push_back(std::move(writes));
    }
    return history;
  }
};

}  // namespace braid::state

// SPDX-License-Identifier: Apache-2.0
#include "env/failpoints.h"

#include <utility>

namespace braid::env {

std::string_view name_of(Failpoint point) {
  static constexpr std::array<std::string_view, kFailpoints.size()> kNames = {
#define BRAID_FAILPOINT_NAME(name) #name,
      BRAID_FAILPOINTS(BRAID_FAILPOINT_NAME)
#undef BRAID_FAILPOINT_NAME
  };
  return kNames[static_cast<std::size_t>(point)];
}

void Failpoints::arm(Failpoint point, Action action) {
  set(point, std::make_shared<const Action>(std::move(action)));
}

void Failpoints::disarm(Failpoint point) { set(point, nullptr); }

void Failpoints::set(Failpoint point, std::shared_ptr<const Action> action) {
  const Lock lock(mutex_);
  std::shared_ptr<const Action>& slot = actions_[static_cast<std::size_t>(point)];
  const bool was_armed = slot != nullptr;
  slot = std::move(action);
  const bool is_armed = slot != nullptr;
  if (is_armed && !was_armed) ++armed_count_;
  if (was_armed && !is_armed) --armed_count_;
}

Status Failpoints::run(Failpoint point) {
  std::shared_ptr<const Action> action;
  {
    const Lock lock(mutex_);
    action = actions_[static_cast<std::size_t>(point)];
  }
  if (action == nullptr) return Unit{};
  return (*action)();
}

}  // namespace braid::env

// SPDX-License-Identifier: Apache-2.0
#include "env/crew.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace braid::env {

void Crew::run(std::size_t count, const std::function<void(std::size_t)>& task) const {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (;;) {
      const std::size_t taken = next.fetch_add(1, std::memory_order_relaxed);
      if (taken >= count) return;
      task(taken);  // E16: nobody else has drawn this number
    }
  };
  std::vector<std::unique_ptr<Job>> helpers;
  for (std::size_t i = 1; i < std::min(threads_, count); ++i) {
    helpers.push_back(workers_->start("crew", [&work] {
      work();
      return NextStep::when_woken();
    }));
    helpers.back()->wake();
  }
  work();
  for (const auto& helper : helpers) helper->stop();  // E16: waits for the task it is in (E3)
}

}  // namespace braid::env

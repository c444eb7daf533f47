// SPDX-License-Identifier: Apache-2.0
// A one-shot message from one thread to another, without a mutex on either side: a futex, because
// the waiting of std::atomic yields the processor several times before it sleeps, which costs two
// cores more than it saves when many wait.
//
// Threads: one setter, one waiter; both keep the Event alive until they are through with it.
#pragma once

#include <atomic>
#include <cstdint>

namespace braid::env {

class Event {
 public:
  /// Tells the waiter. `message` is not 0. What the setter wrote before is visible to the waiter
  /// after.
  void set(std::uint32_t message);
  /// Blocks until there is a message, takes it and returns it.
  std::uint32_t wait();

 private:
  std::atomic<std::uint32_t> message_{0};
};

}  // namespace braid::env

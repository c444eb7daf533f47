// SPDX-License-Identifier: Apache-2.0
#include "env/event.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace braid::env {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Returns early when the word is not `expected`, when woken, and at times for no reason.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake_one(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

void Event::set(std::uint32_t message) {
  message_.store(message, std::memory_order_release);
  futex_wake_one(message_);
}

std::uint32_t Event::wait() {
  std::uint32_t message = message_.load(std::memory_order_acquire);
  while (message == 0) {
    futex_wait(message_, 0);
    message = message_.load(std::memory_order_acquire);
  }
  message_.store(0, std::memory_order_relaxed);
  return message;
}

}  // namespace braid::env

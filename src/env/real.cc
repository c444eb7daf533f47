// SPDX-License-Identifier: Apache-2.0
#include "env/real.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <limits>
#include <pthread.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "base/assert.h"
#include "env/env.h"

namespace braid::env {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::int64_t nanoseconds_of(clockid_t id) {
  timespec now{};
  const int status = clock_gettime(id, &now);
  BRAID_ASSERT(status == 0);
  return static_cast<std::int64_t>(now.tv_sec) * kNanosecondsPerSecond + now.tv_nsec;
}

class SystemClock final : public Clock {
 public:
  std::int64_t now_ms() const override { return nanoseconds_of(CLOCK_REALTIME) / 1'000'000; }
  std::int64_t steady_ns() const override { return nanoseconds_of(CLOCK_MONOTONIC); }
};

// Counts the forks between this process and the first one: buffers from before a fork are void.
std::atomic<std::uint64_t> forks{0};

void draw(char* out, std::size_t size) {
  while (size > 0) {
    const std::size_t part = std::min<std::size_t>(size, std::numeric_limits<int>::max());
    const int drawn = RAND_bytes(reinterpret_cast<unsigned char*>(out), static_cast<int>(part));
    BRAID_ASSERT(drawn == 1);
    out += part;
    size -= part;
  }
}

struct RandomBuffer {
  std::uint64_t forks_at_fill = 0;
  std::size_t used = kSize;
  static constexpr std::size_t kSize = 1024;
  std::array<char, kSize> bytes{};
};

class SystemRandom final : public Random {
 public:
  SystemRandom() {
    const int status =
        pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
    BRAID_ASSERT(status == 0);
  }

  void fill(void* out, std::size_t size) override {
    thread_local RandomBuffer buffer;
    auto* const to = static_cast<char*>(out);
    if (size > RandomBuffer::kSize / 4) return draw(to, size);
    const std::uint64_t forks_now = forks.load(std::memory_order_relaxed);
    if (buffer.forks_at_fill != forks_now || RandomBuffer::kSize - buffer.used < size) {  // E6
      draw(buffer.bytes.data(), RandomBuffer::kSize);
      buffer.forks_at_fill = forks_now;
      buffer.used = 0;
    }
    char* const from = buffer.bytes.data() + buffer.used;
    std::memcpy(to, from, size);
    std::memset(from, 0, size);  // what was given out is nowhere else
    buffer.used += size;
  }
};

}  // namespace

// The parts are never destroyed: threads may still use them while the process ends.
Clock& system_clock() {
  static auto& clock = *std::make_unique<SystemClock>().release();
  return clock;
}

Random& system_random() {
  static auto& random = *std::make_unique<SystemRandom>().release();
  return random;
}

std::uint64_t process_number() { return static_cast<std::uint64_t>(::getpid()); }

Env& real_env() {
  static Env env{posix_file_system(), system_clock(), system_random(), thread_workers()};
  return env;
}

}  // namespace braid::env

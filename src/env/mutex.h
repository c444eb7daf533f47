// SPDX-License-Identifier: Apache-2.0
// Mutex and condition variable that Clang's thread-safety analysis understands
// (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html). Only env names std::mutex.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#if defined(__clang__)
#define BRAID_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define BRAID_THREAD_ATTRIBUTE(x)
#endif
#define BRAID_CAPABILITY(x) BRAID_THREAD_ATTRIBUTE(capability(x))
#define BRAID_SCOPED_CAPABILITY BRAID_THREAD_ATTRIBUTE(scoped_lockable)
#define BRAID_GUARDED_BY(x) BRAID_THREAD_ATTRIBUTE(guarded_by(x))
#define BRAID_REQUIRES(...) BRAID_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define BRAID_EXCLUDES(...) BRAID_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define BRAID_ACQUIRE(...) BRAID_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define BRAID_RELEASE(...) BRAID_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define BRAID_NO_THREAD_ANALYSIS BRAID_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace braid::env {

class CondVar;

class BRAID_CAPABILITY("mutex") Mutex {
 public:
  void lock() BRAID_ACQUIRE() { mutex_.lock(); }
  void unlock() BRAID_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

/// Holds the mutex from construction to the end of the scope.
class BRAID_SCOPED_CAPABILITY Lock {
 public:
  explicit Lock(Mutex& mutex) BRAID_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() BRAID_RELEASE() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

/// Waits with the mutex released; wakes may be spurious, so wait in a loop over the condition.
class CondVar {
 public:
  void wait(Mutex& mutex) BRAID_REQUIRES(mutex) {
    std::unique_lock<std::mutex> adopted(mutex.mutex_, std::adopt_lock);
    condition_.wait(adopted);
    adopted.release();
  }
  /// False if `timeout_ns` passed first.
  bool wait_for(Mutex& mutex, std::int64_t timeout_ns) BRAID_REQUIRES(mutex) {
    std::unique_lock<std::mutex> adopted(mutex.mutex_, std::adopt_lock);
    const auto status = condition_.wait_for(adopted, std::chrono::nanoseconds(timeout_ns));
    adopted.release();
    return status == std::cv_status::no_timeout;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace braid::env

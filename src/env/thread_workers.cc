// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "env/mutex.h"
#include "env/real.h"

namespace braid::env {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kThreadNameSizeMax = 15;  // pthread_setname_np

class ThreadJob final : public Job {
 public:
  // Ends the process if the system has no thread to give: a database without its background work
  // would only fail later and in a stranger way.
  ThreadJob(std::string_view name, Step step) noexcept : step_(std::move(step)) {
    thread_ = std::thread([this] { run(); });
    thread_id_ = thread_.get_id();
    const std::string short_name(name.substr(0, kThreadNameSizeMax));
    pthread_setname_np(thread_.native_handle(), short_name.c_str());
  }
  ~ThreadJob() override { ThreadJob::stop(); }

  void wake() override {
    const Lock lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  void stop() override {
    BRAID_ASSERT(std::this_thread::get_id() != thread_id_);
    {
      const Lock lock(mutex_);
      stopping_ = true;
      changed_.notify_one();
    }
    const Lock lock(join_mutex_);  // two may stop at once; both return after the last step (E3)
    if (thread_.joinable()) thread_.join();
  }

 private:
  // One thread calls the step, so it never runs twice at once (E3).
  void run() {
    std::int64_t due_ns = kNever;
    while (wait_until(due_ns)) {
      const NextStep next = step_();
      if (next.delay_ns < 0) {
        due_ns = kNever;
      } else {
        const std::int64_t now_ns = system_clock().steady_ns();
        due_ns = next.delay_ns < kNever - now_ns ? now_ns + next.delay_ns : kNever;
      }
    }
  }

  // True: a step is due. A wake is taken before the step, so one during it counts anew (E4).
  bool wait_until(std::int64_t due_ns) {
    const Lock lock(mutex_);
    while (!stopping_ && !woken_) {
      if (due_ns == kNever) {
        changed_.wait(mutex_);
        continue;
      }
      const std::int64_t left_ns = due_ns - system_clock().steady_ns();
      if (left_ns <= 0) break;
      changed_.wait_for(mutex_, left_ns);
    }
    woken_ = false;
    return !stopping_;
  }

  Step step_;
  Mutex mutex_;
  CondVar changed_;
  bool woken_ BRAID_GUARDED_BY(mutex_) = false;
  bool stopping_ BRAID_GUARDED_BY(mutex_) = false;
  Mutex join_mutex_;
  std::thread thread_;         // written by the constructor, joined under join_mutex_
  std::thread::id thread_id_;  // written before the first wake, so before the first step
};

class ThreadWorkers final : public Workers {
 public:
  std::unique_ptr<Job> start(std::string_view name, Step step) override {
    return std::make_unique<ThreadJob>(name, std::move(step));
  }
  // The processors that this process may use: a container or `taskset` gives fewer than there are.
  std::size_t parallelism() const override {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
      return static_cast<std::size_t>(std::max(CPU_COUNT(&allowed), 1));
    }
    return std::max(std::thread::hardware_concurrency(), 1U);
  }
};

}  // namespace

Workers& thread_workers() {
  static auto& workers = *std::make_unique<ThreadWorkers>().release();
  return workers;
}

}  // namespace braid::env

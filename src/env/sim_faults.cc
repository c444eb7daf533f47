// SPDX-License-Identifier: Apache-2.0
// Which calls of a SimFileSystem fail.
#include <cerrno>
#include <numeric>
#include <utility>

#include "base/assert.h"
#include "env/sim_file_system.h"
#include "env/system_error.h"

namespace braid::env {
namespace {

int error_number_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::no_space: return ENOSPC;
    case ErrorCode::permission: return EACCES;
    case ErrorCode::read_only: return EROFS;
    default: return EIO;
  }
}

}  // namespace

std::string_view name_of(FileOperation operation) {
  static constexpr std::array<std::string_view, kFileOperations.size()> kNames = {
#define BRAID_FILE_OPERATION_NAME(name) #name,
      BRAID_FILE_OPERATIONS(BRAID_FILE_OPERATION_NAME)
#undef BRAID_FILE_OPERATION_NAME
  };
  return kNames[static_cast<std::size_t>(operation)];
}

std::uint64_t FileCounters::total() const {
  return std::accumulate(calls.begin(), calls.end(), std::uint64_t{0});
}

Error failed_call(ErrorCode code, FileOperation operation, std::string_view path) {
  return system_error(error_number_of(code), name_of(operation), path);
}

void SimFileSystem::halt_after(std::uint64_t calls) {
  const Lock lock(mutex_);
  calls_until_halt_ = calls;
}

bool SimFileSystem::is_halted() const {
  const Lock lock(mutex_);
  return calls_until_halt_ == 0U;
}

void SimFileSystem::fail(FileFault fault) {
  BRAID_ASSERT(code_of_system_error(error_number_of(fault.code)) == fault.code);
  const Lock lock(mutex_);
  faults_.push_back(std::move(fault));
}

void SimFileSystem::fail_randomly(std::uint64_t calls, ErrorCode code) {
  BRAID_ASSERT(code_of_system_error(error_number_of(code)) == code);
  const Lock lock(mutex_);
  random_fault_calls_ = calls;
  random_fault_code_ = code;
}

void SimFileSystem::clear_faults() {
  const Lock lock(mutex_);
  faults_.clear();
  random_fault_calls_ = 0;
}

void SimFileSystem::set_hook(std::function<void(FileOperation, std::string_view)> hook) {
  using Hook = std::function<void(FileOperation, std::string_view)>;
  auto shared = hook ? std::make_shared<const Hook>(std::move(hook)) : nullptr;
  const Lock lock(mutex_);
  hook_ = std::move(shared);
}

FileCounters SimFileSystem::counters() const {
  const Lock lock(mutex_);
  return counters_;
}

void SimFileSystem::reset_counters() {
  const Lock lock(mutex_);
  counters_ = {};
}

std::optional<SimFileSystem::Failure> SimFileSystem::begin(FileOperation operation,
                                                           std::string_view path) {
  std::shared_ptr<const std::function<void(FileOperation, std::string_view)>> hook;
  {
    const Lock lock(mutex_);
    hook = hook_;
  }
  if (hook != nullptr) (*hook)(operation, path);
  const Lock lock(mutex_);
  ++counters_.calls[static_cast<std::size_t>(operation)];
  if (calls_until_halt_ == 0U) return Failure{ErrorCode::io_error, true};
  if (calls_until_halt_) --*calls_until_halt_;
  const std::optional<ErrorCode> code = due_fault(operation, path);
  if (!code) return std::nullopt;
  return Failure{*code, false};
}

Status SimFileSystem::check(FileOperation operation, std::string_view path) {
  const std::optional<Failure> failure = begin(operation, path);
  if (failure) return failed_call(failure->code, operation, path);
  return Unit{};
}

std::optional<ErrorCode> SimFileSystem::due_fault(FileOperation operation, std::string_view path) {
  std::optional<ErrorCode> code;
  for (FileFault& fault : faults_) {
    if (fault.times == 0) continue;
    if (fault.operation && *fault.operation != operation) continue;
    if (path.find(fault.path_part) == std::string_view::npos) continue;
    if (fault.after_calls > 0) {
      --fault.after_calls;
    } else if (!code) {
      --fault.times;
      code = fault.code;
    }
  }
  if (!code && random_fault_calls_ != 0 && chance_.one_in(random_fault_calls_)) {
    code = random_fault_code_;
  }
  return code;
}

}  // namespace braid::env

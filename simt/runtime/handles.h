/// \file
/// The handles of one kind that a program has.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "simt/executor/system/fork_lock.h"

namespace simt {

/// The objects of one kind that exist, known by their addresses.
template <typename Object>
class Handles {
 public:
  /// A handle of a copy of the object, which lives until destroy().
  Object* create(const Object& object) {
    const std::lock_guard lock(mutex_);
    auto created = std::make_unique<Object>(object);
    Object* handle = created.get();
    objects_.emplace(handle, std::move(created));
    return handle;
  }
  /// False if there is no such handle, or no longer.
  bool destroy(Object* handle) {
    const std::lock_guard lock(mutex_);
    return objects_.erase(handle) > 0;
  }
  /// Whether it was created here and still lives.
  bool contains(Object* handle) {
    const std::lock_guard lock(mutex_);
    return objects_.count(handle) > 0;
  }

 private:
  ForkLock<std::mutex> mutex_;
  std::unordered_map<Object*, std::unique_ptr<Object>> objects_;
};

}  // namespace simt

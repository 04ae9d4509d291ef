#include "simt/executor/log/shared_code.h"

#include <mutex>
#include <unordered_map>

#include "simt/executor/log/machine_code.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

struct Functions {
  ForkLock<std::mutex> mutex;  // also while one is read: others most likely want the same
  std::uint64_t unloaded = 0;
  std::unordered_map<std::uintptr_t, std::shared_ptr<const CodeFlow>> by_first_block;
};

Functions& functions() {
  static Functions& instance = *new Functions;
  return instance;
}

}  // namespace

std::shared_ptr<const CodeFlow> shared_code(std::uintptr_t first_block) {
  Functions& all = functions();
  const std::lock_guard lock(all.mutex);
  const std::uint64_t unloaded = objects_unloaded();
  if (unloaded != all.unloaded) all.by_first_block.clear();
  all.unloaded = unloaded;
  std::shared_ptr<const CodeFlow>& known = all.by_first_block[first_block];
  if (known == nullptr) known = std::make_shared<const CodeFlow>(read_code(first_block));
  return known;
}

}  // namespace simt

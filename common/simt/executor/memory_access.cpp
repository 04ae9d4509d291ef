#include "common/simt/executor/memory_access.h"

#include "common/simt/executor/device_memory.h"
#include "common/simt/executor/worker.h"
namespace simt {
static void mark(void* a, unsigned n) {
  auto& m = DeviceMemory::instance();
  auto p = (std::uintptr_t)a;
  if (m.contains(p))
    for (unsigned i = 0; i < n; ++i)
      m.states(p)[i] = kWritten;
}
void on_load(void*, unsigned, std::uintptr_t) {}
void on_store(void* a, unsigned n, std::uintptr_t) {
  if (current.lane) mark(a, n);
}
void on_range(void* a, std::size_t n, bool store, std::uintptr_t) {
  if (store && current.lane) mark(a, (unsigned)n);
}
void on_basic_block(std::uintptr_t) {}
void note_atomic(void* a, std::size_t n, Location) {
  mark(a, (unsigned)n);
}
}  // namespace simt

#include "common/ranks/crossing.h"

#include <cuda_runtime.h>  // the executor's says that it is that

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#include "simt/nccl/link_counters.h"
#endif

namespace worklog {

#ifdef SIMT_EXECUTOR

bool counts_crossing() {
  return true;
}

Crossing crossing_of(int rank) {
  Crossing crossing;
  for (const simt::nccl::LinkCounters& counters : simt::nccl::link_counters()) {
    if (counters.rank != rank) continue;
    crossing.calls += static_cast<std::int64_t>(counters.calls);
    crossing.sent_bytes += static_cast<std::int64_t>(counters.sent_bytes);
  }
  return crossing;
}

std::vector<std::pair<std::string, std::int64_t>> all_counted() {
  std::vector<std::pair<std::string, std::int64_t>> counted;
  for (const auto& [name, value] : simt::named(simt::counters()))
    counted.emplace_back(name, static_cast<std::int64_t>(value));
  std::int64_t calls = 0;
  std::int64_t sent_bytes = 0;
  for (const simt::nccl::LinkCounters& counters : simt::nccl::link_counters()) {
    calls += static_cast<std::int64_t>(counters.calls);
    sent_bytes += static_cast<std::int64_t>(counters.sent_bytes);
  }
  counted.emplace_back("nccl_calls", calls);
  counted.emplace_back("nccl_sent_bytes", sent_bytes);
  return counted;
}

#else

bool counts_crossing() {
  return false;
}

Crossing crossing_of(int) {
  return {};
}

std::vector<std::pair<std::string, std::int64_t>> all_counted() {
  return {};
}

#endif

}  // namespace worklog

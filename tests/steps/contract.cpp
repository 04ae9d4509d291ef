#include "tests/steps/contract.h"

#include <cstdlib>

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

namespace contract {

bool wants_every_case() {
#ifdef SIMT_EXECUTOR
  return std::getenv("WORKLOG_THOROUGH") != nullptr;
#else
  return true;
#endif
}

void CountingOff::set([[maybe_unused]] bool on) {
#ifdef SIMT_EXECUTOR
  simt::set_counting(on);
#endif
}

}  // namespace contract

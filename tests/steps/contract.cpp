#include "tests/steps/contract.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

namespace contract {

void CountingOff::set([[maybe_unused]] bool on) {
#ifdef SIMT_EXECUTOR
  simt::set_counting(on);
#endif
}

}  // namespace contract

#include "tests/steps/contract.h"

#ifdef WORKLOG_SIMT
#include "common/simt/executor/counters.h"
#endif

namespace contract {

void CountingOff::set([[maybe_unused]] bool on) {
#ifdef WORKLOG_SIMT
  simt::set_counting(on);
#endif
}

}  // namespace contract

#include "simt/executor/accesses/waiting_loops.h"

#include "simt/executor/checkers/time_limit.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/worker/switch.h"

namespace simt {

void give_way_in_loop(Lane& self) {
  check_time_limit(self);
  // Where nothing is counted, nothing tells, and it does no harm either.
  if (current.log != nullptr && !current.log->repeats_itself(kLooksOfLoop)) return;
  give_way(self);
}

void give_way(Lane& self) {
  check_time_limit(self);
  end_turns(self);
  Warp& warp = *self.warp;
  warp.log_full |= self.bit();
  warp.giving_way |= self.bit();
  warp.ready &= ~self.bit();
  run_others(self);
}

}  // namespace simt

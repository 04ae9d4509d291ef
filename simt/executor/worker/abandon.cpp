#include "simt/executor/worker/abandon.h"

#include <cstdlib>

#include "simt/executor/fibers/turns.h"
#include "simt/executor/worker/switch.h"

namespace simt {

void abandon_launch(Lane& self) {
  end_turns(self);
  worker_of(self).aborted = true;
  announce_switch_to_thread();
  jump(worker_of(self).scheduler, self.context);
  std::abort();  // an abandoned fiber is never resumed
}

void report_and_end_launch(const char* kind, const Place& place, const std::string& message,
                           int error) {
  report(kind, place, message);
  Lane& self = *current.lane;
  worker_of(self).launch->error = error;
  abandon_launch(self);
}

}  // namespace simt

#include "common/simt/executor/replay.h"
namespace simt {
void replay(Worker& worker, Warp&) {
  for (LaneLog& log : worker.logs)
    log.clear();
}
void replay_front(Worker& worker, Warp& warp) {
  replay(worker, warp);
}
}  // namespace simt

#include "simt/executor/fibers/current.h"

namespace simt {

constinit thread_local Current current = {};

}  // namespace simt

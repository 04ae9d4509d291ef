#include <stdexcept>

#include "common/ranks/times.h"

namespace worklog {

void write_times(Group&, Communicator&, const TimesOptions&) {
  throw std::runtime_error("the CPU executor has no times that mean anything: --times needs GPUs");
}

}  // namespace worklog

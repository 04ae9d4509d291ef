#include <stdexcept>

#include "bench/times.h"

namespace worklog::bench {

std::unique_ptr<Times> make_times(TimeLimit /*limit*/) {
  throw std::runtime_error(
      "times are taken on GPUs only: this is the CPU executor's build, which lists the bench's "
      "names (--benchmark_list_tests) and counts accesses, but whose times would mean nothing. "
      "Build with nvcc and run worklog_bench.");
}

}  // namespace worklog::bench

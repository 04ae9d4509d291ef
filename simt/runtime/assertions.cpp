// Where a kernel, or host code that was compiled with the stand-in headers, gives up by itself.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/worker.h"
#include "simt/include/cuda_standin/trap.h"

namespace simt {

constexpr int kErrorAssert = 710;

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const char* function) {
  if (current.lane != nullptr) {
    report_and_end_launch("assertion", {{file, line}},
                          std::string("assertion '") + condition + "' failed", kErrorAssert);
  }
  std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, condition);
  std::abort();
}

void trap(Location where) {
  if (current.lane == nullptr) std::abort();
  report_and_end_launch("trap", {where}, "the kernel called __trap()", kErrorLaunchFailure);
}

}  // namespace simt

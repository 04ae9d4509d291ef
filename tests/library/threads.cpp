// Several threads at once, each on a stream of its own.

#include <cmath>
#include <string>
#include <thread>

#include "common/cuda/stream.h"
#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

// How many of a thread's calls went wrong: rows that do not add up to 1, and errors that are not
// its own.
int wrong_calls(std::int64_t cols) {
  const Stream stream;
  DeviceBuffer<float> array(random_array<float>(3 * cols));
  int wrong = 0;
  for (int call = 0; call < 10; ++call) {
    if (!sw::softmax<float>(array.data(), array.data(), 3, cols, {}, stream.get()).ok()) ++wrong;
    const sw::Status refused = sw::softmax<float>(array.data(), array.data(), -cols, cols);
    if (refused.message() != "rows = -" + std::to_string(cols) + ": must be 0 or more") ++wrong;
    check(cudaStreamSynchronize(stream.get()), "waiting");
    double sum = 0.0;
    for (const float x : array.download())
      sum += x;
    if (!(std::abs(sum - 3.0) < 1e-4)) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("two threads on two streams do not disturb each other") {
    int wrong[2] = {-1, -1};
    std::thread other([&] { wrong[0] = wrong_calls(700); });
    wrong[1] = wrong_calls(900);
    other.join();
    CHECK(wrong[0] == 0);
    CHECK(wrong[1] == 0);
  }
}

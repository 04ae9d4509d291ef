// How often a row is read, as the header promises.

#include "simt/executor/counters.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

constexpr std::int64_t kRows = 2;

// Bytes that a scaled softmax of `cols` columns, into rows of fp32 that lie so far apart, loads.
template <typename T>
std::int64_t loaded_bytes(std::int64_t cols, std::int64_t results_stride) {
  DeviceBuffer<T> logits(random_array<T>(kRows * cols));
  DeviceBuffer<float> results(kRows * results_stride);
  sw::ScaleMaskOptions<T> options;
  options.results_stride = results_stride;
  simt::reset_counters();
  const sw::Status status =
      sw::scale_mask_softmax<T, float>(logits.data(), results.data(), kRows, cols, options);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return static_cast<std::int64_t>(simt::counters().global_loads.bytes);
}

template <typename T>
std::int64_t bytes_of(std::int64_t cols) {
  return kRows * cols * static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

TEST_SUITE("counts") {
  TEST_CASE("rows of up to 24576 columns are read once, longer ones twice") {
    CHECK(loaded_bytes<float>(24576, 24576) == bytes_of<float>(24576));
    CHECK(loaded_bytes<float>(24580, 24580) == 2 * bytes_of<float>(24580));
    CHECK(loaded_bytes<__nv_bfloat16>(24576, 24576) == bytes_of<__nv_bfloat16>(24576));
    CHECK(loaded_bytes<__nv_bfloat16>(24584, 24584) == 2 * bytes_of<__nv_bfloat16>(24584));
  }

  // 4 floats are 16 bytes, whatever the logits' type is.
  TEST_CASE("rows of results that begin at multiples of 16 bytes cost no second read") {
    for (const std::int64_t stride : {24576, 24580, 24584}) {
      CAPTURE(stride);
      CHECK(loaded_bytes<__nv_bfloat16>(24576, stride) == bytes_of<__nv_bfloat16>(24576));
    }
  }
}

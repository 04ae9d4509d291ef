// Counts that must equal Nsight Compute's on an H200, to the last digit: 64 rows of 4096 columns.

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "simt/tests/support/device_array.h"
#include "softmax_kernels.cuh"

namespace {

using namespace softmax_kernels;

constexpr int kRows = 64;
constexpr int kCols = 4096;
constexpr int kThreads = 256;
constexpr std::size_t kElements = std::size_t{kRows} * kCols;

std::vector<float> logits() {
  std::vector<float> values(kElements);
  unsigned state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / (1 << 22) - 2.0f;
  }
  return values;
}

std::vector<double> softmax_of(const std::vector<float>& x) {
  std::vector<double> y(x.size());
  for (std::size_t row = 0; row < x.size(); row += kCols) {
    double maximum = x[row];
    for (int i = 0; i < kCols; ++i)
      maximum = std::max<double>(maximum, x[row + i]);
    double sum = 0.0;
    for (int i = 0; i < kCols; ++i)
      sum += std::exp(x[row + i] - maximum);
    for (int i = 0; i < kCols; ++i)
      y[row + i] = std::exp(x[row + i] - maximum) / sum;
  }
  return y;
}

// Largest error relative to the value; infinite if any result is NaN.
template <typename T>
double worst_error(const std::vector<T>& results, const std::vector<double>& expected) {
  double worst = 0.0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double error = std::abs(static_cast<double>(results[i]) - expected[i]) / expected[i];
    if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
  }
  return worst;
}

struct Expected {
  unsigned load_requests, load_sectors, store_requests, store_sectors;
  unsigned shared_loads, shared_stores, shared_load_wavefronts, shared_store_wavefronts;
};

void check_counts(const simt::Counters& counted, const Expected& expected) {
  CHECK(counted.global_loads.requests == expected.load_requests);
  CHECK(counted.global_loads.sectors == expected.load_sectors);
  CHECK(counted.global_stores.requests == expected.store_requests);
  CHECK(counted.global_stores.sectors == expected.store_sectors);
  CHECK(counted.shared_loads.requests == expected.shared_loads);
  CHECK(counted.shared_stores.requests == expected.shared_stores);
  CHECK(counted.shared_loads.wavefronts == expected.shared_load_wavefronts);
  CHECK(counted.shared_stores.wavefronts == expected.shared_store_wavefronts);
}

}  // namespace

TEST_SUITE_BEGIN("counts");

TEST_CASE("a thread a row: 32 sectors per request") {
  const auto x = logits();
  const DeviceArray<float> in(x), out(kElements);
  thread_per_row<<<kRows / 32, 32>>>(in.get(), out.get(), kRows, kCols);
  const simt::Counters counted = simt::last_launch();
  check_counts(counted, {24576, 786432, 8192, 262144, 0, 0, 0, 0});
  CHECK(counted.global_loads.elements == 3 * kElements);
  CHECK(counted.global_stores.elements == kElements);
  CHECK(counted.global_loads.bytes == 4 * 3 * kElements);
  CHECK(counted.launches == 1);
  CHECK(counted.blocks == kRows / 32);
  CHECK(counted.threads == kRows);
  CHECK(counted.divergences == 0);
  CHECK(worst_error(out.host(), softmax_of(x)) < 1e-4);
}

TEST_CASE("a block a row, with shuffles: 4 sectors per request") {
  const auto x = logits();
  const DeviceArray<float> in(x), out(kElements);
  block_per_row<<<kRows, kThreads>>>(in.get(), out.get(), kCols);
  const simt::Counters counted = simt::last_launch();
  check_counts(counted, {24576, 98304, 8192, 32768, 1024, 1024, 1024, 1024});
  constexpr int kWarps = kRows * kThreads / 32;
  CHECK(counted.shuffles == kWarps * 2 * 2 * 5);  // two block reductions of two warp reductions
  CHECK(counted.block_barriers == kRows * 2 * 2);
  CHECK(counted.votes == 0);
  CHECK(counted.shared_loads.bank_conflicts == 0);
  CHECK(worst_error(out.host(), softmax_of(x)) < 2e-6);
}

TEST_CASE("16-byte accesses and the row in dynamic shared memory") {
  const auto x = logits();
  const DeviceArray<float> in(x), out(kElements);
  row_in_shared_memory<<<kRows, kThreads, kCols * sizeof(float)>>>(
      reinterpret_cast<const float4*>(in.get()), reinterpret_cast<float4*>(out.get()), kCols / 4);
  const simt::Counters counted = simt::last_launch();
  check_counts(counted, {2048, 32768, 2048, 32768, 5120, 5120, 17408, 17408});
  CHECK(counted.global_loads.elements == kElements);  // floats, as allocated
  CHECK(counted.shared_loads.bank_conflicts == 0);
  CHECK(worst_error(out.host(), softmax_of(x)) < 2e-6);
}

TEST_CASE("pairs of halves") {
  std::vector<__half2> x(kElements / 2);
  std::vector<float> rounded(kElements);
  const auto values = logits();
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = __floats2half2_rn(values[2 * i], values[2 * i + 1]);
    const float2 both = __half22float2(x[i]);
    rounded[2 * i] = both.x;
    rounded[2 * i + 1] = both.y;
  }
  const DeviceArray<__half2> in(x), out(kElements / 2);
  simt::set_element_size(in.get(), kElements * 2, 2);
  pairs_of_halves<<<kRows, kThreads>>>(in.get(), out.get(), kCols / 2);
  const simt::Counters counted = simt::last_launch();
  check_counts(counted, {12288, 49152, 4096, 16384, 1024, 1024, 1024, 1024});
  CHECK(counted.global_loads.elements == 3 * kElements);   // counted as halves
  CHECK(counted.global_stores.elements == kElements / 2);  // counted as pairs
  std::vector<float> results;
  for (const __half2& pair : out.host()) {
    results.push_back(__low2float(pair));
    results.push_back(__high2float(pair));
  }
  const auto expected = softmax_of(rounded);
  int beyond_rounding = 0;  // of a half: 11 bits, and 2^-25 where it is subnormal
  for (std::size_t i = 0; i < kElements; ++i) {
    const double rounding = std::max(expected[i] * 0x1p-11, 0x1p-25);
    if (!(std::abs(results[i] - expected[i]) <= 1.01 * rounding)) ++beyond_rounding;
  }
  CHECK(beyond_rounding == 0);
}

TEST_CASE("a tile with a pitch of 33 words has no bank conflicts") {
  const DeviceArray<float> in = zeros<float>(1024), out(32);
  tile_by_columns<33><<<1, 32>>>(in.get(), out.get());
  const simt::Counters counted = simt::last_launch();
  check_counts(counted, {32, 128, 1, 4, 32, 32, 32, 32});
  CHECK(counted.shared_loads.bank_conflicts == 0);
}

// ptxas merges these loads four at a time; the executor counts the source's.
TEST_CASE("a tile with a pitch of 32 words: every column lies in one bank") {
  const DeviceArray<float> in = zeros<float>(1024), out(32);
  tile_by_columns<32><<<1, 32>>>(in.get(), out.get());
  const simt::Counters counted = simt::last_launch();
  check_counts(counted, {32, 128, 1, 4, 32, 32, 32 * 32, 32});
  CHECK(counted.shared_loads.bank_conflicts == 31 * 32);
}

TEST_CASE("the extended launch runs the same kernel") {
  const auto x = logits();
  const DeviceArray<float> in(x), out(kElements);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kRows);
  config.blockDim = dim3(kThreads);
  const float* input = in.get();
  CHECK(cudaLaunchKernelEx(&config, block_per_row, input, out.get(), kCols) == cudaSuccess);
  check_counts(simt::last_launch(), {24576, 98304, 8192, 32768, 1024, 1024, 1024, 1024});
  CHECK(worst_error(out.host(), softmax_of(x)) < 2e-6);
}

TEST_CASE("counts are the same on every run and for any number of workers") {
  const DeviceArray<float> in(logits()), out(kElements);
  std::vector<simt::Counters> runs;
  for (const int workers : {1, 1, 2, 3, 7}) {
    const Workers these(workers);
    block_per_row<<<kRows, 96>>>(in.get(), out.get(), 1000);  // a ragged end
    runs.push_back(simt::last_launch());
  }
  for (const simt::Counters& run : runs) {
    CHECK(run.global_loads.requests == runs[0].global_loads.requests);
    CHECK(run.global_loads.sectors == runs[0].global_loads.sectors);
    CHECK(run.global_loads.elements == 3 * 1000 * kRows);
    CHECK(run.shared_loads.requests == runs[0].shared_loads.requests);
    CHECK(run.divergences == runs[0].divergences);
  }
}

TEST_CASE("counting switched off counts launches and rendezvous only, and changes no result") {
  const auto x = logits();
  const DeviceArray<float> in(x), out(kElements);
  simt::set_counting(false);
  block_per_row<<<kRows, kThreads>>>(in.get(), out.get(), kCols);
  simt::set_counting(true);
  CHECK(simt::last_launch().launches == 1);
  CHECK(simt::last_launch().global_loads.requests == 0);
  CHECK(worst_error(out.host(), softmax_of(x)) < 2e-6);
}

TEST_CASE("counters add up over launches until they are reset") {
  const DeviceArray<float> in = zeros<float>(1024), out(32);
  simt::reset_counters();
  for (int i = 0; i < 3; ++i)
    tile_by_columns<33><<<1, 32>>>(in.get(), out.get());
  CHECK(simt::counters().launches == 3);
  CHECK(simt::counters().global_loads.elements == 3 * 1024);
  simt::reset_counters();
  CHECK(simt::counters().launches == 0);
}

TEST_SUITE_END();

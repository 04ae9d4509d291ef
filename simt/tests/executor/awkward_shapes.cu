// Rows that end in the middle of a warp, begin in the middle of a sector, or are shorter than a
// block: the counters against a model that enumerates every address.

#include <cstdint>
#include <doctest/doctest.h>
#include <set>

#include "simt/tests/support/device_array.h"
#include "softmax_kernels.cuh"

namespace {

constexpr int kRows = 5;

struct Model {
  std::uint64_t requests = 0;
  std::uint64_t load_sectors = 0;
  std::uint64_t store_sectors = 0;
};

Model one_pass(const float* in, const float* out, int cols, int threads) {
  const auto sector = [](const float* address) {
    return reinterpret_cast<std::uintptr_t>(address) / 32;
  };
  Model model;
  for (int row = 0; row < kRows; ++row) {
    for (int warp = 0; warp < threads; warp += 32) {
      for (int first = warp; first < cols; first += threads) {
        std::set<std::uintptr_t> loaded, stored;
        for (int col = first; col < first + 32 && col < cols; ++col) {
          loaded.insert(sector(in + row * cols + col));
          stored.insert(sector(out + row * cols + col));
        }
        ++model.requests;
        model.load_sectors += loaded.size();
        model.store_sectors += stored.size();
      }
    }
  }
  return model;
}

}  // namespace

TEST_SUITE_BEGIN("awkward_shapes");

TEST_CASE("a block a row") {
  for (const int cols : {1,   2,   3,   7,   31,  32,  33,   63,   64,   65,  100,
                         127, 129, 255, 256, 257, 500, 1000, 1023, 1025, 2049}) {
    for (const int threads : {32, 64, 96, 128, 256, 512, 1024}) {
      CAPTURE(cols);
      CAPTURE(threads);
      const DeviceArray<float> in = zeros<float>(kRows * cols), out(kRows * cols);
      softmax_kernels::block_per_row<<<kRows, threads>>>(in.get(), out.get(), cols);
      const simt::Counters counted = simt::last_launch();
      const Model model = one_pass(in.get(), out.get(), cols, threads);
      REQUIRE(counted.global_loads.requests == 3 * model.requests);
      REQUIRE(counted.global_loads.sectors == 3 * model.load_sectors);
      REQUIRE(counted.global_stores.requests == model.requests);
      REQUIRE(counted.global_stores.sectors == model.store_sectors);
      REQUIRE(counted.global_loads.elements == 3ull * kRows * cols);
    }
  }
  CHECK(simt::findings().empty());
}

TEST_CASE("a thread a row, fewer rows than lanes") {
  for (const int cols : {1, 2, 31, 33, 100, 1025, 5000}) {
    CAPTURE(cols);
    const DeviceArray<float> in = zeros<float>(kRows * cols), out(kRows * cols);
    softmax_kernels::thread_per_row<<<1, 32>>>(in.get(), out.get(), kRows, cols);
    CHECK(simt::last_launch().global_loads.requests == 3ull * cols);
    CHECK(simt::last_launch().global_stores.requests == static_cast<std::uint64_t>(cols));
    CHECK(simt::last_launch().global_loads.elements == 3ull * kRows * cols);
  }
  CHECK(simt::findings().empty());
}

TEST_SUITE_END();

// Guard bands and poison. The host writes here as a kernel would.
#include "common/verify/guarded_buffer.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace {

using namespace worklog;

template <typename T>
void poke(T* at, T value) {
  REQUIRE(cudaMemcpy(at, &value, sizeof value, cudaMemcpyHostToDevice) == cudaSuccess);
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("a new buffer is poisoned, and undamaged") {
  const GuardedBuffer<float> buffer(1000);
  std::vector<float> contents(1000);
  buffer.read(0, contents);
  for (const float value : contents)
    REQUIRE(is_poison(value));
  CHECK_FALSE(buffer.first_damage());
}

TEST_CASE("writing inside is no damage") {
  GuardedBuffer<float> buffer(3);
  buffer.write(0, {1.0f, 2.0f, 3.0f});
  CHECK_FALSE(buffer.first_damage());
}

TEST_CASE("a single element before or behind is found") {
  constexpr std::int64_t kSize = 100;
  for (const std::int64_t at : {std::int64_t{-1}, std::int64_t{-1000}, kSize, kSize + 1023}) {
    GuardedBuffer<std::int64_t> buffer(kSize);
    poke(buffer.data() + at, std::int64_t{0});
    REQUIRE(buffer.first_damage());
    CHECK(*buffer.first_damage() == at);
  }
}

TEST_CASE("the array is aligned to 256 bytes, and off it by a shift") {
  GuardedBuffer<float> aligned(10);
  GuardedBuffer<float> shifted(10, 3);
  CHECK(reinterpret_cast<std::uintptr_t>(aligned.data()) % 256 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(shifted.data()) % 256 == 12);
  poke(shifted.data() - 1, 0.0f);
  CHECK(*shifted.first_damage() == -1);
}

TEST_CASE("an empty array has guards") {
  GuardedBuffer<float> buffer(0);
  CHECK_FALSE(buffer.first_damage());
  poke(buffer.data(), 0.0f);
  CHECK(*buffer.first_damage() == 0);
}

TEST_SUITE_END();

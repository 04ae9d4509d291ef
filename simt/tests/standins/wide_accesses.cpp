// A vector type is loaded and stored as a whole: one request a warp, as a GPU's vector instructions
// make.

#include <doctest/doctest.h>
#include <string>

#include "simt/executor/counters.h"
#include "simt/tests/standins/kernels.h"

namespace {

struct Expected {
  std::string type;
  unsigned bytes;
};

}  // namespace

TEST_SUITE_BEGIN("wide_accesses");

TEST_CASE("one access an element, for each type") {
  const Expected kTypes[] = {
      {"float", 4},         {"double", 8},         {"char4", 4},           {"short2", 4},
      {"short4", 8},        {"int2", 8},           {"int4", 16},           {"uint2", 8},
      {"uint4", 16},        {"float2", 8},         {"float4", 16},         {"double2", 16},
      {"longlong2", 16},    {"half", 2},           {"half2", 4},           {"bfloat16", 2},
      {"bfloat162", 4},     {"float2 changed", 8}, {"float4 changed", 16}, {"uint4 changed", 16},
      {"half2 changed", 4},
  };
  for (const Expected& expected : kTypes) {
    CAPTURE(expected.type);
    copy_one_warp(expected.type);
    const simt::Counters counters = simt::last_launch();
    constexpr unsigned kLanes = 32;
    CHECK(counters.global_loads.requests == 1);
    CHECK(counters.global_stores.requests == 1);
    CHECK(counters.global_loads.bytes == kLanes * expected.bytes);
    CHECK(counters.global_stores.bytes == kLanes * expected.bytes);
    CHECK(counters.global_loads.sectors == expected.bytes);
    CHECK(counters.global_stores.sectors == expected.bytes);
    CHECK(counters.global_loads.elements == kLanes);
  }
}

TEST_SUITE_END();

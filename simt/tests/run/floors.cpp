// The floors of --on, of counters that are written here.
#include "simt/run/floors.h"

#include <doctest/doctest.h>
#include <stdexcept>
#include <utility>

namespace {

using namespace simt::run;
using nlohmann::ordered_json;

const ordered_json kNothing = ordered_json::object();

ordered_json line(int number, ordered_json counters) {
  return {{"file", "a.cu"}, {"line", number}, {"counters", std::move(counters)}};
}

/// The number of the line that asks for a launch's highest floor; 0 for none.
int asking(ordered_json counters, ordered_json lines, const char* device = "h200") {
  const ordered_json launch = {{"counters", std::move(counters)}, {"lines", std::move(lines)}};
  const ordered_json found = asking_line(launch, device_figures(device));
  if (found.is_null()) return 0;
  CHECK(found["file"] == "a.cu");
  return found["line"];
}

}  // namespace

TEST_SUITE_BEGIN("floors");

TEST_CASE("every figure of every device has its source") {
  CHECK(device_names() == std::vector<std::string>{"h200", "h100", "a100", "l4", "rtx4090"});
  for (const std::string& name : device_names()) {
    const ordered_json figures = device_figures(name);
    CAPTURE(name);
    for (const auto& [figure, value] : figures.items()) {
      CAPTURE(figure);
      if (!value.is_number()) continue;
      CHECK(value > 0);
      CHECK(figures["sources"].contains(figure));
    }
  }
}

TEST_CASE("a device that nobody knows is named, with those that there are") {
  CHECK_THROWS_WITH_AS(
      device_figures("h2000"),
      "--on: nothing is known of a device 'h2000': there are h200, h100, a100, l4, rtx4090",
      std::invalid_argument);
}

TEST_CASE("memory must move what no cache can hold") {
  const ordered_json h200 = device_figures("h200");
  const double l2 = h200["l2_bytes"];
  CHECK(floors(kNothing, h200)["DRAM"] == 0);
  CHECK(floors({{"global_read_only_unique_bytes", l2}, {"global_store_unique_bytes", l2}},
               h200)["DRAM"] == 0);
  const ordered_json much = {{"global_read_only_unique_bytes", l2 + 4.8e9},
                             {"global_store_unique_bytes", l2 + 9.6e9}};
  CHECK(floors(much, h200)["DRAM"].get<double>() == doctest::Approx(3e-3));
  CHECK(highest_floor(floors(much, h200)) == "DRAM");
}

TEST_CASE("what the launch wrote itself, or another device has, need not come from memory") {
  const ordered_json h200 = device_figures("h200");
  const double l2 = h200["l2_bytes"];
  const auto dram = [&](const ordered_json& counters) {
    return floors(counters, h200)["DRAM"].get<double>();
  };
  CHECK(dram({{"global_load_unique_bytes", l2 + 4.8e9}}) == 0);
  CHECK(dram({{"global_load_unique_bytes", l2 + 9.6e9},
              {"global_read_only_unique_bytes", l2 + 4.8e9}}) == doctest::Approx(1e-3));
  CHECK(dram({{"global_read_only_unique_bytes", l2 + 9.6e9}, {"link_load_bytes", 4.8e9}}) ==
        doctest::Approx(1e-3));
  CHECK(dram({{"global_store_unique_bytes", l2 + 9.6e9}, {"link_store_bytes", 4.8e9}}) ==
        doctest::Approx(1e-3));
}

TEST_CASE("an SM takes a request or a wavefront at a clock") {
  // 19.5 / 2 / 64: 0.15234 requests in a picosecond.
  const ordered_json a100 = device_figures("a100");
  const ordered_json counters = {
      {"global_load_requests", 100e6},   {"global_store_requests", 20e6},
      {"global_atomic_requests", 2e6},   {"shared_load_wavefronts", 20e6},
      {"shared_store_wavefronts", 10e6}, {"block_barriers", 1e12}};
  CHECK(floors(counters, a100)["L1 and shared"].get<double>() ==
        doctest::Approx(152e6 / 19.5e12 * 128));
  CHECK(highest_floor(floors(counters, a100)) == "L1 and shared");
}

TEST_CASE("an L2 cache whose speed is published has a floor, and others none") {
  const ordered_json counters = {{"global_read_only_unique_bytes", 5120 * 1.0e6}};
  CHECK(floors(counters, device_figures("a100"))["L2"].get<double>() ==
        doctest::Approx(1e6 / 1.4106e9).epsilon(1e-3));
  CHECK_FALSE(floors(counters, device_figures("h200")).contains("L2"));
}

TEST_CASE("a launch that asks for nothing has no highest floor") {
  CHECK(highest_floor(floors(kNothing, device_figures("l4"))).empty());
}

TEST_CASE("the line that asks for the most of the highest floor is named") {
  // A line that stores much in conflict asks for more than one that loads often.
  CHECK(asking({{"global_load_requests", 600}, {"shared_store_wavefronts", 900}},
               {line(3, {{"global_load_requests", 600}}), line(4, {{"block_barriers", 9999}}),
                line(5, {{"shared_store_wavefronts", 900}})}) == 5);
  // Of equals the first.
  CHECK(asking({{"global_load_requests", 12}}, {line(7, {{"global_load_requests", 6}}),
                                                line(8, {{"global_load_requests", 6}})}) == 7);
}

TEST_CASE("what asks for memory's floor has asked for bytes that no cache holds") {
  const double l2 = device_figures("h200")["l2_bytes"];
  const double loaded = l2 + 4.8e9;
  // Stores that the cache could hold ask for nothing, however many they are.
  CHECK(asking({{"global_read_only_unique_bytes", loaded},
                {"global_store_unique_bytes", l2},
                {"global_load_requests", 10}},
               {line(1, {{"global_store_unique_bytes", l2}, {"global_load_requests", 10}}),
                line(2, {{"global_load_unique_bytes", l2 - 1}}),
                line(3, {{"global_load_unique_bytes", 1000}})}) == 2);
  CHECK(
      asking({{"global_read_only_unique_bytes", 1e9}, {"global_load_requests", 1}},
             {line(1, {{"global_load_requests", 1}}), line(2, {{"global_load_unique_bytes", 1e9}})},
             "a100") == 2);
}

TEST_CASE("nothing is guessed where no line is known to ask") {
  CHECK(asking({{"global_load_requests", 12}}, ordered_json::array()) == 0);
  CHECK(asking({{"global_load_requests", 12}}, {line(1, {{"block_barriers", 4}})}) == 0);
  CHECK(asking(kNothing, {line(1, {{"global_load_requests", 4}})}) == 0);
}

TEST_SUITE_END();

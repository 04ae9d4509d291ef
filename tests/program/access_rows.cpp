// The access picture in a terminal, and the runs that it shows.
#include "common/program/access_rows.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <sstream>
#include <string>

#include "common/measure/traced_run.h"

namespace {

using namespace worklog;

template <typename Offset>
simt::TracedRequest request(unsigned bytes, Offset offset_of_lane, unsigned lanes = 32) {
  simt::TracedRequest made;
  made.bytes = bytes;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    made.lanes.push_back({.lane = lane, .array = 0, .offset = offset_of_lane(lane)});
  }
  return made;
}

std::string row_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE("lanes side by side fill neighbouring sectors") {
  CHECK(sectors_picture(request(4, [](unsigned lane) { return 4 * lane; }), 50) ==
        "|01234567|89abcdef|ghijklmn|opqrstuv|");
}

TEST_CASE("lanes far apart touch an element of a sector each; what does not fit is counted") {
  const auto strided = request(4, [](unsigned lane) { return 512 * lane + 4; });
  CHECK(sectors_picture(strided, 30) == "|.0......| |.1......| +30 more");
  CHECK(sectors_picture(strided, 29) == "|.0......| +31 more");
}

TEST_CASE("the last sector needs no room for a count") {
  const auto two = request(
      4, [](unsigned lane) { return 4 * lane; }, 9);
  CHECK(sectors_picture(two, 19) == "|01234567|8.......|");
  CHECK(sectors_picture(two, 18) == "|01234567| +1 more");
}

TEST_CASE("wide accesses take several places, narrow ones a place of their own size") {
  CHECK(sectors_picture(request(
                            16, [](unsigned lane) { return 16 * lane; }, 3),
                        50) == "|00001111|2222....|");
  CHECK(sectors_picture(request(
                            2, [](unsigned lane) { return 2 * lane; }, 17),
                        50) == "|0123456789abcdef|g...............|");
}

TEST_CASE("several lanes at one place are a star") {
  CHECK(sectors_picture(request(4, [](unsigned) { return 8u; }), 50) == "|..*.....|");
}

TEST_CASE("equal offsets in two arrays are two sectors") {
  auto made = request(
      4, [](unsigned) { return 0u; }, 2);
  made.lanes[1].array = 1;
  CHECK(sectors_picture(made, 50) == "|0.......| |1.......|");
}

TEST_CASE("every kernel can be traced, and its arrays have names") {
  const std::set<std::string> names = {"logits",
                                       "probabilities",
                                       "log-probabilities",
                                       "gradients",
                                       "logit gradients",
                                       "labels",
                                       "losses",
                                       "values",
                                       "indices",
                                       "queries",
                                       "keys",
                                       "outputs"};
  for (const Step& step : all_steps()) {
    for (const DType dtype : kAllDTypes) {
      INFO(step.label());
      const TracedRun run = traced_run(step, small_case(step, dtype), kSmallBlock);
      REQUIRE(run.trace.arrays.size() == run.names.size());
      for (const std::string& name : run.names) {
        INFO(name);
        CHECK((names.contains(name) || name.starts_with("scratch")));
      }
      const char* given = step.is_backward()        ? "gradients"
                          : step.takes<Attention>() ? "queries"
                                                    : "logits";
      CHECK(std::count(run.names.begin(), run.names.end(), given) == 1);
      REQUIRE_FALSE(run.trace.requests.empty());
      for (const simt::TracedRequest& request : run.trace.requests) {
        CHECK(request.line > 0);
        CHECK((request.file.ends_with(".cu") || request.file.ends_with(".cuh")));
        CHECK(request.number <= request.of);
      }
    }
  }
}

TEST_CASE("a thread per row reads a sector a lane; rows fit a terminal") {
  const Step& first = all_steps().front();
  REQUIRE(first.info.summation == Summation::kSerial);
  std::ostringstream out;
  print_access_rows(out, traced_run(first, small_case(first, DType::kFloat32), kSmallBlock));
  const std::string text = out.str();
  CHECK(row_of(text, "load logits").find("  1/128  32s      0  |0.......| |1") !=
        std::string::npos);
  CHECK(row_of(text, "2/128").find("32s      4  |.0......| |.1") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(line.size() <= 100);
}

TEST_SUITE_END();

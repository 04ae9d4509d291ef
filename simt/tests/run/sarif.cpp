// Findings as SARIF 2.1.0: what its schema requires, and what a host needs to show them.
#include "simt/run/sarif.h"

#include <doctest/doctest.h>

namespace {

using nlohmann::ordered_json;

ordered_json finding(const std::string& kind, const std::string& place) {
  return {{"kind", kind},
          {"kernel", "scan"},
          {"lines",
           {{{"place", place}, {"message", "what is wrong"}},
            {{"place", "header.cuh:3"}, {"message", "the other side"}},
            {{"place", "host code"}, {"message", "without a line"}}}},
          {"count", 4},
          {"launches", {1, 2, 5}}};
}

/// Of these findings and notes, in a program that ended with 1.
ordered_json sarif(const ordered_json& findings,
                   const ordered_json& notes = ordered_json::array()) {
  simt::run::Options options;
  options.sources = {"a folder/scan.cu"};
  simt::run::Ending ending;
  ending.exit_code = 1;
  return simt::run::to_sarif({{"findings", findings}, {"notes", notes}}, ending, options, "1.2.3");
}

}  // namespace

TEST_SUITE_BEGIN("sarif");

TEST_CASE("a log without findings has all that the schema requires") {
  const ordered_json log = sarif(ordered_json::array());
  CHECK(log["version"] == "2.1.0");
  REQUIRE(log["runs"].size() == 1);
  const ordered_json& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "simt");
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  CHECK(run["results"].is_array());
  CHECK(run["results"].empty());
  REQUIRE(run["invocations"].is_array());
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("a finding is a result with its rule, its place, its notes and its count") {
  const ordered_json log =
      sarif({finding("shared-race", "scan.cu:12"), finding("deadlock", "scan.cu:9"),
             finding("shared-race", "scan.cu:7")});
  const ordered_json& run = log["runs"][0];
  const ordered_json& rules = run["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 2);
  REQUIRE(run["results"].size() == 3);
  for (const ordered_json& result : run["results"]) {
    CHECK(rules[result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
    CHECK(result["level"] == "error");
    CHECK(result["message"]["text"] == "what is wrong");
    CHECK(result["occurrenceCount"] == 4);
  }
  const ordered_json& location = run["results"][0]["locations"][0];
  CHECK(location["physicalLocation"]["artifactLocation"]["uri"] == "a%20folder/scan.cu");
  CHECK(location["physicalLocation"]["region"]["startLine"] == 12);
  CHECK(location["logicalLocations"][0]["name"] == "scan");
  const ordered_json& related = run["results"][0]["relatedLocations"];
  REQUIRE(related.size() == 1);
  CHECK(related[0]["message"]["text"] == "the other side");
  CHECK(related[0]["physicalLocation"]["artifactLocation"]["uri"] == "header.cuh");
}

TEST_CASE("a note comes after the findings, and is no error") {
  const ordered_json log = sarif(ordered_json::array({finding("deadlock", "scan.cu:9")}),
                                 ordered_json::array({finding("shared-race", "scan.cu:12")}));
  const ordered_json& results = log["runs"][0]["results"];
  REQUIRE(results.size() == 2);
  CHECK(results[0]["level"] == "error");
  CHECK(results[1]["level"] == "note");
  CHECK(results[1]["ruleId"] == "shared-race");
  CHECK(results[1]["ruleIndex"] == 1);
}

TEST_CASE("a finding without a line has no place in a file") {
  const ordered_json log = sarif(ordered_json::array({finding("refused-launch", "host code")}));
  const ordered_json& locations = log["runs"][0]["results"][0]["locations"];
  for (const ordered_json& location : locations)
    CHECK_FALSE(location.contains("physicalLocation"));
}

TEST_SUITE_END();

// The page that plays a step's warps.
#include "common/program/player.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "common/step/step.h"
#include "simt/executor/counters.h"

namespace {

using namespace worklog;

nlohmann::json record_of(const std::string& page) {
  const std::string begin = "id=\"record\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE("a step's page has its launches with their warps, arrays by name, and its source") {
  const Step& step = all_steps().front();
  const nlohmann::json record = record_of(player_of({&step}, 0));
  CHECK(record["title"] == step.name);
  REQUIRE_FALSE(record["launches"].empty());
  const nlohmann::json& launch = record["launches"][0];
  CHECK(launch["program"] == step.label());
  CHECK(launch["recorded"]["arrays"][0]["name"] == "logits");
  const nlohmann::json& warp = launch["recorded"]["blocks"][0]["recorded"][0];
  CHECK(warp["events"][0]["kind"] == "global load");
  REQUIRE(record["files"].size() == 1);
  CHECK(record["files"][0]["name"] == "softmax.cu");
}

TEST_CASE("nothing of it tells of the machine that made it") {
  CHECK(player_of({&all_steps().front()}, 0).find(WORKLOG_DATA_DIR) == std::string::npos);
}

TEST_SUITE_END();

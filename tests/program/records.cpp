// Records: exact numbers, the fields that the report reads, and files that are whole or absent.
#include "common/program/records.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/measure/cases.h"
#include "common/measure/measure.h"

namespace {

using namespace worklog;
namespace fs = std::filesystem;

Record some_record() {
  return measure(all_steps().front(), {.dtype = DType::kFloat32, .rows = 3, .cols = 7});
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE("every step and variant counts what it predicts, and says so in its record") {
  for (const Step& step : all_steps()) {
    for (const DType dtype : kAllDTypes) {
      const std::int64_t rows = step.takes_one_row() ? 1 : 5;
      const Case a_case{dtype, rows, 333, default_k(step, 333), Input::kRandom};
      const Record record = measure(step, a_case);
      INFO(step.label() << ", " << name_of(dtype) << ": " << record.verdict.failure);
      CHECK(record.ok());
      const auto json = to_json(record);
      CHECK(json["step"] == step.name);
      CHECK(json["variant"] == step.variant);
      CHECK(json["builds_on"] == step.info.builds_on);
      CHECK(json["dtype"] == name_of(dtype));
      CHECK(json["rows"] == rows);
      CHECK(json["cols"] == 333);
      CHECK(json.contains("k") == step.is_top_k());
      CHECK(json["machine"] == "cpu");
      CHECK(json["verified"] == true);
      CHECK(json["expected_failure"] == step.info.expected_failure);
      CHECK(json["launches"].get<int>() >= 1);
      CHECK(json["max_ulp"].get<double>() == record.verdict.max_ulp);
      CHECK(json["loads_per_element"] == json["predicted_loads"]);
      CHECK(json["stores_per_element"] == json["predicted_stores"]);
      CHECK(json["sectors_per_load_request"].get<double>() >= 1.0);
      CHECK_FALSE(json.contains("failure"));
    }
  }
}

TEST_CASE("a single load too many is no longer as predicted") {
  Record record = some_record();
  REQUIRE(record.ok());
  record.counts->loads_per_element += 1.0 / (3 * 7);
  CHECK_FALSE(record.ok());
  CHECK(to_json(record)["verified"] == false);
  CHECK(to_json(record)["failure"] == "loads or stores are not as predicted");
}

TEST_CASE("a file is there whole, and numbers come back exactly") {
  const fs::path path = fs::temp_directory_path() / "worklog_records_test.json";
  const Record record = some_record();
  write_records(path, {record, record});
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  CHECK(json["records"].size() == 2);
  CHECK(json["records"][1]["max_ulp"].get<double>() == record.verdict.max_ulp);
  CHECK_FALSE(fs::exists(path.string() + ".part"));
  fs::remove(path);
}

TEST_CASE("a folder that is not there is named, and nothing is left") {
  CHECK_THROWS_WITH_AS(write_records("/nowhere/records.json", {some_record()}),
                       "/nowhere/records.json.part: cannot be written", std::runtime_error);
}

TEST_SUITE_END();

// The annotated source in a terminal.
#include "common/program/line_table.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/program/annotations.h"
#include "common/step/step.h"

namespace {

using namespace worklog;

simt::LineCounters line_with(int line, const simt::Counters& counters) {
  return {.file = "softmax.cu", .line = line, .counters = counters};
}

std::string row_with(const std::string& part, const std::string& text) {
  const std::size_t begin = text.rfind('\n', text.find(part)) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

// What stands in the column of that title, whose numbers end where the title does.
std::string cell(const std::string& title, const std::string& row, const std::string& text) {
  const std::string header = text.substr(0, text.find('\n'));
  const std::size_t end = header.find(title) + title.size();
  if (row.size() < end || (row.size() > end && row[end] != ' ')) return "";
  return row.substr(row.rfind(' ', end - 1) + 1, end - row.rfind(' ', end - 1) - 1);
}

std::string table_of(const std::vector<simt::LineCounters>& lines) {
  std::ostringstream out;
  print_line_table(out, lines, SourceText(all_steps().front()));
  return out.str();
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE("a line's actions are those that happened") {
  simt::Counters counters;
  CHECK(actions_of(counters).empty());
  counters.global_loads = {.elements = 64, .bytes = 256, .requests = 2, .sectors = 8};
  counters.shared_stores = {.bytes = 128, .requests = 1, .wavefronts = 4, .bank_conflicts = 3};
  counters.constant_loads = {.bytes = 256, .requests = 2, .words = 6, .lanes = 64};
  counters.block_barriers = 5;
  const std::vector<LineAction> actions = actions_of(counters);
  REQUIRE(actions.size() == 4);
  CHECK(actions[0].what == "global load");
  CHECK(actions[0].count == 2);
  CHECK(actions[0].sectors == 8);
  CHECK(actions[1].what == "shared store");
  CHECK(actions[1].wavefronts == 4);
  CHECK(actions[1].conflicts == 3);
  CHECK(actions[2].what == "constant load");
  CHECK(actions[2].count == 2);
  CHECK(actions[3].what == "block barrier");
  CHECK(actions[3].count == 5);
}

TEST_CASE("the table has the text of the line, and below it what it did") {
  simt::Counters counters;
  counters.global_loads = {.elements = 64, .bytes = 256, .requests = 2, .sectors = 9};
  const std::string text = table_of({line_with(1, counters)});
  CHECK(text.find("softmax.cu\n    1  // Step ") != std::string::npos);
  const std::string row = row_with("global load", text);
  CHECK(cell("requests", row, text) == "2");
  CHECK(cell("sectors", row, text) == "9");
  CHECK(cell("wavefronts", row, text) == "");
  CHECK(cell("per request", row, text) == "4.50");
}

TEST_CASE("lines without traffic are left out; one whose text is gone has its number") {
  simt::Counters counters;
  counters.shuffles = 7;
  const std::string text = table_of({line_with(3, {}), line_with(99999, counters)});
  CHECK(text.find("    3  ") == std::string::npos);
  CHECK(text.find("99999\n") != std::string::npos);
  CHECK(cell("requests", row_with("shuffle", text), text) == "7");
}

TEST_CASE("a line in JSON has the counters that are not 0") {
  simt::Counters counters;
  counters.global_loads = {.elements = 64, .bytes = 256, .requests = 2, .sectors = 8};
  const auto json = to_json(line_with(4, counters));
  CHECK(json["file"] == "softmax.cu");
  CHECK(json["line"] == 4);
  CHECK(json["counters"]["global_load_requests"] == 2);
  CHECK_FALSE(json["counters"].contains("shuffles"));
}

TEST_CASE("annotations: the lines of each kernel add up to its counters") {
  const auto json = annotations({&all_steps().front()})["annotations"];
  REQUIRE(json.size() == 1);
  CHECK(json[0]["step"] == all_steps().front().name);
  CHECK(json[0]["dtype"] == "f32");
  std::uint64_t elements = 0;
  for (const auto& line : json[0]["lines"])
    elements += line["counters"].value("global_load_elements", 0);
  const std::int64_t rows = json[0]["rows"];
  const std::int64_t cols = json[0]["cols"];
  const StepInfo& info = all_steps().front().info;
  CHECK(elements ==
        static_cast<std::uint64_t>(info.total(info.loads, rows, cols, 0, sizeof(float), 0)));
  // Step 01 at 4000 x 25000: 4 loads per logit and 1 per row.
  CHECK(json[0]["predictions"].size() == 3);
  CHECK(json[0]["predictions"][1]["cols"] == 25000);
  CHECK(json[0]["predictions"][1]["loads"] == 400004000);
  CHECK(json[0]["predictions"][1]["stores"] == 200004000);
  CHECK(json[0]["trace"]["arrays"][0]["name"] == "logits");
  CHECK(json[0]["trace"]["requests"][0]["lanes"].size() == 32);
  CHECK(json[0]["trace"]["requests"][0]["lanes"][31] == nlohmann::json{31, 0, 31 * 128 * 4});
}

TEST_SUITE_END();

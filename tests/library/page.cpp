// The tables of docs/pages/library.md against what is picked, at both ends of each of their ranges.

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "library/dispatcher.h"
#include "library/recorded_choices.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library;

namespace {

// Named on the page, with the size of its L2 cache.
DeviceTraits card_called(const std::string& name) {
  const std::map<std::string, int> l2_bytes = {{"NVIDIA H200", 62914560},
                                               {"NVIDIA H100 80GB HBM3", 52428800}};
  REQUIRE_MESSAGE(l2_bytes.count(name) == 1, name);
  return {90, 132, 232448, l2_bytes.at(name), true, false};
}

constexpr std::int64_t kEndless = SOFTMAX_WORKLOG_MAX_ROWS;

// "16/log_softmax to 81,920": a range ends there, and begins where the one before ended. "any" and
// "more than 81,920" do not end.
struct Range {
  std::string step;  // "" of rows
  std::int64_t first;
  std::int64_t last;
};

std::int64_t number_of(std::string text) {
  std::erase(text, ',');
  return text.empty() ? kEndless : std::stoll(text);
}

std::vector<Range> ranges_of(const std::string& cell, std::int64_t first = 1) {
  static const std::regex range(R"((?:(\d\d\S*) )?(?:to ([\d,]+)|more than [\d,]+|any))");
  std::vector<Range> ranges;
  for (std::sregex_iterator it(cell.begin(), cell.end(), range), end; it != end; ++it) {
    ranges.push_back({(*it)[1], first, number_of((*it)[2])});
    first = ranges.back().last + 1;
  }
  return ranges;
}

// "16/log_softmax" of "16_cluster/log_softmax".
std::string short_name(const std::string& label) {
  return std::regex_replace(label, std::regex("_[^/]*"), "",
                            std::regex_constants::format_first_only);
}

struct PageTable {
  DeviceTraits card;
  softmax_worklog_operation operation;
  DType dtype;
};

// "The tables of the NVIDIA H200: softmax, log-softmax": the name; "" of another line.
std::string card_in(const std::string& line) {
  static const std::regex summary("<summary>The tables of the ([^:]*):");
  std::smatch found;
  return std::regex_search(line, found, summary) ? found.str(1) : "";
}

PageTable table_of(const DeviceTraits& card, const std::string& heading) {
  const std::string operation = heading.substr(0, heading.find(','));
  const std::map<std::string, softmax_worklog_operation> operations = {
      {"softmax", SOFTMAX_WORKLOG_SOFTMAX},
      {"log-softmax", SOFTMAX_WORKLOG_LOG_SOFTMAX},
      {"softmax's backward pass", SOFTMAX_WORKLOG_SOFTMAX_BACKWARD}};
  REQUIRE(operations.count(operation) == 1);
  return {card, operations.at(operation),
          heading.ends_with("fp32:") ? DType::kFloat32 : DType::kBFloat16};
}

void check_served(const PageTable& table, const Range& rows_range, const Range& cols_range) {
  for (const std::int64_t rows : {rows_range.first, rows_range.last}) {
    for (const std::int64_t cols : {cols_range.first, cols_range.last}) {
      CAPTURE(table.card.l2_bytes);
      CAPTURE(table.operation);
      CAPTURE(rows);
      CAPTURE(cols);
      const Choice choice = pick({table.operation, table.dtype, rows, cols, 0}, table.card);
      CHECK(short_name(choice.candidate->label) == cols_range.step);
    }
  }
}

// Between the two lines that say where the tables begin and end.
std::vector<std::string> lines_of_tables() {
  const char* path = std::getenv("WORKLOG_LIBRARY_PAGE");
  REQUIRE_MESSAGE(path != nullptr, "WORKLOG_LIBRARY_PAGE must name docs/pages/library.md");
  std::ifstream page(path);
  std::vector<std::string> lines;
  bool is_in_tables = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "<!-- serves:end -->") is_in_tables = false;
    if (is_in_tables) lines.push_back(line);
    if (line == "<!-- serves:begin -->") is_in_tables = true;
  }
  return lines;
}

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("the page says who serves") {
    DeviceTraits card;
    PageTable table = {};
    std::size_t tables = 0;
    std::int64_t first_row = 1;
    for (const std::string& line : lines_of_tables()) {
      if (const std::string name = card_in(line); !name.empty()) card = card_called(name);
      if (line.ends_with(":")) {
        table = table_of(card, line);
        first_row = 1;
        ++tables;
      }
      const std::size_t middle = line.find(" | ");
      const std::vector<Range> rows = ranges_of(line.substr(0, middle), first_row);
      if (!line.starts_with("| ") || rows.empty()) continue;  // its head, and empty lines
      CAPTURE(line);
      const std::vector<Range> columns = ranges_of(line.substr(middle));
      REQUIRE(!columns.empty());
      CHECK(columns.back().last == kEndless);
      for (const Range& range : columns)
        check_served(table, rows.front(), range);
      first_row = rows.front().last + 1;
    }
    CHECK(tables == std::size(kRecordedTables));
  }
}

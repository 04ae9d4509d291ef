// The tables of docs/pages/library.md against what is picked, at both ends of each of their ranges,
// and its limits against what is refused.

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "library/dispatcher.h"
#include "library/recorded_choices.h"
#include "library/status.h"
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
  static const std::regex range(R"((?:(\d\d\S*|no step) )?(?:to ([\d,]+)|more than [\d,]+|any))");
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
      {"softmax's backward pass", SOFTMAX_WORKLOG_SOFTMAX_BACKWARD},
      {"cross-entropy", SOFTMAX_WORKLOG_CROSS_ENTROPY}};
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
      const Shape shape = {table.operation, table.dtype, rows, cols, 0};
      if (cols_range.step == "no step") {
        CHECK_THROWS_AS(pick(shape, table.card), Refusal);
      } else {
        CHECK(short_name(pick(shape, table.card).candidate->label) == cols_range.step);
      }
    }
  }
}

// Between the two lines that say where tables of this name begin and end.
std::vector<std::string> lines_between(const std::string& name) {
  const char* path = std::getenv("WORKLOG_LIBRARY_PAGE");
  REQUIRE_MESSAGE(path != nullptr, "WORKLOG_LIBRARY_PAGE must name docs/pages/library.md");
  std::ifstream page(path);
  std::vector<std::string> lines;
  bool is_in_tables = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "<!-- " + name + ":end -->") is_in_tables = false;
    if (is_in_tables) lines.push_back(line);
    if (line == "<!-- " + name + ":begin -->") is_in_tables = true;
  }
  return lines;
}

softmax_worklog_operation operation_called(const std::string& function) {
  const std::map<std::string, softmax_worklog_operation> operations = {
      {"softmax", SOFTMAX_WORKLOG_SOFTMAX},
      {"log_softmax", SOFTMAX_WORKLOG_LOG_SOFTMAX},
      {"top_k", SOFTMAX_WORKLOG_TOP_K},
      {"softmax_backward", SOFTMAX_WORKLOG_SOFTMAX_BACKWARD},
      {"log_softmax_backward", SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD},
      {"cross_entropy", SOFTMAX_WORKLOG_CROSS_ENTROPY},
      {"cross_entropy_loss", SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS}};
  REQUIRE_MESSAGE(operations.count(function) == 1, function);
  return operations.at(function);
}

bool is_served(const Shape& shape) {
  try {
    require_shape(shape);
    pick(shape, card_called("NVIDIA H200"));
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

// That so many columns are served and no more, and with them so large a k and no larger.
void check_limit(const Shape& longest) {
  CAPTURE(longest.operation);
  CAPTURE(longest.cols);
  CAPTURE(longest.k);
  Shape beyond = longest;
  ++beyond.cols;
  CHECK(is_served(longest));
  CHECK(!is_served(beyond));
  if (longest.operation != SOFTMAX_WORKLOG_TOP_K) return;
  beyond = longest;
  ++beyond.k;
  CHECK(!is_served(beyond));
}

// A line of the limits: functions, K where there is one, and columns of fp32 and of 2-byte types.
struct Limits {
  std::vector<softmax_worklog_operation> operations;
  int k = 0;
  std::string columns[2];

  explicit Limits(const std::string& line) {
    static const std::regex cells(R"(\| (.*) \| (any|[\d,]+) \| (any|[\d,]+) \|)");
    static const std::regex function("`([a-z_]+)`");
    static const std::regex most_k(R"(K to ([\d,]+))");
    std::smatch found;
    REQUIRE_MESSAGE(std::regex_match(line, found, cells), line);
    const std::string names = found[1];
    columns[0] = found[2];
    columns[1] = found[3];
    for (std::sregex_iterator it(names.begin(), names.end(), function), end; it != end; ++it)
      operations.push_back(operation_called((*it)[1]));
    if (std::regex_search(names, found, most_k)) k = static_cast<int>(number_of(found[1]));
  }
};

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("the page says who serves") {
    DeviceTraits card;
    PageTable table = {};
    std::size_t tables = 0;
    std::int64_t first_row = 1;
    for (const std::string& line : lines_between("serves")) {
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

  TEST_CASE("the page says how long rows may be, and how large K") {
    constexpr std::int64_t kVeryLong = std::int64_t{1} << 40;
    std::set<softmax_worklog_operation> named;
    for (const std::string& line : lines_between("limits")) {
      if (!line.starts_with("| `")) continue;
      const Limits limits(line);
      for (const softmax_worklog_operation operation : limits.operations) {
        named.insert(operation);
        for (const DType dtype : kAllDTypes) {
          const std::string& columns = limits.columns[dtype == DType::kFloat32 ? 0 : 1];
          if (columns == "any") {
            CHECK_MESSAGE(is_served({operation, dtype, 1, kVeryLong, limits.k}), line);
          } else {
            check_limit({operation, dtype, 1, number_of(columns), limits.k});
          }
        }
      }
    }
    CHECK(named.size() == kOperations);
  }
}

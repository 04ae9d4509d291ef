#include "common/program/table.h"

#include <fmt/format.h>
#include <utility>

namespace worklog {

Table::Table(std::ostream& out, std::vector<Column> columns)
    : out_(out), columns_(std::move(columns)) {}

void Table::print_header() const {
  std::vector<std::string> titles;
  std::vector<std::string> lines;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    lines.emplace_back(static_cast<std::size_t>(column.width), '-');
  }
  print_row(titles);
  print_row(lines);
}

void Table::print_row(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& [title, width, is_number] = columns_[i];
    if (i > 0) line += "  ";
    line +=
        is_number ? fmt::format("{:>{}}", cells[i], width) : fmt::format("{:<{}}", cells[i], width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out_ << line << std::endl;
}

}  // namespace worklog

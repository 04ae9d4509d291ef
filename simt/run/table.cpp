#include "simt/run/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>

namespace simt::run {

bool Table::is_empty(std::size_t column) const {
  return columns_[column].kind == Column::kNumber &&
         std::all_of(rows_.begin(), rows_.end(), [&](const std::vector<std::string>& row) {
           return row[column].find_first_not_of("0.") == std::string::npos;
         });
}

std::size_t Table::width(std::size_t column) const {
  std::size_t width = std::max(columns_[column].upper.size(), columns_[column].lower.size());
  for (const auto& row : rows_)
    width = std::max(width, row[column].size());
  return width;
}

void Table::print(std::ostream& out) const {
  std::vector<std::vector<std::string>> lines(2);
  for (const Head& head : columns_) {
    lines[0].push_back(head.upper);
    lines[1].push_back(head.lower);
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  struct Shown {
    std::size_t column;
    std::size_t width;
  };
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!is_empty(i)) shown.push_back({i, width(i)});
  for (const auto& line : lines) {
    std::string text;
    for (const auto [i, width] : shown) {
      const bool is_number = columns_[i].kind == Column::kNumber;
      text += is_number ? fmt::format("  {:>{}}", line[i], width)
                        : fmt::format("  {:<{}}", line[i], width);
    }
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace simt::run

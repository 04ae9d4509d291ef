/// \file
/// Tables in a terminal, readable without colour.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace worklog {

/// Prints a row as soon as it is known, in columns of given widths.
class Table {
 public:
  /// How a column is laid out.
  struct Column {
    std::string title;       ///< in the header
    int width;               ///< characters; text to the left, numbers to the right
    bool is_number = false;  ///< aligned to the right
  };

  /// Prints to `out`, which must outlive the table.
  Table(std::ostream& out, std::vector<Column> columns);

  /// The titles, and a line below them.
  void print_header() const;
  /// One cell a column. A cell that is too long pushes the rest of its row to the right.
  void print_row(const std::vector<std::string>& cells) const;

 private:
  std::ostream& out_;
  std::vector<Column> columns_;
};

}  // namespace worklog

/// \file
/// A table for people to read.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace simt::run {

/// Rows of cells, printed as wide as their widest cell.
class Table {
 public:
  /// A column of numbers of which all are 0 is left out.
  enum class Column {
    kText,    ///< to the left
    kNumber,  ///< to the right
  };
  /// Its title has two lines; the upper one may be empty.
  void add_column(std::string upper, std::string lower, Column kind) {
    columns_.push_back({std::move(upper), std::move(lower), kind});
  }
  /// One cell for each column.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The whole table, two spaces between columns.
  void print(std::ostream& out) const;

 private:
  struct Head {
    std::string upper;
    std::string lower;
    Column kind;
  };
  bool is_empty(std::size_t column) const;
  std::size_t width(std::size_t column) const;

  std::vector<Head> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace simt::run

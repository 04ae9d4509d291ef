// How tables are laid out.
#include "simt/run/table.h"

#include <doctest/doctest.h>
#include <sstream>

namespace {

using simt::run::Table;

std::string printed(const Table& table) {
  std::ostringstream out;
  table.print(out);
  return out.str();
}

}  // namespace

TEST_SUITE_BEGIN("table");

TEST_CASE("columns are as wide as their widest cell; text lies to the left, numbers to the right") {
  Table table;
  table.add_column("", "line", Table::Column::kText);
  table.add_column("global", "loads", Table::Column::kNumber);
  table.add_column("", "sectors", Table::Column::kNumber);
  table.add_row({"a.cu:3", "512", "4.00"});
  table.add_row({"long.cu:12", "1", "31.25"});
  CHECK(printed(table) ==
        "              global\n"
        "  line         loads  sectors\n"
        "  a.cu:3         512     4.00\n"
        "  long.cu:12       1    31.25\n");
}

TEST_CASE("a column of numbers that are all 0 is left out, one of text is not") {
  Table table;
  table.add_column("", "kernel", Table::Column::kText);
  table.add_column("", "votes", Table::Column::kNumber);
  table.add_column("", "conflicts", Table::Column::kNumber);
  table.add_column("", "barriers", Table::Column::kNumber);
  table.add_row({"0", "0", "0.00", "0"});
  table.add_row({"0", "0", "0.00", "10"});
  CHECK(printed(table) ==
        "\n"
        "  kernel  barriers\n"
        "  0              0\n"
        "  0             10\n");
}

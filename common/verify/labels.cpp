#include "common/verify/labels.h"

namespace worklog {

std::int64_t label_of(std::int64_t row, std::int64_t cols) {
  if (cols == 0) return -1;
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // spreads neighbouring rows
  const std::uint64_t spread = static_cast<std::uint64_t>(row) * kGoldenRatio >> 16;
  return static_cast<std::int64_t>(spread % static_cast<std::uint64_t>(cols));
}

std::vector<std::int64_t> labels_of(std::int64_t rows, std::int64_t cols) {
  std::vector<std::int64_t> labels(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    labels[static_cast<std::size_t>(row)] = label_of(row, cols);
  return labels;
}

}  // namespace worklog

#include "common/ranks/rank_case.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace worklog {

namespace {

// What `text` names among `all`, of which `name` tells the names.
template <typename Kind, std::size_t count>
Kind from_name(const char* what, std::string_view text, const Kind (&all)[count]) {
  std::string choices;
  for (const Kind kind : all) {
    if (text == name_of(kind)) return kind;
    choices += (choices.empty() ? "" : ", ") + std::string(name_of(kind));
  }
  throw std::invalid_argument(std::string(what) + " '" + std::string(text) + "': must be one of " +
                              choices);
}

std::vector<std::int64_t> even(std::int64_t cols, std::int64_t ranks) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(ranks), cols / ranks);
  for (std::int64_t i = 0; i < cols % ranks; ++i)
    ++columns[static_cast<std::size_t>(i)];
  return columns;
}

}  // namespace

std::string_view name_of(Split split) {
  constexpr std::string_view kNames[] = {"even", "uneven", "one", "none", "all"};
  return kNames[static_cast<int>(split)];
}

Split split_from_name(std::string_view text) {
  return from_name("split", text, kAllSplits);
}

std::string_view name_of(SliceResult result) {
  constexpr std::string_view kNames[] = {"softmax", "log_softmax", "cross_entropy"};
  return kNames[static_cast<int>(result)];
}

SliceResult result_from_name(std::string_view text) {
  constexpr SliceResult kAll[] = {SliceResult::kSoftmax, SliceResult::kLogSoftmax,
                                  SliceResult::kCrossEntropy};
  return from_name("result", text, kAll);
}

std::vector<std::int64_t> columns_of(Split split, std::int64_t cols, int ranks) {
  if (ranks == 1 || split == Split::kEven) return even(cols, ranks);
  std::vector<std::int64_t> columns;
  switch (split) {
    case Split::kEven:
      break;
    case Split::kUneven: {
      std::int64_t left = cols;
      for (int rank = ranks - 1; rank > 0; --rank) {
        columns.insert(columns.begin(), (left + 1) / 2);
        left -= (left + 1) / 2;
      }
      columns.insert(columns.begin(), left);
      break;
    }
    case Split::kOne: {
      const std::int64_t one = std::min<std::int64_t>(cols, 1);
      columns = even(cols - one, ranks - 1);
      columns.push_back(one);
      break;
    }
    case Split::kNone:
      columns = even(cols, ranks - 1);
      columns.insert(columns.begin(), 0);
      break;
    case Split::kAll:
      columns.assign(static_cast<std::size_t>(ranks), 0);
      columns.back() = cols;
      break;
  }
  return columns;
}

SliceShape RankCase::shape(int ranks) const {
  const std::vector<std::int64_t> columns = columns_of(split, cols, ranks);
  const std::int64_t widest = *std::max_element(columns.begin(), columns.end());
  return {result, rows, widest, ranks, size_of(dtype), block_size};
}

RowSource RankCase::logits() const {
  RowSource rows_of_input = make_rows(input, dtype, rows, cols);
  const float limit = step->info.largest_logit;
  if (std::isinf(limit) || !in_domain) return rows_of_input;
  return [rows_of_input, limit](std::int64_t row, std::span<float> logits) {
    rows_of_input(row, logits);
    for (float& x : logits)
      x = std::isnan(x) ? limit : std::clamp(x, -limit, limit);
  };
}

}  // namespace worklog

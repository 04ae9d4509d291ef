/// \file
/// A problem of many ranks, as all of them know it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/ranks/rank_step.h"
#include "common/verify/inputs.h"

namespace worklog {

/// How the columns of a row are split.
enum class Split {
  kEven,    ///< alike; the first slices have a column more where that does not come out even
  kUneven,  ///< each slice twice as wide as the one before
  kOne,     ///< the last slice has one column
  kNone,    ///< the first slice has none
  kAll,     ///< the last slice has all of them
};

/// in the order in which `--help` names them
inline constexpr Split kAllSplits[] = {Split::kEven, Split::kUneven, Split::kOne, Split::kNone,
                                       Split::kAll};

/// "even", "uneven", "one", "none" or "all".
std::string_view name_of(Split split);
/// The inverse. Throws std::invalid_argument that names `text` and the choices.
Split split_from_name(std::string_view text);

/// "softmax", "log_softmax" or "cross_entropy".
std::string_view name_of(SliceResult result);
/// Likewise.
SliceResult result_from_name(std::string_view text);

/// The columns of each slice of `cols`, which add up to `cols`.
std::vector<std::int64_t> columns_of(Split split, std::int64_t cols, int ranks);

/// A line of the program's table.
struct RankCase {
  const RankStep* step = nullptr;              ///< the step or variant
  SliceResult result = SliceResult::kSoftmax;  ///< what it shall compute
  DType dtype = DType::kFloat32;               ///< of logits and results
  std::int64_t rows = 0;                       ///< of all slices
  std::int64_t cols = 0;                       ///< of the joined row
  Split split = Split::kEven;                  ///< of the columns
  Input input = Input::kRandom;                ///< what the logits are
  int block_size = 0;                          ///< 0: the step's own choice
  bool in_domain = true;  ///< logits stay within what a variant says that it takes

  /// For so many ranks.
  SliceShape shape(int ranks) const;
  /// Rows of the input, for a variant with a limit within that.
  RowSource logits() const;
};

}  // namespace worklog

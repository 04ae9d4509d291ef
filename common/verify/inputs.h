/// \file
/// The inputs that steps are verified on, by name. All are deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "common/step/dtype.h"

namespace worklog {

/// What the logits of a case are.
enum class Input {
  kRandom,     ///< bell-shaped logits of deviation 1; every other row has outliers planted, 10 off
  kWide,       ///< the same with deviations of 3, 10 and 30
  kDominant,   ///< one logit is 30 above the others
  kEqual,      ///< a row's logits are all the same
  kLargest,    ///< near the largest finite numbers of the type, of both signs
  kMasked,     ///< random, with -inf in between, at the end, or everywhere but in one column
  kSubnormal,  ///< logits among the type's smallest numbers: the probabilities are all alike
  kTies,       ///< few distinct logits, so that many columns tie
  kSpecial,    ///< rows with NaN or +inf first, in the middle and last, and rows of -inf only
  kAttention,  ///< attention scores of a language model: see common/verify/data/README.md
  kSearch,     ///< similarities of questions with entries of Python's library: likewise
};

/// in the order in which `--help` names them
inline constexpr Input kAllInputs[] = {
    Input::kRandom,  Input::kWide,      Input::kDominant,  Input::kEqual,
    Input::kLargest, Input::kMasked,    Input::kSubnormal, Input::kTies,
    Input::kSpecial, Input::kAttention, Input::kSearch,
};

/// Whether the input is recorded, so that it has one shape only.
constexpr bool is_real(Input input) {
  return input == Input::kAttention || input == Input::kSearch;
}

/// "random", "dominant", and so on.
std::string_view name_of(Input input);

/// The inverse of name_of. Throws std::invalid_argument that names `text` and the choices.
Input input_from_name(std::string_view text);

/// Writes row `row` of an input, in fp32. Called from several threads at once.
using RowSource = std::function<void(std::int64_t row, std::span<float> logits)>;

/// The rows of `input`, `cols` wide. A row depends on nothing but input, type, seed, its number and
/// its width.
///
/// Throws std::invalid_argument when rows x cols is not within a real input's shape (rows may be
/// fewer), std::runtime_error when its file cannot be read.
RowSource make_rows(Input input, DType dtype, std::int64_t rows, std::int64_t cols,
                    std::uint64_t seed = 0);

/// The gradients of a loss by what the forward pass makes of `input`, for a backward step: finite
/// but for kSpecial, of which every other row has NaN or an infinity in it, and the rows between
/// have it among their logits alone. They are all the same in a row of kEqual, subnormal for
/// kSubnormal, up to a quarter of the largest finite number for kLargest, few distinct ones for
/// kTies, and bell-shaped for the others.
RowSource make_gradients(Input input, DType dtype, std::uint64_t seed = 0);

/// The softmax of each row of `logits`, or its logarithm: what a forward pass gives a backward
/// step, before it is rounded to the storage type.
RowSource softmax_of(RowSource logits);
/// Likewise.
RowSource log_softmax_of(RowSource logits);

}  // namespace worklog

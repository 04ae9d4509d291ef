/// \file
/// Which values the logits of a measurement have.
#pragma once

#include <string_view>

namespace worklog::bench {

/// Softmax takes as long whatever the values are, a top-k does not.
enum class Values {
  kNormal,      ///< normally distributed, of mean 0 and standard deviation 3
  kAscending,   ///< none smaller than the one before it in its row; in fp32 each is larger
  kDescending,  ///< none larger
  kEqual,       ///< one value
  kTwo,         ///< two values, at random
  kAdjacent,    ///< three values, an ulp of the type from each other, at random
  kFewFinite,   ///< -inf, but about k columns of each row, at random
};

/// All but kNormal: what may be hard for a top-k.
inline constexpr Values kHardValues[] = {Values::kAscending, Values::kDescending,
                                         Values::kEqual,     Values::kTwo,
                                         Values::kAdjacent,  Values::kFewFinite};

/// "normal", "ascending", "descending", "equal", "two_values", "adjacent" or "few_finite".
constexpr std::string_view name_of(Values values) {
  switch (values) {
    case Values::kNormal:
      return "normal";
    case Values::kAscending:
      return "ascending";
    case Values::kDescending:
      return "descending";
    case Values::kEqual:
      return "equal";
    case Values::kTwo:
      return "two_values";
    case Values::kAdjacent:
      return "adjacent";
    case Values::kFewFinite:
      return "few_finite";
  }
  return "";
}

}  // namespace worklog::bench

/// \file
/// What the tokenizer does not see: which branches of conditionals are compiled, what a function's
/// body is, and whether the host or the device runs it.
#pragma once

#include <cstddef>
#include <vector>

#include "simt/translate/token.h"

namespace simt::translate {

/// Leaves out the tokens of branches that are compiled neither for the host nor for the device:
/// those of `#if 0` and of conditions on SIMT_EXECUTOR that do not hold, and their `#else`. The
/// directives themselves stay.
Tokens without_dead_branches(const Tokens& tokens);

/// Leaves out what is compiled for none of the sides that mark_functions() has found for it.
Tokens without_branches_of_other_side(const Tokens& tokens);

/// A range of tokens that is compiled for other sides than what lies around it.
struct SidedRange {
  std::size_t begin;        ///< the first token
  std::size_t end;          ///< behind the last
  bool for_host;            ///< whether the host runs it
  bool for_device;          ///< whether the device does
  bool has_conditional;     ///< in it, as far as it lies in no other such range
  bool asks_architecture;   ///< the same of `__CUDA_ARCH__`
  bool is_function = true;  ///< or else conditionals outside functions
};

/// Sets what Token says of functions and of sides. Returns the bodies, without their braces, and
/// what else `__CUDA_ARCH__` decides about, in their order.
std::vector<SidedRange> mark_functions(Tokens& tokens);

}  // namespace simt::translate

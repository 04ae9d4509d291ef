/// \file
/// What the conditions of `#if` and its kind come to, as far as the translator can tell.
#pragma once

#include <cstddef>
#include <optional>

#include "simt/translate/token.h"

namespace simt::translate {

/// What `__CUDA_ARCH__` is in device code: that of compute capability 9.0. In host code it is not
/// defined.
inline constexpr int kArchitecture = 900;

/// Whether the condition words[begin..] of an `#if` holds in code of that side, where it hangs on
/// nothing but SIMT_EXECUTOR, which is defined, and `__CUDA_ARCH__`.
std::optional<bool> condition_holds(const Tokens& words, std::size_t begin, Side side);

/// Whether such a macro is defined; nothing for any other.
std::optional<bool> is_defined(const Token& name, Side side);

}  // namespace simt::translate

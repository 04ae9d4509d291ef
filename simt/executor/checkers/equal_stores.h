/// \file
/// What is said of stores that race with each other and store the same.
#pragma once

namespace simt {

/// Follows the words that say where they are.
inline constexpr char kStoreTheSame[] =
    "; they store the same value, so the result is right, but C++ and CUDA's memory model call it"
    " a race all the same";

}  // namespace simt

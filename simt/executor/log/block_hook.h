/// \file
/// What compiled device code calls at the beginning of each basic block.
#pragma once

#include <cstdint>

namespace simt {

/// The address of that function (hooks.cpp).
std::uintptr_t block_hook();

}  // namespace simt

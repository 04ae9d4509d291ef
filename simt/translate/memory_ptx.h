/// \file
/// Loads and stores that inline PTX makes: those by which blocks and devices tell each other of
/// their data, and plain ones with advice to the caches.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "simt/translate/ptx_text.h"

namespace simt::translate {

/// The call of cuda_standin/ptx.h that an `asm` with this instruction and these operands is, if it
/// is one load or store of global memory, `ld` or `st`: of up to 8 bytes, with `.relaxed`,
/// `.acquire` or
/// `.release` and a scope, or `.volatile`; or a plain one, of up to 16 bytes in one, two or four
/// registers, with or without a cache operator, an eviction priority and a prefetch size. A plain
/// store has to say that it overwrites memory.
std::optional<std::string> call_of_memory_access(std::string_view instruction,
                                                 const Operands& operands);

}  // namespace simt::translate

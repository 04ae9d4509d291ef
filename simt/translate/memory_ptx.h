/// \file
/// Loads and stores that inline PTX makes because C++ had no words for them: by which blocks and
/// devices tell each other of their data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "simt/translate/token.h"

namespace simt::translate {

/// The call of cuda_standin/ptx.h that an `asm` with its `(` at `open` and its `)` at `close` is,
/// if it is one load or store of up to 8 bytes: `ld` or `st`, `.relaxed`, `.acquire` or `.release`
/// with a scope, or `.volatile`; of global memory.
std::optional<std::string> call_of_memory_access(const Tokens& code, std::size_t open,
                                                 std::size_t close);

}  // namespace simt::translate

/// \file
/// The copies without hooks that a program's functions may have, for launches that run plain
/// (run/plain_copies.h of `simt run` makes them).
#pragma once

#include <cstdint>

namespace simt {

/// The copy of a function, or the function where it has none.
std::uintptr_t plain_copy_of(std::uintptr_t function);

/// Whether an address lies in the code of copies.
bool is_in_plain_copy(std::uintptr_t code_address);

}  // namespace simt

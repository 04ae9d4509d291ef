/// \file
/// Accesses that a function of the stand-in headers makes for whoever called it, such as atomic
/// operations: their place is the line of the call, which gets a number to go by.
#pragma once

#include <cstdint>

#include "simt/executor/executor.h"

namespace simt {

/// Smaller than any address of code, and than kMostNamedLines. The same for every call from this
/// line.
std::uintptr_t number_of_line(const Location& where);

/// The line with this number; null if it is none, but an address of code.
const Location* line_with_number(std::uintptr_t number);

}  // namespace simt

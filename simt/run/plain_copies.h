/// \file
/// Gives a program's functions second bodies, for launches that run plain (executor/counters.h):
/// without the calls by which the executor counts and checks.
#pragma once

#include <string>

namespace simt::run {

/// Assembly of g++ for x86-64 and ELF, instrumented, and behind each of its functions F a copy
/// F.plain that calls the hooks of loads, stores and basic blocks no more, and of the file's
/// functions the copies. All else is one: variables, constants and addresses of functions. A table
/// in the section `simt_plain_copies` tells the executor of them (executor/fibers/plain_code.cpp).
///
/// The hooks of volatile and atomic accesses stay: a loop that waits for another thread gives way
/// in them.
std::string with_plain_copies(const std::string& assembly);

}  // namespace simt::run

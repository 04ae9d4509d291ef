/// \file
/// From an address in the code to a line of the source.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace simt {

/// "softmax.cu:42" for the instruction before this return address: the innermost inlined line
/// outside the stand-in headers. Asks addr2line (binutils) once per address; without it, the answer
/// names the object and offset.
std::string source_line(std::uintptr_t return_address);

/// Asks for many at once, so that source_line() knows them: addr2line reads all debug information
/// before the first answer, which takes longer than hundreds of answers.
void look_up_source_lines(const std::set<std::uintptr_t>& return_addresses);

/// "softmax.cu:42"
std::string source_line(const char* file, int line);

}  // namespace simt

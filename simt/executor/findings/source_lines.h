/// \file
/// From an address in the code to a line of the source.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace simt {

/// "softmax.cu:42" for the instruction before this return address: the innermost inlined line
/// outside the stand-in headers. Asks addr2line (binutils) once per address; without it, the answer
/// names the object and offset. An address that stands for the frames of a library's call has the
/// line of the first that is the program's (library_calls.h).
std::string source_line(std::uintptr_t return_address);

/// Whether that line is one of the program's, and not of a header of others.
bool is_in_program(std::uintptr_t return_address);

/// Asks for many at once, so that source_line() knows them: addr2line reads all debug information
/// before the first answer, which takes longer than hundreds of answers.
void look_up_source_lines(const std::set<std::uintptr_t>& return_addresses);

/// The lines of the instruction before this return address, from the function that has it to the
/// one that it was inlined into last: a text to compare, equal where a compiler has made several
/// instructions of one call. Asks addr2line once per address.
std::string source_calls(std::uintptr_t return_address);

/// "softmax.cu:42"
std::string source_line(const char* file, int line);

}  // namespace simt

/// \file
/// What a compiler says of a program, read for names that CUDA has and the executor has not.
#pragma once

#include <string>
#include <vector>

namespace simt::run {

/// Of the errors about names that the compiler does not know: those that must be CUDA's, each once,
/// as "file:line: error: 'name': not available on the CPU executor (part)". Where the name may be a
/// misspelt one, "; did you mean 'other'?" follows if the compiler has an idea.
std::vector<std::string> names_without_stand_in(const std::string& messages);

/// Whether all that a linker misses is main().
bool lacks_only_main(const std::string& messages);

}  // namespace simt::run

/// \file
/// From where the program has called functions of libraries that are compiled with it. Such a
/// function may have called others, so that the line of the program is several frames away: all of
/// them are kept, and looked through only if somebody asks for the line.
#pragma once

#include <cstdint>
#include <vector>

namespace simt {

/// Whether a code address is none, but stands for the frames of a library's call.
constexpr bool stands_for_frames(std::uintptr_t code_address) {
  return code_address >> (8 * sizeof(std::uintptr_t) - 1) != 0;
}

/// The frames that such an address stands for: where each goes on, the innermost first.
const std::vector<std::uintptr_t>& frames_of(std::uintptr_t code_address);

}  // namespace simt

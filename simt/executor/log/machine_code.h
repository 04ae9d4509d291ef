/// \file
/// Reads the machine code of compiled device functions: which basic block may follow which.
#pragma once

#include <cstdint>

#include "simt/executor/log/code_flow.h"

namespace simt {

/// Whether it can: of x86-64, and with Zydis.
extern const bool reads_machine_code;

/// The blocks that may follow the one that begins at this address of the code, and so on, up to the
/// function's returns. A block begins behind its call of __sanitizer_cov_trace_pc, whose return
/// address names it. Empty where machine code cannot be read.
CodeFlow read_code(std::uintptr_t first_block);

/// How many libraries the program has unloaded: others may lie where they did. 0 where machine code
/// cannot be read.
std::uint64_t objects_unloaded();

}  // namespace simt

/// \file
/// The functions whose code was read, once for all workers.
#pragma once

#include <cstdint>
#include <memory>

#include "simt/executor/log/code_flow.h"

namespace simt {

/// What read_code() tells of the function from this block on, as it lies in memory now: of code
/// that was unloaded meanwhile nothing is kept.
std::shared_ptr<const CodeFlow> shared_code(std::uintptr_t first_block);

}  // namespace simt

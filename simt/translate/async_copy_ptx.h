/// \file
/// Inline PTX that copies from global to shared memory asynchronously (`cp.async`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simt/translate/ptx_text.h"

namespace simt::translate {

/// The call of the executor that an `asm` with this instruction and these operands is, if it is one
/// of `cp.async.ca` and `cp.async.cg` of 4, 8 or 16 bytes, with or without the bytes that are read
/// and a prefetch size; or `cp.async.commit_group`, `cp.async.wait_group` or `cp.async.wait_all`.
std::optional<std::string> call_of_async_copy(std::string_view instruction,
                                              const Operands& operands);

}  // namespace simt::translate

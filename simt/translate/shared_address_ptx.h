/// \file
/// Inline PTX that asks where in shared memory a pointer leads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simt/translate/ptx_text.h"

namespace simt::translate {

/// What an `asm` of that text assigns: `cvta.to.shared.u64 %0, %1`, or the block in braces, known
/// from many programs, that makes 32 bits of that:
/// `{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }`.
std::optional<std::string> assignment_of_shared_address(std::string_view text,
                                                        const Operands& operands);

}  // namespace simt::translate

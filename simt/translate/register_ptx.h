/// \file
/// Special registers that inline PTX reads, such as the lane's number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simt/translate/ptx_text.h"

namespace simt::translate {

/// What an `asm` with this instruction and these operands assigns, if it is one `mov` of a special
/// register that cuda_standin/ptx.h has as a function.
std::optional<std::string> assignment_of_register(std::string_view instruction,
                                                  const Operands& operands);

}  // namespace simt::translate

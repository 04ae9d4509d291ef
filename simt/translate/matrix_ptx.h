/// \file
/// Instructions of PTX by which a warp loads matrices into its registers and multiplies them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simt/translate/ptx_text.h"

namespace simt::translate {

/// The call of cuda_standin/ptx.h that an `asm` with this instruction and these operands is, if it
/// is one `mma.sync` or `ldmatrix.sync` of those that docs/tensor_cores.md names, or the
/// `cvt.rna.tf32.f32` that goes with them.
std::optional<std::string> call_of_matrix_instruction(std::string_view instruction,
                                                      const Operands& operands);

/// Why an instruction of this kind is refused: "wgmma works on matrices in shared memory", say;
/// empty of any other.
std::string_view why_matrix_instruction_is_refused(std::string_view instruction);

}  // namespace simt::translate

/// \file
/// What an operator of NCCL's makes of the ranks' elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simt/include/nccl.h"

namespace simt::nccl {

/// The elements of all ranks, in the order of the ranks, become one each, whichever rank asks. As
/// in NCCL's kernels, each step rounds to the type; ncclAvg multiplies floating-point elements by
/// one over their number, of the type as well, before they are added, and divides an integer sum.
/// (src/device/reduce_kernel.h of NCCL: FuncPreMulSum, FuncSumPostDiv, FuncMinMax)
std::vector<std::byte> reduce(const std::vector<std::span<const std::byte>>& ranks,
                              ncclDataType_t type, ncclRedOp_t op);

}  // namespace simt::nccl

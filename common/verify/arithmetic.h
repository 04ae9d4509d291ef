/// \file
/// What the kernels compute in, whatever type they store.
#pragma once

#include "common/verify/floating_format.h"

namespace worklog {

/// fp32.
inline constexpr FloatingFormat kArithmetic = format_of(DType::kFloat32);

/// The largest relative error of one of its operations.
inline constexpr double kU = unit_roundoff(kArithmetic);

}  // namespace worklog

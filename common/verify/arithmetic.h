/// \file
/// What the kernels compute in, whatever type they store.
#pragma once

#include "common/verify/floating_format.h"

namespace worklog {

inline constexpr FloatingFormat kArithmetic = format_of(DType::kFloat32);
inline constexpr double kU = unit_roundoff(kArithmetic);  ///< the relative error of an operation

}  // namespace worklog

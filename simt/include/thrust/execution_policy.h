/// \file
/// Comes before Thrust's own header of this name, which needs to know the device's policies.
#pragma once

// clang-format off
#include <thrust/system/cuda/execution_policy.h>
#include_next <thrust/execution_policy.h>
// clang-format on

/// \file
/// Comes before Thrust's own header of this name, which needs to know the device's vectors.
#pragma once

// clang-format off
#include <thrust/system/cuda/vector.h>
#include_next <thrust/universal_vector.h>
// clang-format on

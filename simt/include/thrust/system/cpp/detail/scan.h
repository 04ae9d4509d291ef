/// \file
/// Comes before Thrust's own header of this name. Where it compiles for a GPU, its algorithms bring
/// thrust::system_error along, and programs take that for granted.
#pragma once

// clang-format off
#include_next <thrust/system/cpp/detail/scan.h>
#include <thrust/system_error.h>
// clang-format on

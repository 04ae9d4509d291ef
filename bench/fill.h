/// \file
/// Logits made on the device: gigabytes of them would take a host longer than the bench runs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "bench/values.h"

namespace worklog::bench {

/// Fills `logits` (device memory, `count` elements) with normally distributed numbers of mean 0
/// and standard deviation 3; the same ones each time.
template <typename T>
void fill_with_logits(T* logits, std::int64_t count, cudaStream_t stream);

/// Fills rows x cols of them with such values; the same ones each time. `k` is for
/// Values::kFewFinite. In a half type neighbours of a sorted row may be equal.
template <typename T>
void fill_with_logits(T* logits, std::int64_t rows, std::int64_t cols, int k, Values values,
                      cudaStream_t stream);

}  // namespace worklog::bench

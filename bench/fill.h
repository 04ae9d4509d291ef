/// \file
/// Logits made on the device: gigabytes of them would take a host longer than the bench runs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace worklog::bench {

/// Fills `values` (device memory, `count` elements) with normally distributed numbers of mean 0
/// and standard deviation 3; the same ones each time.
template <typename T>
void fill_with_logits(T* values, std::int64_t count, cudaStream_t stream);

}  // namespace worklog::bench

/// \file
/// Where a generator's numbers go.
#pragma once

#include <cstddef>

#include "simt/curand/generator.h"

namespace simt::curand_host {

/// Throws a Failure unless a generator's numbers may go there.
void check_output(const curandGenerator_st& generator, const void* output);

/// Puts them there, on behalf of `function`; throws a Failure where memory is not large enough.
void write_output(const curandGenerator_st& generator, void* output, const void* numbers,
                  std::size_t bytes, const char* function);

}  // namespace simt::curand_host

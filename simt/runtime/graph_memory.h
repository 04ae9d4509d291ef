/// \file
/// Memory that nodes of graphs allocate and free. Its addresses are known when the node is made,
/// and stay the same at each launch.
#pragma once

#include <cstddef>

#include "simt/include/cuda_standin/graphs.h"

namespace simt {

/// The work of a node that allocates, and the address that it will have; a CUDA error code.
cudaError_t allocating_work(StreamWork& work, std::size_t bytes, std::size_t element_bytes,
                            int device);
/// The work of a node that frees what another one allocates; cudaErrorInvalidValue of any other
/// address.
cudaError_t freeing_work(StreamWork& work, void* address);

/// Whoever frees memory of a graph: it is nobody's now.
void note_freed_to_graphs(const void* address);

}  // namespace simt

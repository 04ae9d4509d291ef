// The storage behind thread_index.h. That header is not included: it shows these objects as const
// to kernels, while the executor writes them through writable_thread_index.h.

#include "simt/executor/writable_thread_index.h"

namespace simt {

constinit thread_local Index3 threadIdx = {};
constinit thread_local Index3 blockIdx = {};
constinit thread_local Index3 blockDim = {};
constinit thread_local Index3 gridDim = {};

}  // namespace simt

#include "common/cuda/context.h"

#include <cuda_runtime.h>

#if !defined(SIMT_EXECUTOR) && CUDART_VERSION >= 12050
#include <cudaTypedefs.h>
#endif

namespace worklog {

#if !defined(SIMT_EXECUTOR) && CUDART_VERSION >= 12050

namespace {

// The driver's own function: the runtime has none for it.
PFN_cuCtxGetId_v12000 driver_function() {
  constexpr unsigned kSince = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion("cuCtxGetId", &function, kSince, cudaEnableDefault, &found);
  if (code == cudaSuccess && found == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<PFN_cuCtxGetId_v12000>(function);
  }
  cudaGetLastError();  // not sticky: leave nothing for the next check
  return nullptr;
}

}  // namespace

std::optional<std::uint64_t> current_context() {
  static const PFN_cuCtxGetId_v12000 id_of = driver_function();
  unsigned long long id = 0;
  if (id_of == nullptr || id_of(nullptr, &id) != CUDA_SUCCESS) return std::nullopt;
  return id;
}

#else

std::optional<std::uint64_t> current_context() {
  return std::nullopt;
}

#endif

}  // namespace worklog

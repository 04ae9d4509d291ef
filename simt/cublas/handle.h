/// \file
/// What a program has made by cublasCreate().
#pragma once

#include "simt/cublas/failure.h"

/// A handle of cuBLAS's is the address of one of these.
struct cublasContext {
  int device;                     ///< that was current when it was made
  cudaStream_t stream = nullptr;  ///< of its calls
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;    ///< where scalars are
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;  ///< kept, and of no effect
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;                   ///< the same
};

namespace simt::cublas {

/// Makes one, and its handle.
cublasHandle_t create_context();
/// The context of a handle; throws a Failure where there is none, or no longer.
cublasContext& find_context(cublasHandle_t handle);
/// Its end.
void destroy_context(cublasHandle_t handle);

}  // namespace simt::cublas

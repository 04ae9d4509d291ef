/// \file
/// Stands in for cuBLAS: simt/docs/cublas.md says what of it works, and what is refused.
#pragma once

#define CUBLAS_API_H_  ///< by which other headers know that this one is there

#ifdef SIMT_WITHOUT_OPENBLAS
#error "cuBLAS: not available, because simt was built without OpenBLAS (Debian: libopenblas-dev)"
#endif

#include <cstdint>

#include "simt/include/cuComplex.h"
#include "simt/include/cuda_bf16.h"
#include "simt/include/cuda_fp16.h"
#include "simt/include/cuda_runtime.h"
#include "simt/include/library_types.h"

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

/// How a call ended.
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,  ///< no handle
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,  ///< an argument that cannot be
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,     ///< a copy between host and device failed
  CUBLAS_STATUS_EXECUTION_FAILED = 13,  ///< the device cannot read or write there
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,  ///< what cuBLAS or this stand-in lacks
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};

/// Which triangle of a matrix is there.
enum cublasFillMode_t {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2
};
/// Whether a triangle's diagonal is all ones, and never read.
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
/// On which side of another matrix one stands.
enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
/// What is done to a matrix before it is used.
enum cublasOperation_t {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3,
};
/// Where scalars are.
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
/// Whether kernels may add in any order.
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 };
/// Which way to multiply: here all of them are one.
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO4 = 4,
  CUBLAS_GEMM_ALGO5 = 5,
  CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7,
  CUBLAS_GEMM_ALGO8 = 8,
  CUBLAS_GEMM_ALGO9 = 9,
  CUBLAS_GEMM_ALGO10 = 10,
  CUBLAS_GEMM_ALGO11 = 11,
  CUBLAS_GEMM_ALGO12 = 12,
  CUBLAS_GEMM_ALGO13 = 13,
  CUBLAS_GEMM_ALGO14 = 14,
  CUBLAS_GEMM_ALGO15 = 15,
  CUBLAS_GEMM_ALGO16 = 16,
  CUBLAS_GEMM_ALGO17 = 17,
  CUBLAS_GEMM_ALGO18 = 18,
  CUBLAS_GEMM_ALGO19 = 19,
  CUBLAS_GEMM_ALGO20 = 20,
  CUBLAS_GEMM_ALGO21 = 21,
  CUBLAS_GEMM_ALGO22 = 22,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
  CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
  CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
  CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
  CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
  CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
  CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
  CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
  CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
  CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
  CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
  CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
  CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
  CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
};
/// How exact products must be: here as exact as their types.
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
/// As what products are computed.
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
};
using cublasDataType_t = cudaDataType;

using cublasHandle_t = struct cublasContext*;

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
std::size_t cublasGetCudartVersion();
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes);

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device_y,
                               int incy);
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device_x, int incx, void* y,
                               int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* a, int lda,
                               void* device_b, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device_a,
                               int lda, void* b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* x, int incx,
                                    void* device_y, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* device_x, int incx,
                                    void* y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* a,
                                    int lda, void* device_b, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* device_a,
                                    int lda, void* b, int ldb, cudaStream_t stream);

/// The functions of all types: `X` and `x` are the letter in their names.
#define SIMT_CUBLAS_OF(X, x, T)                                                                   \
  cublasStatus_t cublasI##x##amax(cublasHandle_t handle, int n, const T* v, int incx,             \
                                  int* result);                                                   \
  cublasStatus_t cublasI##x##amin(cublasHandle_t handle, int n, const T* v, int incx,             \
                                  int* result);                                                   \
  cublasStatus_t cublas##X##axpy(cublasHandle_t handle, int n, const T* alpha, const T* v,        \
                                 int incx, T* y, int incy);                                       \
  cublasStatus_t cublas##X##copy(cublasHandle_t handle, int n, const T* v, int incx, T* y,        \
                                 int incy);                                                       \
  cublasStatus_t cublas##X##swap(cublasHandle_t handle, int n, T* v, int incx, T* y, int incy);   \
  cublasStatus_t cublas##X##scal(cublasHandle_t handle, int n, const T* alpha, T* v, int incx);   \
  cublasStatus_t cublas##X##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,    \
                                 const T* alpha, const T* a, int lda, const T* v, int incx,       \
                                 const T* beta, T* y, int incy);                                  \
  cublasStatus_t cublas##X##trsv(cublasHandle_t handle, cublasFillMode_t uplo,                    \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,           \
                                 const T* a, int lda, T* v, int incx);                            \
  cublasStatus_t cublas##X##trmv(cublasHandle_t handle, cublasFillMode_t uplo,                    \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,           \
                                 const T* a, int lda, T* v, int incx);                            \
  cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t transa,                 \
                                 cublasOperation_t transb, int m, int n, int k, const T* alpha,   \
                                 const T* a, int lda, const T* b, int ldb, const T* beta, T* c,   \
                                 int ldc);                                                        \
  cublasStatus_t cublas##X##gemmBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,    \
      int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,            \
      const T* beta, T* const c[], int ldc, int batch);                                           \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                   \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,    \
      int k, const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,        \
      long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int batch);           \
  cublasStatus_t cublas##X##symm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a, \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc);     \
  cublasStatus_t cublas##X##syrk(cublasHandle_t handle, cublasFillMode_t uplo,                    \
                                 cublasOperation_t trans, int n, int k, const T* alpha,           \
                                 const T* a, int lda, const T* beta, T* c, int ldc);              \
  cublasStatus_t cublas##X##syr2k(                                                                \
      cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,        \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);    \
  cublasStatus_t cublas##X##trsm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                  \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, \
                                 int lda, T* b, int ldb);                                         \
  cublasStatus_t cublas##X##trmm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                  \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, \
                                 int lda, const T* b, int ldb, T* c, int ldc);                    \
  cublasStatus_t cublas##X##geam(                                                                 \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,    \
      const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc);    \
  cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,      \
                                 const T* a, int lda, const T* v, int incx, T* c, int ldc);       \
  cublasStatus_t cublas##X##trsmBatched(                                                          \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                        \
      cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,               \
      const T* const a[], int lda, T* const b[], int ldb, int batch);                             \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,     \
                                         int* pivots, int* info, int batch);                      \
  cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T* const a[],        \
                                         int lda, const int* pivots, T* const c[], int ldc,       \
                                         int* info, int batch);                                   \
  cublasStatus_t cublas##X##getrsBatched(                                                         \
      cublasHandle_t handle, cublasOperation_t trans, int n, int columns, const T* const a[],     \
      int lda, const int* pivots, T* const b[], int ldb, int* info, int batch);

SIMT_CUBLAS_OF(S, s, float)
SIMT_CUBLAS_OF(D, d, double)
SIMT_CUBLAS_OF(C, c, cuComplex)
SIMT_CUBLAS_OF(Z, z, cuDoubleComplex)
#undef SIMT_CUBLAS_OF

/// Those of real numbers.
#define SIMT_CUBLAS_OF_REAL(X, T)                                                                  \
  cublasStatus_t cublas##X##dot(cublasHandle_t handle, int n, const T* v, int incx, const T* y,    \
                                int incy, T* result);                                              \
  cublasStatus_t cublas##X##rot(cublasHandle_t handle, int n, T* v, int incx, T* y, int incy,      \
                                const T* c, const T* s);                                           \
  cublasStatus_t cublas##X##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* v,   \
                                int incx, const T* y, int incy, T* a, int lda);                    \
  cublasStatus_t cublas##X##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                 const T* alpha, const T* a, int lda, const T* v, int incx,        \
                                 const T* beta, T* y, int incy);                                   \
  cublasStatus_t cublas##X##syr(cublasHandle_t handle, cublasFillMode_t uplo, int n,               \
                                const T* alpha, const T* v, int incx, T* a, int lda);              \
  cublasStatus_t cublas##X##syr2(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                 const T* alpha, const T* v, int incx, const T* y, int incy, T* a, \
                                 int lda);

SIMT_CUBLAS_OF_REAL(S, float)
SIMT_CUBLAS_OF_REAL(D, double)
#undef SIMT_CUBLAS_OF_REAL

/// Those of complex numbers.
#define SIMT_CUBLAS_OF_COMPLEX(X, T)                                                              \
  cublasStatus_t cublas##X##dotu(cublasHandle_t handle, int n, const T* v, int incx, const T* y,  \
                                 int incy, T* result);                                            \
  cublasStatus_t cublas##X##dotc(cublasHandle_t handle, int n, const T* v, int incx, const T* y,  \
                                 int incy, T* result);                                            \
  cublasStatus_t cublas##X##geru(cublasHandle_t handle, int m, int n, const T* alpha, const T* v, \
                                 int incx, const T* y, int incy, T* a, int lda);                  \
  cublasStatus_t cublas##X##gerc(cublasHandle_t handle, int m, int n, const T* alpha, const T* v, \
                                 int incx, const T* y, int incy, T* a, int lda);

SIMT_CUBLAS_OF_COMPLEX(C, cuComplex)
SIMT_CUBLAS_OF_COMPLEX(Z, cuDoubleComplex)
#undef SIMT_CUBLAS_OF_COMPLEX

/// Those with a real result.
#define SIMT_CUBLAS_NORMS(X, T, Real)                                                \
  cublasStatus_t cublas##X##nrm2(cublasHandle_t handle, int n, const T* v, int incx, \
                                 Real* result);                                      \
  cublasStatus_t cublas##X##asum(cublasHandle_t handle, int n, const T* v, int incx, Real* result);

SIMT_CUBLAS_NORMS(S, float, float)
SIMT_CUBLAS_NORMS(D, double, double)
SIMT_CUBLAS_NORMS(Sc, cuComplex, float)
SIMT_CUBLAS_NORMS(Dz, cuDoubleComplex, double)
#undef SIMT_CUBLAS_NORMS

cublasStatus_t cublasCsscal(cublasHandle_t handle, int n, const float* alpha, cuComplex* x,
                            int incx);
cublasStatus_t cublasZdscal(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x,
                            int incx);

// ---- of several types ----

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const __half* alpha, const __half* const a[], int lda,
                                  const __half* const b[], int ldb, const __half* beta,
                                  __half* const c[], int ldc, int batch);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int batch);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c,
                             cudaDataType c_type, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute_type,
                            cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType a_type, int lda,
                                   const void* const b[], cudaDataType b_type, int ldb,
                                   const void* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int batch, cublasComputeType_t compute_type,
                                   cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute_type, cublasGemmAlgo_t algo);

}  // extern "C"

/// The compute type as older programs say it.
inline cublasComputeType_t simt_compute_type(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return CUBLAS_COMPUTE_16F;
    case CUDA_R_64F:
    case CUDA_C_64F:
      return CUBLAS_COMPUTE_64F;
    case CUDA_R_32I:
      return CUBLAS_COMPUTE_32I;
    default:
      return CUBLAS_COMPUTE_32F;
  }
}

// The same calls of such programs.

inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* a, cudaDataType a_type, int lda, const void* b,
                                   cudaDataType b_type, int ldb, const void* beta, void* c,
                                   cudaDataType c_type, int ldc, cudaDataType compute_type,
                                   cublasGemmAlgo_t algo) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                      c, c_type, ldc, simt_compute_type(compute_type), algo);
}

inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType a_type, int lda, long long stride_a,
    const void* b, cudaDataType b_type, int ldb, long long stride_b, const void* beta, void* c,
    cudaDataType c_type, int ldc, long long stride_c, int batch, cudaDataType compute_type,
    cublasGemmAlgo_t algo) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda,
                                    stride_a, b, b_type, ldb, stride_b, beta, c, c_type, ldc,
                                    stride_c, batch, simt_compute_type(compute_type), algo);
}

// Products whose types come as arguments.

#include "simt/cublas/entry.h"
#include "simt/cublas/products.h"

namespace simt::cublas {
namespace {

/// What the matrices of a product are made of, and what it is computed as.
struct Types {
  cudaDataType a;
  cudaDataType b;
  cudaDataType c;
  cublasComputeType_t computed;
};

template <typename T>
struct TypeOf {
  using Type = T;
};

bool computes_as_float(cublasComputeType_t type) {
  switch (type) {
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return true;
    default:
      return false;
  }
}

/// What NVIDIA's library has, and this one does not.
void refuse_integers(const Types& types) {
  const bool of_integers = types.computed == CUBLAS_COMPUTE_32I ||
                           types.computed == CUBLAS_COMPUTE_32I_PEDANTIC || types.a == CUDA_R_8I ||
                           types.a == CUDA_C_8I;
  if (of_integers) throw not_available("products of integers");
}

/// Calls `use` with the types of A and B, of C, and of alpha and beta.
template <typename Use>
void with_types(const Types& types, Use use) {
  const auto are = [&](cudaDataType in, cudaDataType out) {
    return types.a == in && types.b == in && types.c == out;
  };
  using Half = TypeOf<__half>;
  using Bfloat = TypeOf<__nv_bfloat16>;
  using Float = TypeOf<float>;
  using Double = TypeOf<double>;
  using Complex = TypeOf<cuComplex>;
  using DoubleComplex = TypeOf<cuDoubleComplex>;
  refuse_integers(types);
  if (computes_as_float(types.computed)) {
    if (are(CUDA_R_32F, CUDA_R_32F)) return use(Float(), Float(), Float());
    if (are(CUDA_C_32F, CUDA_C_32F)) return use(Complex(), Complex(), Complex());
    if (are(CUDA_R_16F, CUDA_R_16F)) return use(Half(), Half(), Float());
    if (are(CUDA_R_16F, CUDA_R_32F)) return use(Half(), Float(), Float());
    if (are(CUDA_R_16BF, CUDA_R_16BF)) return use(Bfloat(), Bfloat(), Float());
    if (are(CUDA_R_16BF, CUDA_R_32F)) return use(Bfloat(), Float(), Float());
  }
  if (types.computed == CUBLAS_COMPUTE_64F || types.computed == CUBLAS_COMPUTE_64F_PEDANTIC) {
    if (are(CUDA_R_64F, CUDA_R_64F)) return use(Double(), Double(), Double());
    if (are(CUDA_C_64F, CUDA_C_64F)) return use(DoubleComplex(), DoubleComplex(), DoubleComplex());
  }
  if (types.computed == CUBLAS_COMPUTE_16F || types.computed == CUBLAS_COMPUTE_16F_PEDANTIC) {
    if (are(CUDA_R_16F, CUDA_R_16F)) return use(Half(), Half(), Half());
  }
  throw Failure{CUBLAS_STATUS_NOT_SUPPORTED};
}

/// Matrices of any types, at equal distances.
struct AnyStrided {
  const void* first;
  long long stride = 0;

  template <typename T>
  Strided<const T> of() const {
    return {static_cast<const T*>(first), stride};
  }
};

void multiply_typed(Call& call, const Products& of, const Types& types, const void* alpha,
                    AnyStrided a, AnyStrided b, const void* beta, void* c, long long stride_c) {
  with_types(types, [&](auto in, auto out, auto scalar) {
    using In = typename decltype(in)::Type;
    using Out = typename decltype(out)::Type;
    using Scalar = typename decltype(scalar)::Type;
    multiply_strided<In, Out>(call, of, static_cast<const Scalar*>(alpha), a.of<In>(), b.of<In>(),
                              static_cast<const Scalar*>(beta),
                              Strided<Out>{static_cast<Out*>(c), stride_c});
  });
}

void multiply_typed_batch(Call& call, const Products& of, const Types& types, const void* alpha,
                          const void* const* a, const void* const* b, const void* beta,
                          void* const* c) {
  with_types(types, [&](auto in, auto out, auto scalar) {
    using In = typename decltype(in)::Type;
    using Out = typename decltype(out)::Type;
    using Scalar = typename decltype(scalar)::Type;
    multiply_batch<In, Out>(call, of, static_cast<const Scalar*>(alpha),
                            reinterpret_cast<const In* const*>(a),
                            reinterpret_cast<const In* const*>(b), static_cast<const Scalar*>(beta),
                            reinterpret_cast<Out* const*>(c));
  });
}

}  // namespace
}  // namespace simt::cublas

using namespace simt::cublas;

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c,
                             cudaDataType c_type, int ldc)
    SIMT_CUBLAS_CALL(cublasSgemmEx, multiply_typed(call, {transa, transb, m, n, k, lda, ldb, ldc},
                                                   {a_type, b_type, c_type, CUBLAS_COMPUTE_32F},
                                                   alpha, {a}, {b}, beta, c, 0))

        cublasStatus_t
    cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                 int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                 const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                 cudaDataType c_type, int ldc, cublasComputeType_t compute_type,
                 cublasGemmAlgo_t /*algo*/)
        SIMT_CUBLAS_CALL(cublasGemmEx,
                         multiply_typed(call, {transa, transb, m, n, k, lda, ldb, ldc},
                                        {a_type, b_type, c_type, compute_type}, alpha, {a}, {b},
                                        beta, c, 0))

            cublasStatus_t
    cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                        int m, int n, int k, const void* alpha, const void* const a[],
                        cudaDataType a_type, int lda, const void* const b[], cudaDataType b_type,
                        int ldb, const void* beta, void* const c[], cudaDataType c_type, int ldc,
                        int batch, cublasComputeType_t compute_type, cublasGemmAlgo_t /*algo*/)
        SIMT_CUBLAS_CALL(cublasGemmBatchedEx,
                         multiply_typed_batch(call, {transa, transb, m, n, k, lda, ldb, ldc, batch},
                                              {a_type, b_type, c_type, compute_type}, alpha, a, b,
                                              beta, c))

            cublasStatus_t
    cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                               cublasOperation_t transb, int m, int n, int k, const void* alpha,
                               const void* a, cudaDataType a_type, int lda, long long stride_a,
                               const void* b, cudaDataType b_type, int ldb, long long stride_b,
                               const void* beta, void* c, cudaDataType c_type, int ldc,
                               long long stride_c, int batch, cublasComputeType_t compute_type,
                               cublasGemmAlgo_t /*algo*/)
        SIMT_CUBLAS_CALL(cublasGemmStridedBatchedEx,
                         multiply_typed(call, {transa, transb, m, n, k, lda, ldb, ldc, batch},
                                        {a_type, b_type, c_type, compute_type}, alpha,
                                        {a, stride_a}, {b, stride_b}, beta, c, stride_c))

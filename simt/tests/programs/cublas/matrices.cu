// cuBLAS's functions of matrices, held against plain loops.

#include <initializer_list>

#include "compare.h"

namespace {

cublasHandle_t handle = nullptr;

template <typename T>
struct Functions;

#define FUNCTIONS(X, T)                                                 \
  template <>                                                           \
  struct Functions<T> {                                                 \
    static constexpr auto gemm = cublas##X##gemm;                       \
    static constexpr auto batched = cublas##X##gemmBatched;             \
    static constexpr auto strided = cublas##X##gemmStridedBatched;      \
  };
FUNCTIONS(S, float)
FUNCTIONS(D, double)
FUNCTIONS(C, cuComplex)
FUNCTIONS(Z, cuDoubleComplex)
FUNCTIONS(H, __half)

#define MORE_FUNCTIONS(X, T)                      \
  template <>                                     \
  struct MoreFunctions<T> {                       \
    static constexpr auto symm = cublas##X##symm; \
    static constexpr auto syrk = cublas##X##syrk; \
    static constexpr auto syr2k = cublas##X##syr2k; \
    static constexpr auto trsm = cublas##X##trsm; \
    static constexpr auto trmm = cublas##X##trmm; \
    static constexpr auto geam = cublas##X##geam; \
    static constexpr auto dgmm = cublas##X##dgmm; \
  };
template <typename T>
struct MoreFunctions;
MORE_FUNCTIONS(S, float)
MORE_FUNCTIONS(D, double)
MORE_FUNCTIONS(C, cuComplex)
MORE_FUNCTIONS(Z, cuDoubleComplex)

constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasFillMode_t kModes[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

template <typename T>
Number now_at(const Matrix<T>& of, const std::vector<T>& now, int row, int column) {
  return number(now[static_cast<std::size_t>(row + column * of.rows)]);
}

// ---- products ----

template <typename In, typename Out>
void compare_product(const char* name, cublasOperation_t transa, cublasOperation_t transb, int k,
                     Number alpha, const Matrix<In>& a, const Matrix<In>& b, Number beta,
                     const Matrix<Out>& c) {
  const auto now = c.download();
  for (int column = 0; column < c.columns; ++column) {
    for (int row = 0; row < c.rows; ++row) {
      Number sum = 0;
      for (int i = 0; i < k; ++i)
        sum += a(transa, row, i) * b(transb, i, column);
      Number expected = alpha * sum;
      if (beta != 0.0) expected += beta * c(row, column);
      const Number actual = now_at(c, now, row, column);
      // Of 16 bits, the result alone is rounded.
      const double most = 4 * kRounding<Out> * std::abs(expected) + 4 * (k + 2) * kRounding<float>;
      if (sizeof(Out) == 2) {
        compare(name, std::abs(actual - expected) <= most);
      } else {
        compare<Out>(name, actual, expected, k);
      }
    }
  }
}

struct Shape {
  int m, n, k;
};
constexpr Shape kShapes[] = {{1, 1, 1}, {7, 5, 6}, {67, 33, 41}, {3, 4, 0}};

template <typename T>
void try_gemm(cublasOperation_t transa, cublasOperation_t transb, Shape shape, T alpha, T beta) {
  const auto [m, n, k] = shape;
  Matrix<T> a(transa == CUBLAS_OP_N ? m : k, transa == CUBLAS_OP_N ? k : m);
  Matrix<T> b(transb == CUBLAS_OP_N ? k : n, transb == CUBLAS_OP_N ? n : k, 0);
  Matrix<T> c(m, n, 5);
  a.fill();
  b.fill();
  if (number(beta) != 0.0) c.fill();  // else nobody has written it
  // k may be 0, and then an ld is 1 at least.
  succeeds("gemm", Functions<T>::gemm(handle, transa, transb, m, n, k, &alpha, a.device, a.ld,
                                      b.device, b.ld > 0 ? b.ld : 1, &beta, c.device, c.ld));
  compare_product("gemm", transa, transb, k, number(alpha), a, b, number(beta), c);
}

template <typename T>
void try_batches(cublasOperation_t transa) {
  constexpr int kBatch = 4, kM = 6, kN = 5, kK = 7;
  const T alpha = Of<T>::from(0.5, 0.0);
  const T beta = Of<T>::from(-1.0, 0.0);
  // Matrices side by side, of which each is a part of the columns.
  const int a_columns = transa == CUBLAS_OP_N ? kK : kM;
  Matrix<T> a(transa == CUBLAS_OP_N ? kM : kK, a_columns * kBatch, 1);
  Matrix<T> b(kK, kN * kBatch, 2);
  Matrix<T> c(kM, kN * kBatch, 0);
  const auto compare_all = [&](const char* name) {
    const auto now = c.download();
    for (int each = 0; each < kBatch; ++each) {
      for (int column = 0; column < kN; ++column) {
        for (int row = 0; row < kM; ++row) {
          Number sum = 0;
          for (int i = 0; i < kK; ++i) {
            const Number left = transa == CUBLAS_OP_N ? a(row, each * a_columns + i)
                                                      : a(i, each * a_columns + row);
            sum += (transa == CUBLAS_OP_C ? std::conj(left) : left) * b(i, each * kN + column);
          }
          compare<T>(name, now_at(c, now, row, each * kN + column),
                     0.5 * sum - c(row, each * kN + column), kK);
        }
      }
    }
  };
  a.fill();
  b.fill();
  c.fill();
  succeeds("gemmStridedBatched",
           Functions<T>::strided(handle, transa, CUBLAS_OP_N, kM, kN, kK, &alpha, a.device, a.ld,
                                 static_cast<long long>(a.ld) * a_columns, b.device, b.ld,
                                 static_cast<long long>(b.ld) * kN, &beta, c.device, c.ld,
                                 static_cast<long long>(c.ld) * kN, kBatch));
  compare_all("gemmStridedBatched");

  c.upload();
  const T* lefts[kBatch];
  const T* rights[kBatch];
  T* results[kBatch];
  for (int each = 0; each < kBatch; ++each) {
    lefts[each] = a.device + each * a_columns * a.ld;
    rights[each] = b.device + each * kN * b.ld;
    results[each] = c.device + each * kN * c.ld;
  }
  void** addresses = nullptr;
  cudaMalloc(&addresses, 3 * sizeof lefts);
  cudaMemcpy(addresses, lefts, sizeof lefts, cudaMemcpyHostToDevice);
  cudaMemcpy(addresses + kBatch, rights, sizeof rights, cudaMemcpyHostToDevice);
  cudaMemcpy(addresses + 2 * kBatch, results, sizeof results, cudaMemcpyHostToDevice);
  succeeds("gemmBatched",
           Functions<T>::batched(handle, transa, CUBLAS_OP_N, kM, kN, kK, &alpha,
                                 reinterpret_cast<T**>(addresses), a.ld,
                                 reinterpret_cast<T**>(addresses + kBatch), b.ld, &beta,
                                 reinterpret_cast<T**>(addresses + 2 * kBatch), c.ld, kBatch));
  compare_all("gemmBatched");
  cudaFree(addresses);
}

template <typename In, typename Out, typename Scalar, typename Compute>
void try_typed(cudaDataType in, cudaDataType out, Compute compute, double of_c) {
  constexpr int kM = 19, kN = 21, kK = 33;
  Matrix<In> a(kK, kM);
  Matrix<In> b(kK, kN);
  Matrix<Out> c(kM, kN);
  a.fill();
  b.fill();
  if (of_c != 0) c.fill();
  const Scalar alpha = Of<Scalar>::from(0.5, 0.0);
  const Scalar beta = Of<Scalar>::from(of_c, 0.0);
  succeeds("GemmEx", cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kM, kN, kK, &alpha, a.device,
                                  in, a.ld, b.device, in, b.ld, &beta, c.device, out, c.ld, compute,
                                  CUBLAS_GEMM_DEFAULT));
  compare_product("GemmEx", CUBLAS_OP_T, CUBLAS_OP_N, kK, 0.5, a, b, of_c, c);
  if (of_c != 0) c.upload();
  succeeds("GemmStridedBatchedEx",
           cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kM, kN, kK, &alpha,
                                      a.device, in, a.ld, 0, b.device, in, b.ld, 0, &beta, c.device,
                                      out, c.ld, 0, 1, compute, CUBLAS_GEMM_DEFAULT));
  compare_product("GemmStridedBatchedEx", CUBLAS_OP_T, CUBLAS_OP_N, kK, 0.5, a, b, of_c, c);
}

void try_all_types() {
  for (const double beta : {0.0, 1.0}) {
    try_typed<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, beta);
    try_typed<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, beta);
    try_typed<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, beta);
    try_typed<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, beta);
    try_typed<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, beta);
    try_typed<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, beta);
    try_typed<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F,
                                                   beta);
    try_typed<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, beta);
    try_typed<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, beta);
    try_typed<cuComplex, cuComplex, cuComplex>(CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, beta);
    try_typed<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(CUDA_C_64F, CUDA_C_64F,
                                                                 CUDA_C_64F, beta);
  }
}

// A sum that fp16 would lose: 1 and 4096 times 2^-11, a half of the last bit of 1.
void try_one_rounding() {
  constexpr int kK = 4097;
  Matrix<__half> a(1, kK, 0);
  Matrix<__half> b(kK, 1, 0);
  Matrix<__half> c(1, 1, 0);
  for (int i = 0; i < kK; ++i) {
    a.at(0, i) = __float2half(1.0f);
    b.at(i, 0) = __float2half(i == 0 ? 1.0f : 0x1p-11f);
  }
  a.upload();
  b.upload();
  const __half one = __float2half(1.0f);
  const __half zero = __float2half(0.0f);
  succeeds("Hgemm", cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, kK, &one, a.device, 1,
                                b.device, kK, &zero, c.device, 1));
  compare("Hgemm rounds once", number(c.download()[0]) == 3.0);
}

// ---- symmetric ones, triangles and diagonals ----

template <typename T>
void try_symm(cublasSideMode_t side, cublasFillMode_t mode) {
  constexpr int kM = 13, kN = 17;
  const int order = side == CUBLAS_SIDE_LEFT ? kM : kN;
  Matrix<T> a(order, order);
  Matrix<T> b(kM, kN);
  Matrix<T> c(kM, kN);
  a.fill();
  b.fill();
  c.fill();
  const T alpha = Of<T>::from(0.5, 0.5);
  const T beta = Of<T>::from(-1.0, 0.0);
  succeeds("symm", MoreFunctions<T>::symm(handle, side, mode, kM, kN, &alpha, a.device, a.ld,
                                          b.device, b.ld, &beta, c.device, c.ld));
  const auto now = c.download();
  for (int column = 0; column < kN; ++column) {
    for (int row = 0; row < kM; ++row) {
      Number sum = 0;
      for (int i = 0; i < order; ++i)
        sum += side == CUBLAS_SIDE_LEFT ? a.symmetric(mode, row, i) * b(i, column)
                                        : b(row, i) * a.symmetric(mode, i, column);
      compare<T>("symm", now_at(c, now, row, column), number(alpha) * sum - c(row, column), order);
    }
  }
}

// The other triangle of C stays as it is, and may be as nobody has written it: so A's columns alone.
template <typename T>
void try_syrk(cublasFillMode_t mode, cublasOperation_t trans) {
  constexpr int kN = 15, kK = 11;
  const bool as_it_is = trans == CUBLAS_OP_N;
  Matrix<T> a(as_it_is ? kN : kK, as_it_is ? kK : kN);
  Matrix<T> b(a.rows, a.columns);
  Matrix<T> c(kN, kN);
  a.fill();
  b.fill();
  c.fill();
  const T alpha = Of<T>::from(0.5, 0.25);
  const T beta = Of<T>::from(2.0, 0.0);
  const auto compare_all = [&](const char* name, auto element) {
    const auto now = c.download();
    for (int column = 0; column < kN; ++column) {
      for (int row = 0; row < kN; ++row) {
        const bool is_there = mode == CUBLAS_FILL_MODE_UPPER ? row <= column : row >= column;
        Number sum = 0;
        for (int i = 0; i < kK; ++i)
          sum += element(row, column, i);
        const Number made = number(alpha) * sum + 2.0 * c(row, column);
        compare<T>(name, now_at(c, now, row, column), is_there ? made : c(row, column), 2 * kK);
      }
    }
  };
  succeeds("syrk", MoreFunctions<T>::syrk(handle, mode, trans, kN, kK, &alpha, a.device, a.ld,
                                          &beta, c.device, c.ld));
  compare_all("syrk", [&](int row, int column, int i) {
    return a(trans, row, i) * a(trans, column, i);
  });
  c.upload();
  succeeds("syr2k", MoreFunctions<T>::syr2k(handle, mode, trans, kN, kK, &alpha, a.device, a.ld,
                                            b.device, b.ld, &beta, c.device, c.ld));
  compare_all("syr2k", [&](int row, int column, int i) {
    return a(trans, row, i) * b(trans, column, i) + b(trans, row, i) * a(trans, column, i);
  });
}

template <typename T>
void try_triangles(cublasSideMode_t side, cublasFillMode_t mode, cublasOperation_t trans,
                   cublasDiagType_t diagonal) {
  constexpr int kM = 14, kN = 9;
  const int order = side == CUBLAS_SIDE_LEFT ? kM : kN;
  Matrix<T> a(order, order);
  Matrix<T> b(kM, kN);
  Matrix<T> c(kM, kN, 1);
  a.fill();
  for (T& element : a.host)
    element = Of<T>::from(number(element).real() / order, number(element).imag() / order);
  a.upload();
  if (diagonal == CUBLAS_DIAG_NON_UNIT) a.dominate();
  b.fill();
  const T alpha = Of<T>::from(0.5, 0.0);
  const T one = Of<T>::from(1.0, 0.0);
  succeeds("trmm", MoreFunctions<T>::trmm(handle, side, mode, trans, diagonal, kM, kN, &alpha,
                                          a.device, a.ld, b.device, b.ld, c.device, c.ld));
  const auto now = c.download();
  for (int column = 0; column < kN; ++column) {
    for (int row = 0; row < kM; ++row) {
      Number sum = 0;
      for (int i = 0; i < order; ++i)
        sum += side == CUBLAS_SIDE_LEFT
                   ? a.triangle(mode, diagonal, trans, row, i) * b(i, column)
                   : b(row, i) * a.triangle(mode, diagonal, trans, i, column);
      compare<T>("trmm", now_at(c, now, row, column), 0.5 * sum, 16 * order);
    }
  }
  succeeds("trsm", MoreFunctions<T>::trsm(handle, side, mode, trans, diagonal, kM, kN, &one,
                                          a.device, a.ld, c.device, c.ld));
  const auto back = c.download();
  for (int column = 0; column < kN; ++column) {
    for (int row = 0; row < kM; ++row)
      compare<T>("trsm takes back what trmm did", now_at(c, back, row, column),
                 0.5 * b(row, column), 16 * order);
  }
}

template <typename T>
void try_sums(cublasOperation_t transa, cublasOperation_t transb) {
  constexpr int kM = 8, kN = 12;
  Matrix<T> a(transa == CUBLAS_OP_N ? kM : kN, transa == CUBLAS_OP_N ? kN : kM);
  Matrix<T> b(transb == CUBLAS_OP_N ? kM : kN, transb == CUBLAS_OP_N ? kN : kM);
  Matrix<T> c(kM, kN);
  a.fill();
  b.fill();
  const T alpha = Of<T>::from(0.5, -1.0);
  const T beta = Of<T>::from(-2.0, 0.0);
  const T zero = Of<T>::from(0.0, 0.0);
  succeeds("geam", MoreFunctions<T>::geam(handle, transa, transb, kM, kN, &alpha, a.device, a.ld,
                                          &beta, b.device, b.ld, c.device, c.ld));
  auto now = c.download();
  for (int column = 0; column < kN; ++column) {
    for (int row = 0; row < kM; ++row)
      compare<T>("geam", now_at(c, now, row, column),
                 number(alpha) * a(transa, row, column) + number(beta) * b(transb, row, column), 4);
  }
  // A transpose, as programs ask for it.
  succeeds("geam", MoreFunctions<T>::geam(handle, transa, CUBLAS_OP_N, kM, kN, &alpha, a.device,
                                          a.ld, &zero, nullptr, kM, c.device, c.ld));
  now = c.download();
  compare<T>("geam of one", now_at(c, now, 3, 5), number(alpha) * a(transa, 3, 5), 4);
}

template <typename T>
void try_diagonal(cublasSideMode_t side, int increment) {
  constexpr int kM = 8, kN = 12;
  Matrix<T> a(kM, kN);
  Vector<T> x(side == CUBLAS_SIDE_LEFT ? kM : kN, increment);
  Matrix<T> c(kM, kN);
  a.fill();
  x.fill();
  succeeds("dgmm", MoreFunctions<T>::dgmm(handle, side, kM, kN, a.device, a.ld, x.device, increment,
                                          c.device, c.ld));
  const auto now = c.download();
  for (int column = 0; column < kN; ++column) {
    for (int row = 0; row < kM; ++row)
      compare<T>("dgmm", now_at(c, now, row, column),
                 a(row, column) * x[side == CUBLAS_SIDE_LEFT ? row : column]);
  }
}

template <typename T>
void try_type() {
  const T alpha = Of<T>::from(0.75, -0.5);
  const T zero = Of<T>::from(0.0, 0.0);
  for (const auto transa : kOperations) {
    for (const auto transb : kOperations) {
      for (const Shape shape : kShapes) {
        try_gemm<T>(transa, transb, shape, alpha, Of<T>::from(-0.5, 1.0));
        try_gemm<T>(transa, transb, shape, alpha, zero);
      }
      try_gemm<T>(transa, transb, kShapes[1], zero, alpha);
      try_sums<T>(transa, transb);
    }
    try_batches<T>(transa);
    for (const auto mode : kModes) {
      if (transa != CUBLAS_OP_C) try_syrk<T>(mode, transa);
      for (const auto side : kSides) {
        for (const auto diagonal : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT})
          try_triangles<T>(side, mode, transa, diagonal);
      }
    }
  }
  for (const auto side : kSides) {
    for (const auto mode : kModes)
      try_symm<T>(side, mode);
    try_diagonal<T>(side, 2);
    try_diagonal<T>(side, -1);
  }
}

// Nobody writes the other half, nor a diagonal of ones, and nobody may read them.
void try_half(cublasFillMode_t mode, cublasDiagType_t diagonal) {
  constexpr int kOrder = 12;
  Matrix<float> half(kOrder, kOrder);
  Matrix<float> b(kOrder, kOrder);
  Matrix<float> c(kOrder, kOrder);
  b.fill();
  const int without = diagonal == CUBLAS_DIAG_UNIT ? 1 : 0;
  const std::vector<float> ones(kOrder, 1.0f);
  for (int i = 0; i < kOrder; ++i) {
    const bool is_upper = mode == CUBLAS_FILL_MODE_UPPER;
    const int first = is_upper ? 0 : i + without;
    const int end = is_upper ? i + 1 - without : kOrder;
    cudaMemcpy(half.device + first + i * half.ld, ones.data(), sizeof(float) * (end - first),
               cudaMemcpyHostToDevice);
  }
  const float one = 1;
  const float zero = 0;
  succeeds("trmm", cublasStrmm(handle, CUBLAS_SIDE_LEFT, mode, CUBLAS_OP_T, diagonal, kOrder, kOrder,
                               &one, half.device, half.ld, b.device, b.ld, c.device, c.ld));
  succeeds("trsv", cublasStrsv(handle, mode, CUBLAS_OP_N, diagonal, kOrder, half.device, half.ld,
                               c.device, 1));
  if (diagonal == CUBLAS_DIAG_UNIT) return;
  succeeds("symm", cublasSsymm(handle, CUBLAS_SIDE_LEFT, mode, kOrder, kOrder, &one, half.device,
                               half.ld, b.device, b.ld, &zero, c.device, c.ld));
  succeeds("syrk", cublasSsyrk(handle, mode, CUBLAS_OP_N, kOrder, kOrder, &one, b.device, b.ld,
                               &one, half.device, half.ld));
  succeeds("syr", cublasSsyr(handle, mode, kOrder, &one, b.device, 1, half.device, half.ld));
}

// Memory that cuBLAS has written is written for kernels, too.
__global__ void add(const float* a, int n, float* sum) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += a[i];
  *sum = total;
}

void try_kernel() {
  constexpr int kOrder = 4;
  Matrix<float> a(kOrder, kOrder, 0);
  Matrix<float> c(kOrder, kOrder, 0);
  for (int i = 0; i < kOrder; ++i)
    a.at(i, i) = 2;
  a.upload();
  const float one = 1, zero = 0;
  succeeds("gemm", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kOrder, kOrder, kOrder, &one,
                               a.device, kOrder, a.device, kOrder, &zero, c.device, kOrder));
  float* sum = nullptr;
  cudaMalloc(&sum, sizeof(float));
  add<<<1, 32>>>(c.device, kOrder * kOrder, sum);
  float result = 0;
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(sum);
  compare("what a kernel reads", result == 16.0f);
}

}  // namespace

int main() {
  succeeds("create", cublasCreate(&handle));
  try_type<float>();
  try_type<double>();
  try_type<cuComplex>();
  try_type<cuDoubleComplex>();
  for (const auto transa : kOperations)
    try_gemm<__half>(transa, CUBLAS_OP_N, kShapes[2], __float2half(0.5f), __float2half(0.25f));
  try_all_types();
  try_one_rounding();
  for (const auto mode : kModes) {
    for (const auto diagonal : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT})
      try_half(mode, diagonal);
  }
  try_kernel();
  succeeds("destroy", cublasDestroy(handle));
  std::printf("matrices: %d comparisons, %d wrong\n", compared, wrong);
  return wrong == 0 ? 0 : 1;
}

// cuBLAS's functions of many small systems of equations: what they solve is multiplied back.

#include <initializer_list>

#include "compare.h"

namespace {

cublasHandle_t handle = nullptr;

template <typename T>
struct Functions;

#define FUNCTIONS(X, T)                                    \
  template <>                                              \
  struct Functions<T> {                                    \
    static constexpr auto getrf = cublas##X##getrfBatched; \
    static constexpr auto getri = cublas##X##getriBatched; \
    static constexpr auto getrs = cublas##X##getrsBatched; \
    static constexpr auto trsm = cublas##X##trsmBatched;   \
  };
FUNCTIONS(S, float)
FUNCTIONS(D, double)
FUNCTIONS(C, cuComplex)
FUNCTIONS(Z, cuDoubleComplex)

constexpr int kBatch = 3;
constexpr int kN = 9;
constexpr int kColumns = 4;

// Several matrices side by side, and their addresses on the device.
template <typename T>
struct Batch : Matrix<T> {
  Batch(int rows, int columns) : Matrix<T>(rows, columns * kBatch), columns_of_each(columns) {
    T* all[kBatch];
    for (int each = 0; each < kBatch; ++each)
      all[each] = this->device + each * columns * this->ld;
    cudaMalloc(&addresses, sizeof all);
    cudaMemcpy(addresses, all, sizeof all, cudaMemcpyHostToDevice);
  }
  ~Batch() { cudaFree(addresses); }
  Number of(int each, int row, int column) const {
    return (*this)(row, each * columns_of_each + column);
  }
  // Of what the device has.
  Number now(const std::vector<T>& downloaded, int each, int row, int column) const {
    const int at = row + (each * columns_of_each + column) * this->rows;
    return number(downloaded[static_cast<std::size_t>(at)]);
  }
  const int columns_of_each;
  T** addresses = nullptr;
};

// Numbers of the device's.
struct Integers {
  explicit Integers(int n) : now(static_cast<std::size_t>(n)) {
    cudaMalloc(&device, sizeof(int) * now.size());
  }
  ~Integers() { cudaFree(device); }
  void download() {
    cudaMemcpy(now.data(), device, sizeof(int) * now.size(), cudaMemcpyDeviceToHost);
  }
  std::vector<int> now;
  int* device = nullptr;
};

template <typename T>
void compare_factors(const Batch<T>& a, const std::vector<T>& factors, const Integers* pivots) {
  for (int each = 0; each < kBatch; ++each) {
    int order[kN];
    for (int i = 0; i < kN; ++i)
      order[i] = i;
    for (int i = 0; pivots != nullptr && i < kN; ++i) {
      const int row = pivots->now[static_cast<std::size_t>(each * kN + i)] - 1;
      compare("a pivot", row >= i && row < kN);
      if (row >= i && row < kN) std::swap(order[i], order[row]);
    }
    for (int row = 0; row < kN; ++row) {
      for (int column = 0; column < kN; ++column) {
        Number sum = 0;
        for (int i = 0; i <= row && i <= column; ++i)
          sum += (i == row ? 1.0 : a.now(factors, each, row, i)) * a.now(factors, each, i, column);
        compare<T>("getrf", sum, a.of(each, order[row], column), 16 * kN);
        if (pivots != nullptr && row > column) {
          compare("a pivot is the largest", std::abs(a.now(factors, each, row, column)) < 1.5);
        }
      }
    }
  }
}

template <typename T>
void try_solution(cublasOperation_t operation, const Batch<T>& a, const int* pivots) {
  Batch<T> b(kN, kColumns);
  b.fill();
  int info = -1;
  succeeds("getrs", Functions<T>::getrs(handle, operation, kN, kColumns, a.addresses, a.ld, pivots,
                                        b.addresses, b.ld, &info, kBatch));
  compare("the info of getrs", info == 0);
  const auto solved = b.download();
  for (int each = 0; each < kBatch; ++each) {
    for (int row = 0; row < kN; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        Number sum = 0;
        for (int i = 0; i < kN; ++i) {
          const Number element =
              operation == CUBLAS_OP_N ? a.of(each, row, i) : a.of(each, i, row);
          sum += (operation == CUBLAS_OP_C ? std::conj(element) : element) *
                 b.now(solved, each, i, column);
        }
        compare<T>("getrs", sum, b.of(each, row, column), 64 * kN);
      }
    }
  }
}

template <typename T>
void try_inverse(const Batch<T>& a, const int* pivots) {
  Batch<T> inverse(kN, kN);
  Integers info(kBatch);
  succeeds("getri", Functions<T>::getri(handle, kN, a.addresses, a.ld, pivots, inverse.addresses,
                                        inverse.ld, info.device, kBatch));
  info.download();
  const auto now = inverse.download();
  for (int each = 0; each < kBatch; ++each) {
    compare("the info of getri", info.now[static_cast<std::size_t>(each)] == 0);
    for (int row = 0; row < kN; ++row) {
      for (int column = 0; column < kN; ++column) {
        Number sum = 0;
        for (int i = 0; i < kN; ++i)
          sum += a.of(each, row, i) * inverse.now(now, each, i, column);
        compare<T>("getri", sum, row == column ? 1.0 : 0.0, 64 * kN);
      }
    }
  }
}

template <typename T>
void try_systems(bool with_pivots) {
  Batch<T> a(kN, kN);
  a.fill();
  // Without pivots, the diagonal has to be the largest; with them, another one, so that rows move.
  for (int each = 0; each < kBatch; ++each) {
    for (int i = 0; i < kN; ++i) {
      const int row = with_pivots ? (i + 1 + each) % kN : i;
      a.at(row, each * kN + i) = Of<T>::from(6.0, 1.0);
    }
  }
  a.upload();
  Integers pivots(kN * kBatch);
  Integers info(kBatch);
  int* const rows = with_pivots ? pivots.device : nullptr;
  succeeds("getrf", Functions<T>::getrf(handle, kN, a.addresses, a.ld, rows, info.device, kBatch));
  if (with_pivots) pivots.download();
  info.download();
  for (const int each : info.now)
    compare("the info of getrf", each == 0);
  compare_factors(a, a.download(), with_pivots ? &pivots : nullptr);
  for (const auto operation : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
    try_solution(operation, a, rows);
  try_inverse(a, rows);
}

// A column of zeros ends up on the diagonal of U.
template <typename T>
void try_singular() {
  Batch<T> a(kN, kN);
  a.fill();
  for (int row = 0; row < kN; ++row)
    a.at(row, kN + 4) = Of<T>::from(0.0, 0.0);
  a.upload();
  Batch<T> inverse(kN, kN);
  Integers pivots(kN * kBatch);
  Integers info(kBatch);
  succeeds("getrf", Functions<T>::getrf(handle, kN, a.addresses, a.ld, pivots.device, info.device,
                                        kBatch));
  info.download();
  compare("getrf of a singular matrix",
          info.now[0] == 0 && info.now[1] == 5 && info.now[2] == 0);
  succeeds("getri", Functions<T>::getri(handle, kN, a.addresses, a.ld, pivots.device,
                                        inverse.addresses, inverse.ld, info.device, kBatch));
  info.download();
  compare("getri of a singular matrix",
          info.now[0] == 0 && info.now[1] == 5 && info.now[2] == 0);
}

template <typename T>
void try_triangles() {
  Batch<T> a(kN, kN);
  Batch<T> b(kN, kColumns);
  a.fill();
  for (int each = 0; each < kBatch; ++each) {
    for (int i = 0; i < kN; ++i)
      a.at(i, each * kN + i) = Of<T>::from(6.0, 1.0);
  }
  a.upload();
  b.fill();
  const T alpha = Of<T>::from(0.5, 0.0);
  succeeds("trsmBatched",
           Functions<T>::trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                              CUBLAS_DIAG_NON_UNIT, kN, kColumns, &alpha, a.addresses, a.ld,
                              b.addresses, b.ld, kBatch));
  const auto solved = b.download();
  for (int each = 0; each < kBatch; ++each) {
    for (int row = 0; row < kN; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        Number sum = 0;
        for (int i = row; i < kN; ++i)
          sum += a.of(each, row, i) * b.now(solved, each, i, column);
        compare<T>("trsmBatched", sum, 0.5 * b.of(each, row, column), 16 * kN);
      }
    }
  }
}

template <typename T>
void try_type() {
  for (const bool with_pivots : {true, false})
    try_systems<T>(with_pivots);
  try_singular<T>();
  try_triangles<T>();
}

}  // namespace

int main() {
  succeeds("create", cublasCreate(&handle));
  try_type<float>();
  try_type<double>();
  try_type<cuComplex>();
  try_type<cuDoubleComplex>();
  succeeds("destroy", cublasDestroy(handle));
  std::printf("solvers: %d comparisons, %d wrong\n", compared, wrong);
  return wrong == 0 ? 0 : 1;
}

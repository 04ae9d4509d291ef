// cuBLAS as it was before it had handles: scalars by value, words by letters, errors when asked for.

#include <cmath>
#include <cstdio>
#include <cublas.h>
#include <vector>

namespace {

int wrong = 0;

void check(const char* what, bool holds) {
  if (holds) return;
  ++wrong;
  std::printf("%s is wrong\n", what);
}

}  // namespace

int main() {
  constexpr int kN = 6;
  check("before init", (cublasSscal(1, 1.0f, nullptr, 1), cublasGetError()) ==
                           CUBLAS_STATUS_NOT_INITIALIZED);
  check("init", cublasInit() == CUBLAS_STATUS_SUCCESS);
  std::vector<float> a(kN * kN);
  std::vector<float> b(kN * kN);
  for (int i = 0; i < kN * kN; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<float>(i % 7 - 3);
    b[static_cast<std::size_t>(i)] = static_cast<float>(i % 5 - 2);
  }
  float* device[3] = {};
  for (float*& each : device)
    check("alloc", cublasAlloc(kN * kN, sizeof(float), reinterpret_cast<void**>(&each)) ==
                       CUBLAS_STATUS_SUCCESS);
  cublasSetMatrix(kN, kN, sizeof(float), a.data(), kN, device[0], kN);
  cublasSetMatrix(kN, kN, sizeof(float), b.data(), kN, device[1], kN);

  cublasSgemm('t', 'N', kN, kN, kN, 2.0f, device[0], kN, device[1], kN, 0.0f, device[2], kN);
  check("gemm", cublasGetError() == CUBLAS_STATUS_SUCCESS);
  std::vector<float> c(kN * kN);
  cublasGetMatrix(kN, kN, sizeof(float), device[2], kN, c.data(), kN);
  for (int column = 0; column < kN; ++column) {
    for (int row = 0; row < kN; ++row) {
      float sum = 0;
      for (int i = 0; i < kN; ++i)
        sum += a[static_cast<std::size_t>(i + row * kN)] * b[static_cast<std::size_t>(i + column * kN)];
      check("an element", c[static_cast<std::size_t>(row + column * kN)] == 2 * sum);
    }
  }
  check("dot", cublasSdot(4, device[0], 1, device[1], 1) == 6.0f + 2.0f + 0.0f + 0.0f);
  check("nrm2", std::fabs(cublasSnrm2(3, device[0], 1) - std::sqrt(14.0f)) < 1e-6f);
  check("amax", cublasIsamax(7, device[0], 1) == 1);
  // In place: a unit triangle leaves the first row as it is.
  cublasStrmm('L', 'L', 'N', 'U', kN, kN, 1.0f, device[0], kN, device[1], kN);
  cublasGetMatrix(1, kN, sizeof(float), device[1], kN, c.data(), 1);
  for (int column = 0; column < kN; ++column)
    check("trmm", c[static_cast<std::size_t>(column)] == b[static_cast<std::size_t>(column * kN)]);

  cublasSgemm('x', 'N', kN, kN, kN, 2.0f, device[0], kN, device[1], kN, 0.0f, device[2], kN);
  check("a wrong letter", cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
  check("the error is gone", cublasGetError() == CUBLAS_STATUS_SUCCESS);
  for (float* each : device)
    cublasFree(each);
  check("shutdown", cublasShutdown() == CUBLAS_STATUS_SUCCESS);
  std::printf("without_handles: %d wrong\n", wrong);
  return wrong;
}

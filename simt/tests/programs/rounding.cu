// Arithmetic that rounds down, up and towards zero, as intervals need it.
#include <cstdio>

__global__ void round_all(float* singles, double* doubles) {
  const float tiny = 1.0f / (1 << 30);
  int i = 0;
  singles[i++] = __fadd_rd(1.0f, tiny);
  singles[i++] = __fadd_ru(1.0f, tiny);
  singles[i++] = __fadd_rz(-1.0f, -tiny);
  singles[i++] = __fsub_rd(1.0f, tiny);
  singles[i++] = __fmul_ru(1.0f + 1.0f / 4096, 1.0f + 1.0f / 4096);
  singles[i++] = __fdiv_rd(1.0f, 3.0f);
  singles[i++] = __fdiv_ru(1.0f, 3.0f);
  singles[i++] = __fsqrt_rd(2.0f);
  singles[i++] = __fsqrt_ru(2.0f);
  singles[i++] = __frcp_rz(-3.0f);
  singles[i++] = __fmaf_ru(tiny, tiny, 1.0f);
  singles[i++] = __fadd_rn(1.0f, tiny);
  doubles[0] = __dadd_ru(1.0, 1e-30);
  doubles[1] = __ddiv_rd(1.0, 3.0);
  doubles[2] = __ddiv_ru(1.0, 3.0);
  doubles[3] = __fma_rz(1e-20, -1e-20, 1.0);
}

int main() {
  const float ulp = 1.0f / (1 << 23);
  const float expected[] = {1.0f,       1.0f + ulp, -1.0f,      1.0f - ulp / 2, 1.0f + 1.0f / 2048 + ulp, 11184810.0f / (1 << 25),
                            11184811.0f / (1 << 25), 11863283.0f / (1 << 23), 11863284.0f / (1 << 23), -11184810.0f / (1 << 25), 1.0f + ulp, 1.0f};
  const double expected_doubles[] = {0x1.0000000000001p0, 0x1.5555555555555p-2, 0x1.5555555555556p-2, 0x1.fffffffffffffp-1};
  const int n = sizeof(expected) / sizeof(float);
  float *singles, got[n];
  double *doubles, got_doubles[4];
  cudaMalloc(&singles, sizeof(got));
  cudaMalloc(&doubles, sizeof(got_doubles));
  round_all<<<1, 1>>>(singles, doubles);
  cudaMemcpy(got, singles, sizeof(got), cudaMemcpyDeviceToHost);
  cudaMemcpy(got_doubles, doubles, sizeof(got_doubles), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (got[i] == expected[i]) continue;
    printf("%d: %a instead of %a\n", i, got[i], expected[i]);
    ++wrong;
  }
  for (int i = 0; i < 4; ++i) {
    if (got_doubles[i] == expected_doubles[i]) continue;
    printf("double %d: %a instead of %a\n", i, got_doubles[i], expected_doubles[i]);
    ++wrong;
  }
  printf("rounding: %s\n", wrong ? "FAILED" : "passed");
  cudaFree(singles);
  cudaFree(doubles);
  return wrong != 0;
}

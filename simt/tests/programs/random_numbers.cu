// cuRAND's device interface: the program prints nothing but what it compares, so that the numbers of
// a GPU stand in it. Each was printed by this program on an H200 with NVIDIA's own headers (-D PRINT).

#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#ifndef PRINT
#include "random_numbers.h"
#endif

// How far a number may be from the GPU's, in its own units or in 1 where it is smaller: integers and
// uniform numbers not at all. A GPU's fast sine and cosine, of normal numbers in fp32, are 2^-21
// off; those in fp64 are exact to a few ulp.
constexpr double kFast = 5e-6;
constexpr double kPrecise = 1e-14;
constexpr int kKinds = 12;
constexpr double kOff[kKinds] = {0, 0, 0, kFast, kFast, kPrecise, kPrecise, kFast, kFast, kFast,
                                 0, 0};

// Numbers of one thread's sequence, by each function in turn.
template <typename State>
__global__ void draw(double* results, unsigned long long seed) {
  State state;
  curand_init(seed, 3 + threadIdx.x, 5, &state);
  double* mine = results + threadIdx.x * kKinds;
  mine[0] = curand(&state);
  mine[1] = curand_uniform(&state);
  mine[2] = curand_uniform_double(&state);
  mine[3] = curand_normal(&state);
  mine[4] = curand_normal(&state);
  mine[5] = curand_normal_double(&state);
  mine[6] = curand_normal_double(&state);
  mine[7] = curand_log_normal(&state, 0.5f, 0.25f);
  const float2 pair = curand_normal2(&state);
  mine[8] = pair.x;
  mine[9] = pair.y;
  skipahead(1000003ull, &state);
  mine[10] = curand(&state);
  skipahead_sequence(9ull, &state);
  mine[11] = curand(&state);
}

constexpr int kFours = 9;
constexpr double kOffOfFours[kFours] = {0, 0, 0, 0, kFast, kFast, 0, 0, 0};
__global__ void draw_fours(double* results, unsigned long long seed) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, threadIdx.x, 2, &state);
  double* mine = results + threadIdx.x * kFours;
  const uint4 words = curand4(&state);
  mine[0] = words.x;
  mine[1] = words.w;
  const float4 uniform = curand_uniform4(&state);
  mine[2] = uniform.y;
  mine[3] = uniform.z;
  const float4 normal = curand_normal4(&state);
  mine[4] = normal.x;
  mine[5] = normal.w;
  const double2 uniform_doubles = curand_uniform2_double(&state);
  mine[6] = uniform_doubles.x;
  mine[7] = uniform_doubles.y;
  mine[8] = curand(&state);
}

constexpr int kThreads = 4;
constexpr unsigned long long kSeeds[] = {0, 1234, 0x123456789abcdefull};
bool all_right = true;
int compared = 0;

template <typename Kernel>
void compare(const char* name, Kernel kernel, int kinds, const double* off,
             const double* expected) {
  double* results = nullptr;
  cudaMallocManaged(&results, kThreads * kinds * sizeof(double));
  for (const unsigned long long seed : kSeeds) {
    kernel<<<1, kThreads>>>(results, seed);
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
    for (int i = 0; i < kThreads * kinds; ++i) {
#ifdef PRINT
      std::printf("%.17g,%s", results[i], i % 4 == 3 ? "\n" : " ");
#else
      ++compared;
      const double wanted = *expected++;
      const double unit = std::fmax(1.0, std::fabs(wanted));
      if (std::fabs(results[i] - wanted) <= off[i % kinds] * unit) continue;
      std::printf("%s, seed %llu, number %d: %.17g, not %.17g\n", name, seed, i, results[i], wanted);
      all_right = false;
#endif
    }
  }
  cudaFree(results);
}

int main() {
#ifdef PRINT
  const double none[1] = {};
  for (int i = 0; i < 4; ++i) {
    const char* const names[] = {"kXorwow", "kPhilox", "kMrg32k3a", "kFoursOfPhilox"};
    std::printf("constexpr double %s[] = {\n", names[i]);
    if (i == 0) compare("", draw<curandStateXORWOW_t>, kKinds, none, none);
    if (i == 1) compare("", draw<curandStatePhilox4_32_10_t>, kKinds, none, none);
    if (i == 2) compare("", draw<curandStateMRG32k3a_t>, kKinds, none, none);
    if (i == 3) compare("", draw_fours, kFours, none, none);
    std::printf("};\n");
  }
#else
  compare("XORWOW", draw<curandStateXORWOW_t>, kKinds, kOff, kXorwow);
  compare("Philox", draw<curandStatePhilox4_32_10_t>, kKinds, kOff, kPhilox);
  compare("MRG32k3a", draw<curandStateMRG32k3a_t>, kKinds, kOff, kMrg32k3a);
  compare("fours of Philox", draw_fours, kFours, kOffOfFours, kFoursOfPhilox);
  std::printf("random_numbers: %d numbers, %s\n", compared, all_right ? "passed" : "FAILED");
#endif
  return all_right ? 0 : 1;
}

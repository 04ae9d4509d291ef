// cuRAND's host interface: generators of the host and of the device, whose numbers must be the same
// as those that NVIDIA's library 10.4.5 gave with generators of the host. That library printed them
// by this program (-D PRINT), which needs no GPU then.

#include <curand.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#ifndef PRINT
#include "random_generators.h"
#endif

// How far a number may be from the library's, in its own units or in 1 where it is smaller: integers,
// uniform numbers and what a call returns not at all. Others depend on the C++ library's functions.
constexpr double kExact = 0.0;
constexpr double kFloat = 5e-7;
constexpr double kDouble = 1e-14;

int compared = 0;
int wrong = 0;

void compare(const char* what, double value, double off) {
#ifdef PRINT
  (void)what, (void)off;
  std::printf("%.17g,%s", value, ++compared % 4 == 0 ? "\n" : " ");
#else
  const double wanted = kExpected[compared++ % kCount];
  if (std::fabs(value - wanted) <= off * std::fmax(1.0, std::fabs(wanted))) return;
  if (++wrong < 10) std::printf("%d, %s: %.17g, not %.17g\n", compared, what, value, wanted);
#endif
}

// FNV-1a, of 32 bits.
double checksum(const void* bytes, std::size_t size) {
  std::uint32_t sum = 2166136261u;
  for (std::size_t i = 0; i < size; ++i)
    sum = (sum ^ static_cast<const unsigned char*>(bytes)[i]) * 16777619u;
  return sum;
}

// The memory that generators of one kind write.
struct Buffer {
  explicit Buffer(bool of_device) : on_device(of_device) {
    if (on_device) cudaMalloc(&memory, kBytes);
    else memory = new char[kBytes];
  }
  ~Buffer() {
    if (on_device) cudaFree(memory);
    else delete[] static_cast<char*>(memory);
  }
  template <typename T>
  T* get() {
    return static_cast<T*>(memory);
  }
  template <typename T>
  std::vector<T> read(std::size_t n) {
    std::vector<T> values(n);
    if (on_device) cudaMemcpy(values.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost);
    else std::memcpy(values.data(), memory, n * sizeof(T));
    return values;
  }

  static constexpr std::size_t kBytes = std::size_t{1} << 22;
  bool on_device;
  void* memory = nullptr;
};

// All of them by a checksum, or some where their last bits may differ.
template <typename T>
void compare_numbers(const char* call, int status, Buffer& buffer, std::size_t n, double off) {
  compare(call, status, kExact);
  if (status != CURAND_STATUS_SUCCESS) return;
  const std::vector<T> numbers = buffer.read<T>(n);
  if (off == kExact) compare(call, checksum(numbers.data(), n * sizeof(T)), kExact);
  for (const std::size_t i : {std::size_t{0}, n / 2, n - 1})
    compare(call, static_cast<double>(numbers[i]), off);
}

void draw_words(curandGenerator_t generator, Buffer& buffer, std::size_t n) {
  compare_numbers<unsigned>("curandGenerate", curandGenerate(generator, buffer.get<unsigned>(), n),
                            buffer, n, kExact);
}

void draw_all(curandGenerator_t generator, Buffer& buffer, std::size_t n) {
  draw_words(generator, buffer, n);
  int status = curandGenerateLongLong(generator, buffer.get<unsigned long long>(), n);
  compare_numbers<unsigned long long>("curandGenerateLongLong", status, buffer, n, kExact);
  status = curandGenerateUniform(generator, buffer.get<float>(), n);
  compare_numbers<float>("curandGenerateUniform", status, buffer, n, kExact);
  status = curandGenerateUniformDouble(generator, buffer.get<double>(), n);
  compare_numbers<double>("curandGenerateUniformDouble", status, buffer, n, kExact);
  status = curandGenerateNormal(generator, buffer.get<float>(), n, 0.0f, 1.0f);
  compare_numbers<float>("curandGenerateNormal", status, buffer, n, kFloat);
  status = curandGenerateNormalDouble(generator, buffer.get<double>(), n, 1.0, 2.0);
  compare_numbers<double>("curandGenerateNormalDouble", status, buffer, n, kDouble);
  status = curandGenerateLogNormal(generator, buffer.get<float>(), n, 0.5f, 0.25f);
  compare_numbers<float>("curandGenerateLogNormal", status, buffer, n, kFloat);
  status = curandGenerateLogNormalDouble(generator, buffer.get<double>(), n, 0.5, 0.25);
  compare_numbers<double>("curandGenerateLogNormalDouble", status, buffer, n, kDouble);
}

curandGenerator_t create(curandRngType_t type, bool on_device) {
  curandGenerator_t generator = nullptr;
  const int status = on_device ? curandCreateGenerator(&generator, type)
                               : curandCreateGeneratorHost(&generator, type);
  compare("create", status, kExact);
  return generator;
}

void set_seed(curandGenerator_t generator, unsigned long long seed) {
  compare("seed", curandSetPseudoRandomGeneratorSeed(generator, seed), kExact);
}

void set_offset(curandGenerator_t generator, unsigned long long offset) {
  compare("offset", curandSetGeneratorOffset(generator, offset), kExact);
}

void set_ordering(curandGenerator_t generator, curandOrdering_t ordering) {
  compare("ordering", curandSetGeneratorOrdering(generator, ordering), kExact);
}

void set_dimensions(curandGenerator_t generator, unsigned dimensions) {
  compare("dimensions", curandSetQuasiRandomGeneratorDimensions(generator, dimensions), kExact);
}

void try_pseudo(curandRngType_t type, bool on_device) {
  Buffer buffer(on_device);
  const curandGenerator_t generator = create(type, on_device);
  draw_words(generator, buffer, 7);  // with the seed that it has
  set_seed(generator, 1234);         // which goes on where it is
  for (const std::size_t n : {std::size_t{6}, std::size_t{100004}, std::size_t{4097}})
    draw_all(generator, buffer, n);
  for (const unsigned long long seed : {0ull, 0x123456789abcdefull}) {
    set_seed(generator, seed);
    set_offset(generator, 0);
    draw_words(generator, buffer, 400001);
  }
  for (const unsigned long long offset : {5ull, 4099ull, 81921ull, 262150ull, 0x123456789abull}) {
    set_offset(generator, offset);
    draw_all(generator, buffer, 10);
    draw_words(generator, buffer, 3);
  }
  set_ordering(generator, CURAND_ORDERING_PSEUDO_LEGACY);
  draw_words(generator, buffer, 100001);
  set_ordering(generator, CURAND_ORDERING_PSEUDO_BEST);
  draw_words(generator, buffer, 9);
  set_ordering(generator, CURAND_ORDERING_QUASI_DEFAULT);
  set_dimensions(generator, 2);
  compare("destroy", curandDestroyGenerator(generator), kExact);
}

// It has no offsets, and begins anew with another seed.
void try_mt19937(bool on_device) {
  Buffer buffer(on_device);
  const curandGenerator_t generator = create(CURAND_RNG_PSEUDO_MT19937, on_device);
  draw_words(generator, buffer, 5);
  set_seed(generator, 0);  // which it has
  draw_words(generator, buffer, 5);
  set_seed(generator, 0x500001234ull);
  draw_all(generator, buffer, 1001);
  draw_words(generator, buffer, 400001);
  set_offset(generator, 3);
  set_ordering(generator, CURAND_ORDERING_PSEUDO_BEST);
  set_ordering(generator, CURAND_ORDERING_PSEUDO_LEGACY);
  draw_words(generator, buffer, 3);
  compare("destroy", curandDestroyGenerator(generator), kExact);
}

void try_quasi(curandRngType_t type, bool on_device) {
  Buffer buffer(on_device);
  const curandGenerator_t generator = create(type, on_device);
  draw_all(generator, buffer, 10);
  for (const unsigned dimensions : {2u, 3u, 100u, 337u}) {
    set_dimensions(generator, dimensions);
    set_offset(generator, 3 + dimensions);
    draw_all(generator, buffer, dimensions * 4);
    draw_all(generator, buffer, dimensions * 400);
  }
  draw_words(generator, buffer, 338);
  set_dimensions(generator, 0);
  set_dimensions(generator, 20001);
  set_seed(generator, 1);
  set_ordering(generator, CURAND_ORDERING_QUASI_DEFAULT);
  set_ordering(generator, CURAND_ORDERING_PSEUDO_DEFAULT);
  compare("destroy", curandDestroyGenerator(generator), kExact);
}

void try_all(bool on_device) {
  try_pseudo(CURAND_RNG_PSEUDO_DEFAULT, on_device);
  try_pseudo(CURAND_RNG_PSEUDO_XORWOW, on_device);
  try_pseudo(CURAND_RNG_PSEUDO_MRG32K3A, on_device);
  try_pseudo(CURAND_RNG_PSEUDO_PHILOX4_32_10, on_device);
  try_mt19937(on_device);
  try_quasi(CURAND_RNG_QUASI_DEFAULT, on_device);
  try_quasi(CURAND_RNG_QUASI_SOBOL32, on_device);
  try_quasi(CURAND_RNG_QUASI_SOBOL64, on_device);
  compare("no generator", curandGenerate(nullptr, nullptr, 1), kExact);
}

#ifndef PRINT
// What the library has written, a kernel may read.
__global__ void count_below_half(const float* numbers, int* count) {
  if (numbers[blockIdx.x * blockDim.x + threadIdx.x] < 0.5f) atomicAdd(count, 1);
}

// In a kernel, thread c begins the subsequence c that the host interface takes its numbers from.
bool agrees_with_host(int below_half) {
  curandGenerator_t generator = nullptr;
  curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW);
  std::vector<float> numbers(4096);
  curandGenerateUniform(generator, numbers.data(), numbers.size());
  curandDestroyGenerator(generator);
  for (const float number : numbers)
    below_half -= number < 0.5f ? 1 : 0;
  return below_half == 0;
}

bool kernel_reads_them() {
  float* numbers = nullptr;
  int* count = nullptr;
  cudaMalloc(&numbers, 4096 * sizeof(float));
  cudaMallocManaged(&count, sizeof(int));
  *count = 0;
  curandGenerator_t generator = nullptr;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);
  curandGenerateUniform(generator, numbers, 4096);
  count_below_half<<<16, 256>>>(numbers, count);
  cudaDeviceSynchronize();
  const bool agrees = agrees_with_host(*count);
  curandDestroyGenerator(generator);
  cudaFree(numbers);
  cudaFree(count);
  return agrees;
}
#endif

int main() {
#ifdef PRINT
  std::printf("constexpr double kExpected[] = {\n");
  try_all(false);
  std::printf("};\nconstexpr int kCount = %d;\n", compared);
#else
  for (const bool on_device : {false, true})
    try_all(on_device);
  if (!kernel_reads_them()) ++wrong;
  std::printf("random_generators: %d numbers, %s\n", compared, wrong == 0 ? "passed" : "FAILED");
#endif
  return wrong == 0 ? 0 : 1;
}

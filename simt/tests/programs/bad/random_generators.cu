// What the host interface of cuRAND cannot do here, or nowhere: each call fails, and says why.

#include <cstdio>
#include <curand.h>

int main() {
  float* numbers = nullptr;
  cudaMalloc(&numbers, 100 * sizeof(float));
  float of_host[4] = {};

  curandGenerator_t device = nullptr;
  curandGenerator_t host = nullptr;
  curandCreateGenerator(&device, CURAND_RNG_PSEUDO_DEFAULT);
  curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_DEFAULT);
  std::printf("memory of the host: %d\n", curandGenerateUniform(device, of_host, 4));
  std::printf("memory of the device: %d\n", curandGenerateUniform(host, numbers, 4));
  std::printf("too long: %d\n", curandGenerateUniform(device, numbers, 101));
  std::printf("dynamic: %d\n", curandSetGeneratorOrdering(device, CURAND_ORDERING_PSEUDO_DYNAMIC));
  unsigned counts[4] = {};
  std::printf("Poisson: %d\n", curandGeneratePoisson(host, counts, 4, 10.0));

  curandGenerator_t sobol = nullptr;
  curandCreateGenerator(&sobol, CURAND_RNG_QUASI_SOBOL32);
  std::printf("dimensions: %d\n", curandSetQuasiRandomGeneratorDimensions(sobol, 20000));
  curandGenerator_t none = nullptr;
  std::printf("scrambled: %d\n", curandCreateGenerator(&none, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32));

  for (const curandGenerator_t generator : {device, host, sobol})
    curandDestroyGenerator(generator);
  std::printf("destroyed: %d\n", curandGenerateUniform(device, numbers, 4));
  cudaFree(numbers);
}

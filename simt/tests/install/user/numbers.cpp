#include <cstdio>
#include <curand.h>

int main() {
  curandGenerator_t generator = nullptr;
  if (curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_DEFAULT) != CURAND_STATUS_SUCCESS)
    return 1;
  unsigned number = 0;
  curandGenerate(generator, &number, 1);
  curandDestroyGenerator(generator);
  std::printf("the first number: %u\n", number);
}

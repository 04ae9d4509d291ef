// Host code in a file of its own.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "vector.cuh"

#ifndef FACTOR
#define FACTOR 3
#endif

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  Vector vector(std::vector<float>(n, 1.0f));
  vector.scale(FACTOR);
  const float sum = vector.sum();
  std::printf("%g\n", sum);
  return sum == static_cast<float>(n) * FACTOR ? 0 : 1;
}

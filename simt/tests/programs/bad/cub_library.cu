#include <cuda_runtime.h>

#include <cub/cub.cuh>
int main() { return 0; }

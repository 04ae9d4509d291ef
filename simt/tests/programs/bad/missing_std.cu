#include <cuda/barrier>
#include <cuda/std/mdspan>
__global__ void kernel() {}
int main() {}

/* Sources in C have no graphs here. */
#include <cuda_runtime.h>
int main(void) {
  cudaGraph_t graph;
  return cudaGraphCreate(&graph, 0);
}

#include <cuda/barrier>
__global__ void kernel(cuda::barrier<cuda::thread_scope_block>* b) {
  auto token = cuda::device::barrier_arrive_tx(*b, 1, 16);
}
int main() {}

#include <cuda/barrier>
__global__ void kernel(cuda::barrier<cuda::thread_scope_block>* b, int* to, const int* from) {
  cuda::device::memcpy_async_tx(to, from, cuda::aligned_size_t<16>(16), *b);
}
int main() {}

// Mistakes around Thrust: each is told at the line of the program that makes it.
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

__global__ void store_one_too_many(int* x, int n) {
  if (threadIdx.x <= n) x[threadIdx.x] = 1;
}

template <typename Call>
void tell(const char* name, Call call) {
  try {
    call();
    std::printf("%s: nothing\n", name);
  } catch (const std::exception& exception) {
    std::printf("%s: %s\n", name, exception.what());
  }
}

int main() {
  thrust::device_vector<int> x(31);
  store_one_too_many<<<1, 32>>>(thrust::raw_pointer_cast(x.data()), 31);
  int* unwritten = nullptr;
  cudaMalloc(&unwritten, 64);
  tell("unwritten", [&] { thrust::reduce(thrust::device, unwritten, unwritten + 16); });
  tell("past the end",
       [&] { thrust::transform(x.begin(), x.end() + 1, x.begin(), thrust::negate<int>()); });
  thrust::host_vector<int> host(32);
  tell("a copy past the end", [&] { thrust::copy(host.begin(), host.end(), x.begin()); });
  tell("too much", [&] { x.resize(std::size_t{1} << 50); });
  tell("the host's", [&] { thrust::reduce(thrust::device, host.data(), host.data() + 31); });
  cudaFree(unwritten);
}

// Objects of static storage that own what the CUDA runtime gave them, and give it back when the
// program ends. They are made before the runtime is first used, so they are destroyed after
// whatever it makes then.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::_Exit(EXIT_FAILURE);
}

__device__ int variable;

__global__ void add_one(int* to) {
  *to += 1;
}

class Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner();

  void acquire();

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  int* pinned_ = nullptr;
  int* device_ = nullptr;
};

void Owner::acquire() {
  check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), sizeof(int)), "cudaMallocHost");
  check(cudaStreamCreate(&stream_), "cudaStreamCreate");
  check(cudaEventCreate(&event_), "cudaEventCreate");
  check(cudaMalloc(reinterpret_cast<void**>(&device_), sizeof(int)), "cudaMalloc");
  *pinned_ = 1;
  check(cudaMemcpyToSymbol(variable, pinned_, sizeof(int)), "cudaMemcpyToSymbol");
  void* address = nullptr;
  check(cudaGetSymbolAddress(&address, variable), "cudaGetSymbolAddress");
}

// All of it still works.
Owner::~Owner() {
  void* address = nullptr;
  check(cudaGetSymbolAddress(&address, variable), "cudaGetSymbolAddress at the end");
  check(cudaMemset(address, 0, sizeof(int)), "cudaMemset of a variable at the end");
  check(cudaMemcpyAsync(device_, pinned_, sizeof(int), cudaMemcpyHostToDevice, stream_),
        "cudaMemcpyAsync at the end");
  add_one<<<1, 1, 0, stream_>>>(device_);
  check(cudaGetLastError(), "a launch at the end");
  check(cudaEventRecord(event_, stream_), "cudaEventRecord at the end");
  check(cudaMemcpy(pinned_, device_, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy at the end");
  check(*pinned_ == 2 ? cudaSuccess : cudaErrorUnknown, "what the kernel at the end stored");
  check(cudaFree(device_), "cudaFree at the end");
  check(cudaEventDestroy(event_), "cudaEventDestroy at the end");
  check(cudaStreamDestroy(stream_), "cudaStreamDestroy at the end");
  check(cudaFreeHost(pinned_), "cudaFreeHost at the end");
}

Owner owner;

}  // namespace

int main() {
  owner.acquire();
}

// Kernels that launch kernels: each launch runs when the grid that ordered it has ended, with all that
// it orders itself, before what comes behind it in its stream. With -D UNORDERED a grid reads what its
// own child would write.
#include <cstdio>

constexpr int kMost = 64;

/// What was done, in its order.
struct Record {
  int count;
  int what[kMost];
};
__device__ void note(Record* record, int what) { record->what[record->count++] = what; }

__global__ void leaf(Record* record, int what) { note(record, what); }

__global__ void parent(Record* record, int depth, int what) {
  __shared__ int mine;
  if (threadIdx.x == 0) {
    mine = what;
    note(record, what);
  }
  __syncthreads();
  const int next = 10 * mine + static_cast<int>(threadIdx.x) + 1;
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(record, -next);
  if (depth > 0) {
    parent<<<gridDim.x, blockDim.x>>>(record, depth - 1, next);
  } else {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    leaf<<<1, 1, 0, stream>>>(record, next);
    cudaStreamDestroy(stream);
  }
}

template <typename T>
__global__ void twice(T* x, unsigned count) {
  if (threadIdx.x < count) x[threadIdx.x] *= 2;
}
__global__ void halves(float* x, unsigned count) {
  if (threadIdx.x == 0 && count > 1) {
    twice<<<1, dim3(count / 2)>>>(x, count / 2);
    halves<<<1, 1>>>(x, count / 2);
  }
}

#ifdef UNORDERED
__global__ void set(int* x) { *x = 1; }
__global__ void too_early(int* x, int* y) {
  set<<<1, 1>>>(x);
  *y = *x;
}
#endif

int main() {
  Record* record;
  cudaMallocManaged(&record, sizeof(Record));
  record->count = 0;
  parent<<<1, 2>>>(record, 1, 1);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  const int expected[] = {1, 11, 111, 112, -111, -112, 12, 121, 122, -121, -122, -11, -12};
  constexpr int kExpected = sizeof expected / sizeof *expected;
  int wrong = record->count != kExpected;
  for (int i = 0; i < kExpected; ++i) wrong += record->what[i] != expected[i];

  float* x;
  cudaMallocManaged(&x, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) x[i] = 1.0f;
  halves<<<1, 32>>>(x, 64);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wrong += x[0] != 64.0f || x[16] != 2.0f || x[63] != 1.0f;
#ifdef UNORDERED
  int *a, *b;
  cudaMalloc(&a, sizeof(int));
  cudaMalloc(&b, sizeof(int));
  too_early<<<1, 1>>>(a, b);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaFree(a);
  cudaFree(b);
#endif
  cudaFree(x);
  cudaFree(record);
  printf("dynamic_parallelism: %s\n", wrong == 0 ? "passed" : "FAILED");
  return wrong;
}

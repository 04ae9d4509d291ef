// Copies and kernels overlapped in streams, from pinned memory, timed with events.

#include <cstdio>
#include <cuda_runtime.h>

#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

static void check(cudaError_t result, const char *func, const char *file, int line) {
  if (result != cudaSuccess) {
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<int>(result),
            cudaGetErrorName(result), func);
    exit(EXIT_FAILURE);
  }
}

__global__ void kernel(float *a, int offset) {
  int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  float x = static_cast<float>(i);
  float s = sinf(x);
  float c = cosf(x);
  a[i] = a[i] + sqrtf(s * s + c * c);
}

int main() {
  const int block_size = 256, n_streams = 4;
  const int n = 4 * block_size * n_streams;
  const int stream_size = n / n_streams;
  const int stream_bytes = stream_size * sizeof(float);

  float *a, *d_a;
  checkCudaErrors(cudaMallocHost((void **)&a, n * sizeof(float)));
  checkCudaErrors(cudaMalloc((void **)&d_a, n * sizeof(float)));
  for (int i = 0; i < n; ++i) a[i] = 0.0f;
  cudaEvent_t start, stop;
  cudaStream_t stream[n_streams];
  checkCudaErrors(cudaEventCreate(&start));
  checkCudaErrors(cudaEventCreate(&stop));
  for (int i = 0; i < n_streams; ++i)
    checkCudaErrors(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));

  checkCudaErrors(cudaEventRecord(start, 0));
  for (int i = 0; i < n_streams; ++i) {
    int offset = i * stream_size;
    checkCudaErrors(cudaMemcpyAsync(&d_a[offset], &a[offset], stream_bytes, cudaMemcpyHostToDevice,
                                    stream[i]));
    kernel<<<stream_size / block_size, block_size, 0, stream[i]>>>(d_a, offset);
    checkCudaErrors(cudaMemcpyAsync(&a[offset], &d_a[offset], stream_bytes, cudaMemcpyDeviceToHost,
                                    stream[i]));
  }
  checkCudaErrors(cudaEventRecord(stop, 0));
  checkCudaErrors(cudaEventSynchronize(stop));
  for (int i = 0; i < n_streams; ++i) checkCudaErrors(cudaStreamSynchronize(stream[i]));
  float ms;
  checkCudaErrors(cudaEventElapsedTime(&ms, start, stop));
  printf("Time for asynchronous transfer and execute (ms): %f\n", ms);

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += !(a[i] > 0.999f && a[i] < 1.001f);
  checkCudaErrors(cudaEventDestroy(start));
  checkCudaErrors(cudaEventDestroy(stop));
  for (int i = 0; i < n_streams; ++i) checkCudaErrors(cudaStreamDestroy(stream[i]));
  checkCudaErrors(cudaFree(d_a));
  checkCudaErrors(cudaFreeHost(a));
  printf("%d wrong\n", wrong);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

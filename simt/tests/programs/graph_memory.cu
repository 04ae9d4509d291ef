// Nodes of a graph that allocate and free, put together by hand and captured; and how much memory
// graphs keep. With -D MISTAKES a kernel reads what its graph allocates anew and nobody has written,
// and another one what the graph has freed.
#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr int kCount = 256;
constexpr size_t kBytes = kCount * sizeof(int);

static int wrong = 0;
static void expect(bool fits, const char* what) {
  if (fits) return;
  printf("not as expected: %s\n", what);
  ++wrong;
}
static void check(cudaError_t error) { expect(error == cudaSuccess, cudaGetErrorName(error)); }
static void refused(cudaError_t error, const char* what) {
  expect(error == cudaErrorInvalidValue, what);
  cudaGetLastError();
}

__global__ void count_up(int* x) { x[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void add(const int* x, int* y) { y[threadIdx.x] += x[threadIdx.x]; }

static uint64_t footprint() {
  uint64_t bytes = 0;
  check(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes));
  return bytes;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaKernelNodeParams parameters,
                                  void** arguments, cudaGraphNode_t after) {
  parameters.gridDim = dim3(1, 1, 1);
  parameters.blockDim = dim3(kCount, 1, 1);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, &after, 1, &parameters));
  return node;
}

/// Allocates, counts up there, adds that to y, and frees it if it is to.
static cudaGraphExec_t put_together(int* y, bool frees, int** memory) {
  cudaGraph_t graph;
  check(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams allocation;
  memset(&allocation, 0, sizeof allocation);
  allocation.bytesize = kBytes;
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location.type = cudaMemLocationTypeDevice;
  cudaGraphNode_t last;
  check(cudaGraphAddMemAllocNode(&last, graph, nullptr, 0, &allocation));
  int* x = static_cast<int*>(allocation.dptr);
  *memory = x;
  void* of_count[] = {&x};
  void* of_add[] = {&x, &y};
  cudaKernelNodeParams kernel = {};
#ifndef MISTAKES
  kernel.func = (void*)count_up;
  last = add_kernel(graph, kernel, of_count, last);
#endif
  kernel.func = (void*)add;
  last = add_kernel(graph, kernel, of_add, last);
  cudaGraphNode_t end;
  if (frees) {
    check(cudaGraphAddMemFreeNode(&end, graph, &last, 1, x));
    refused(cudaGraphAddMemFreeNode(&end, graph, &last, 1, x), "memory that is freed twice");
#ifdef MISTAKES
    add_kernel(graph, kernel, of_add, end);
#endif
  }
  refused(cudaGraphAddMemFreeNode(&end, graph, &last, 1, y), "memory of no graph");
  cudaGraph_t clone;
  expect(cudaGraphClone(&clone, graph) != cudaSuccess, "a clone of memory nodes");
  cudaGetLastError();
  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphDestroy(graph));
  (void)of_count;
  return executable;
}

static void stays_until_it_is_freed(int* y) {
  int* x;
  cudaGraphExec_t executable = put_together(y, false, &x);
  check(cudaGraphLaunch(executable, nullptr));
  refused(cudaGraphLaunch(executable, nullptr), "a second launch, while the memory is there");
  int last = 0;
  check(cudaMemcpy(&last, x + kCount - 1, sizeof last, cudaMemcpyDeviceToHost));
  expect(last == kCount - 1, "what the graph has left");
  check(cudaDeviceGraphMemTrim(0));
  expect(footprint() == kBytes, "what is in use is not trimmed");
  check(cudaFree(x));
  check(cudaDeviceGraphMemTrim(0));
  expect(footprint() == 0, "what was freed is");

  // Freed by another graph.
  check(cudaGraphLaunch(executable, nullptr));
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t freeing;
  check(cudaGraphCreate(&graph, 0));
  check(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, x));
  check(cudaGraphInstantiate(&freeing, graph, 0));
  check(cudaGraphLaunch(freeing, nullptr));
  check(cudaGraphExecDestroy(freeing));
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

static void captured(int* y) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* x;
  check(cudaMallocAsync(&x, kBytes, stream));
  count_up<<<1, kCount, 0, stream>>>(x);
  add<<<1, kCount, 0, stream>>>(x, y);
  check(cudaFreeAsync(x, stream));
  cudaGraph_t graph;
  check(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  expect(nodes == 4, "nodes of the capture");
  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(executable, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

int main() {
  int *y, *x;
  check(cudaMallocManaged(&y, kBytes));
  memset(y, 0, kBytes);
  cudaGraphExec_t executable = put_together(y, true, &x);
  expect(footprint() == 0, "a graph that was not launched has no memory");
  for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(executable, nullptr));
  expect(footprint() == kBytes, "graphs keep what they needed");
  check(cudaDeviceGraphMemTrim(0));
  expect(footprint() == 0, "what nobody uses is trimmed");
  check(cudaGraphExecDestroy(executable));
#ifndef MISTAKES
  stays_until_it_is_freed(y);
  captured(y);
  check(cudaDeviceSynchronize());
  expect(y[kCount - 1] == 6 * (kCount - 1), "the sum of six launches");
#endif
  uint64_t most = 0;
  check(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
  expect(most == kBytes, "the most at a time");
  check(cudaFree(y));
  printf("graph_memory: %s\n", wrong == 0 ? "passed" : "FAILED");
  return wrong;
}

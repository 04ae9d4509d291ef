// CUDA graphs: two streams captured, nodes put together by hand, parameters changed later.
#include <cstdio>

constexpr int kCount = 256;

template <typename T>
__global__ void scale(T *x, T by) {
  x[threadIdx.x] *= by;
}
__global__ void add(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }

static int wrong = 0;
static void expect(bool fits, const char *what) {
  if (fits) return;
  printf("not as expected: %s\n", what);
  ++wrong;
}
static void check(cudaError_t error) { expect(error == cudaSuccess, cudaGetErrorName(error)); }

static void CUDART_CB count(void *data) { ++*static_cast<int *>(data); }

static void capture() {
  float host[kCount], *x, *y, *z;
  for (float &value : host) value = 1.0f;
  check(cudaMalloc(&x, sizeof host));
  check(cudaMalloc(&y, sizeof host));
  check(cudaMalloc(&z, sizeof host));
  cudaStream_t first, second;
  cudaEvent_t fork, join;
  check(cudaStreamCreate(&first));
  check(cudaStreamCreate(&second));
  check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  check(cudaMemset(y, 0, sizeof host));
  check(cudaMemset(z, 0, sizeof host));
  int calls = 0;

  cudaGraph_t graph;
  check(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  {
    float by = 3.0f;  // gone when the graph runs
    check(cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, first));
    scale<<<1, kCount, 0, first>>>(x, by);
  }
  check(cudaEventRecord(fork, first));
  check(cudaStreamWaitEvent(second, fork, 0));
  add<<<1, kCount, 0, first>>>(x, y);
  add<<<1, kCount, 0, second>>>(x, z);
  check(cudaLaunchHostFunc(second, count, &calls));
  check(cudaEventRecord(join, second));
  check(cudaStreamWaitEvent(first, join, 0));
  cudaStreamCaptureStatus status;
  check(cudaStreamIsCapturing(second, &status));
  expect(status == cudaStreamCaptureStatusActive, "a stream that joined");
  check(cudaStreamEndCapture(first, &graph));
  expect(calls == 0, "nothing runs in a capture");
  size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  expect(nodes == 5, "nodes");
  check(cudaGraphGetRootNodes(graph, nullptr, &nodes));
  expect(nodes == 1, "root nodes");

  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(executable, first));
  check(cudaStreamSynchronize(first));
  check(cudaMemcpy(host, z, sizeof host, cudaMemcpyDeviceToHost));
  expect(host[kCount - 1] == 9.0f + 0.0f && calls == 3, "what three launches left");
  check(cudaGraphExecDestroy(executable));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(z));
}

static void put_together() {
  int host[kCount], *x;
  check(cudaMalloc(&x, sizeof host));
  cudaGraph_t graph;
  check(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t set, wait, kernel, copy, call;
  cudaMemsetParams fill = {};
  fill.dst = x;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = kCount;
  fill.height = 1;
  check(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  // Added before what it depends on.
  check(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, x, sizeof host,
                                 cudaMemcpyDeviceToHost));
  check(cudaGraphAddEmptyNode(&wait, graph, &set, 1));
  int by = 2;
  void *arguments[] = {&x, &by};
  cudaKernelNodeParams parameters = {0};
  parameters.func = (void *)scale<int>;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(kCount);
  parameters.kernelParams = arguments;
  check(cudaGraphAddKernelNode(&kernel, graph, &wait, 1, &parameters));
  check(cudaGraphAddDependencies(graph, &kernel, &copy, nullptr, 1));
  int calls = 0;
  cudaHostNodeParams function = {count, &calls};
  check(cudaGraphAddHostNode(&call, graph, &copy, 1, &function));

  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, graph, 0));
  by = 100;  // was copied
  check(cudaGraphLaunch(executable, 0));
  check(cudaDeviceSynchronize());
  expect(host[5] == 14 && calls == 1, "nodes in their order");
  by = 5;
  check(cudaGraphExecKernelNodeSetParams(executable, kernel, &parameters));
  check(cudaGraphLaunch(executable, 0));
  check(cudaDeviceSynchronize());
  expect(host[5] == 35 && calls == 2, "another argument");
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaFree(x));
}

static cudaGraph_t captured_scale(float *x, float by) {
  cudaStream_t stream;
  cudaGraph_t graph;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  scale<<<1, kCount, 0, stream>>>(x, by);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaStreamDestroy(stream));
  return graph;
}

static void update() {
  float host[kCount], *x;
  for (float &value : host) value = 2.0f;
  check(cudaMalloc(&x, sizeof host));
  check(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, captured_scale(x, 3.0f), 0));
  cudaGraphExecUpdateResultInfo outcome;
  check(cudaGraphExecUpdate(executable, captured_scale(x, 4.0f), &outcome));
  cudaGraph_t empty;
  check(cudaGraphCreate(&empty, 0));
  expect(cudaGraphExecUpdate(executable, empty, &outcome) == cudaErrorGraphExecUpdateFailure &&
             outcome.result == cudaGraphExecUpdateErrorTopologyChanged,
         "a graph of another shape");
  cudaGetLastError();
  check(cudaGraphLaunch(executable, 0));
  check(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  expect(host[9] == 8.0f, "the updated argument");
  check(cudaFree(x));
}

int main() {
  capture();
  put_together();
  update();
  printf("graphs: %s\n", wrong == 0 ? "passed" : "failed");
  return wrong != 0;
}

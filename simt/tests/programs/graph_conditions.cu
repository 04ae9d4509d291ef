// Conditional nodes of a graph, whose conditions kernels set: if and else, a loop that is captured,
// and a choice among three.
#include <cstdio>

static int wrong = 0;
static void expect(bool fits, const char* what) {
  if (fits) return;
  printf("not as expected: %s\n", what);
  ++wrong;
}
static void check(cudaError_t error) { expect(error == cudaSuccess, cudaGetErrorName(error)); }

__global__ void choose(const int* value, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, static_cast<unsigned>(*value));
}
template <int kAdded>
__global__ void add(int* sum) {
  *sum += kAdded;
}
__global__ void count_down(int* value, int* sum, cudaGraphConditionalHandle handle) {
  ++*sum;
  cudaGraphSetConditional(handle, --*value != 0);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNodeParams parameters, void** arguments) {
  parameters.type = cudaGraphNodeTypeKernel;
  parameters.kernel.gridDim.x = parameters.kernel.gridDim.y = parameters.kernel.gridDim.z = 1;
  parameters.kernel.blockDim.x = parameters.kernel.blockDim.y = parameters.kernel.blockDim.z = 1;
  parameters.kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
  return node;
}

/// What a launch adds to the sum when the value is this.
static int added(cudaGraphExec_t executable, int* value, int* sum, int given) {
  *value = given;
  *sum = 0;
  check(cudaGraphLaunch(executable, nullptr));
  check(cudaDeviceSynchronize());
  return *sum;
}

/// A kernel that sets the condition, and behind it a node that depends on it.
static cudaGraphExec_t choosing_graph(cudaGraphConditionalNodeType type, unsigned size, int* value,
                                      int* sum, cudaGraph_t* graph) {
  check(cudaGraphCreate(graph, 0));
  cudaGraphConditionalHandle handle;
  check(cudaGraphConditionalHandleCreate(&handle, *graph));
  cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
  kernel.kernel.func = (void*)choose;
  void* of_choice[] = {&value, &handle};
  cudaGraphNode_t before = add_kernel(*graph, kernel, of_choice);

  cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional};
  condition.conditional.handle = handle;
  condition.conditional.type = type;
  condition.conditional.size = size;
  cudaGraphNode_t node;
  check(cudaGraphAddNode(&node, *graph, &before, nullptr, 1, &condition));
  cudaGraphNodeType kind;
  check(cudaGraphNodeGetType(node, &kind));
  expect(kind == cudaGraphNodeTypeConditional, "the node's type");

  void* of_bodies[] = {&sum};
  cudaGraph_t* const bodies = condition.conditional.phGraph_out;
  kernel.kernel.func = (void*)add<1>;
  add_kernel(bodies[0], kernel, of_bodies);
  kernel.kernel.func = (void*)add<10>;
  if (size > 1) add_kernel(bodies[1], kernel, of_bodies);
  kernel.kernel.func = (void*)add<100>;
  if (size > 2) add_kernel(bodies[2], kernel, of_bodies);
  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, *graph, 0));
  return executable;
}

static void choices(int* value, int* sum) {
  cudaGraph_t graph;
  cudaGraphExec_t executable = choosing_graph(cudaGraphCondTypeIf, 1, value, sum, &graph);
  expect(added(executable, value, sum, 7) == 1 && added(executable, value, sum, 0) == 0, "if");
  check(cudaGraphExecDestroy(executable));
  cudaGraph_t clone;
  expect(cudaGraphClone(&clone, graph) != cudaSuccess, "a clone of conditional nodes");
  cudaGetLastError();
  check(cudaGraphDestroy(graph));

  executable = choosing_graph(cudaGraphCondTypeIf, 2, value, sum, &graph);
  expect(added(executable, value, sum, 7) == 1 && added(executable, value, sum, 0) == 10, "else");
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));

  executable = choosing_graph(cudaGraphCondTypeSwitch, 3, value, sum, &graph);
  expect(added(executable, value, sum, 0) == 1 && added(executable, value, sum, 2) == 100 &&
             added(executable, value, sum, 3) == 0,
         "switch");
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

static void loop(int* value, int* sum) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<1000><<<1, 1, 0, stream>>>(sum);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  const cudaGraphNode_t* last;
  size_t count = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &count));
  expect(status == cudaStreamCaptureStatusActive && count == 1, "what is captured");

  cudaGraphConditionalHandle handle;
  check(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional};
  condition.conditional.handle = handle;
  condition.conditional.type = cudaGraphCondTypeWhile;
  condition.conditional.size = 1;
  cudaGraphNode_t node;
  check(cudaGraphAddNode(&node, graph, last, nullptr, count, &condition));
  check(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
  add<2000><<<1, 1, 0, stream>>>(sum);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaStreamBeginCaptureToGraph(stream, condition.conditional.phGraph_out[0], nullptr,
                                      nullptr, 0, cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(value, sum, handle);
  check(cudaStreamEndCapture(stream, nullptr));
  check(cudaStreamDestroy(stream));

  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int rounds : {4, 1}) {
    expect(added(executable, value, sum, rounds) == 3000 + rounds, "a loop, and what follows it");
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

int main() {
  int *value, *sum;
  check(cudaMallocManaged(&value, sizeof(int)));
  check(cudaMallocManaged(&sum, sizeof(int)));
  choices(value, sum);
  loop(value, sum);
  check(cudaFree(value));
  check(cudaFree(sum));
  printf("graph_conditions: %s\n", wrong == 0 ? "passed" : "FAILED");
  return wrong;
}

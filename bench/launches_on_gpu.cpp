#include "bench/launches.h"
#include "common/cuda/check.h"
#include "common/cuda/stream.h"

namespace worklog::bench {

namespace {

// What `work` would put on a stream; it runs nothing. Destroyed by its owner.
cudaGraph_t capture(const std::function<void(cudaStream_t)>& work, const Stream& stream) {
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
        "beginning a capture");
  work(stream.get());
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  return graph;
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "counting what was captured");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "listing what was captured");
  return nodes;
}

ProfiledLaunch listed(cudaGraphNode_t node) {
  cudaKernelNodeParams kernel = {};
  check(cudaGraphKernelNodeGetParams(node, &kernel), "looking at a captured kernel");
  return {.grid = {kernel.gridDim.x, kernel.gridDim.y, kernel.gridDim.z},
          .block = {kernel.blockDim.x, kernel.blockDim.y, kernel.blockDim.z},
          .dynamic_shared_bytes = kernel.sharedMemBytes,
          .kernel = {},
          .counters = {},
          .by_line = {},
          .by_warp = {}};
}

}  // namespace

std::vector<ProfiledLaunch> run_and_list(const std::function<void(cudaStream_t)>& work,
                                         bool /*with_lines*/) {
  const Stream stream;
  const cudaGraph_t graph = capture(work, stream);
  std::vector<ProfiledLaunch> launches;
  for (const cudaGraphNode_t node : nodes_of(graph)) {
    cudaGraphNodeType type = {};
    check(cudaGraphNodeGetType(node, &type), "looking at what was captured");
    if (type == cudaGraphNodeTypeKernel) launches.push_back(listed(node));
  }
  check(cudaGraphDestroy(graph), "destroying a graph");

  work(stream.get());
  stream.synchronize();
  return launches;
}

}  // namespace worklog::bench

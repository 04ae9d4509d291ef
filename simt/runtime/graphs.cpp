// Graphs and the capture of streams. A launch of a graph runs its nodes one after the other.

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/include/cuda_standin/textures.h"
#include "simt/runtime/graph_conditions.h"
#include "simt/runtime/graph_memory.h"
#include "simt/runtime/handles.h"
#include "simt/runtime/result.h"
#include "simt/runtime/stream_capture.h"
#include "simt/runtime/stream_device.h"

using Nodes = std::vector<cudaGraphNode_t>;

struct CUgraphNode_st {
  simt::StreamWork work;
  Nodes dependencies;
  std::size_t number = 0;    ///< within its graph
  bool has_to_join = false;  ///< was captured, and must come before the end of the capture

  // Of a conditional one.
  simt::GraphCondition* condition = nullptr;
  cudaGraphConditionalNodeType choice = cudaGraphCondTypeIf;
  std::vector<cudaGraph_t> bodies;
};

/// A node's handle is its address, which a deque keeps.
struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;
  std::vector<simt::GraphCondition*> conditions;
};

struct CUgraphExec_st {
  /// A node's own copy of what it does; `node` is its handle in the graph.
  struct Step {
    cudaGraphNode_t node;
    simt::StreamWork work;
    std::vector<std::size_t> dependencies;  ///< numbers of nodes
  };
  std::vector<Step> steps;  ///< by the numbers of their nodes
  std::vector<std::size_t> order;
  std::vector<simt::GraphCondition*> conditions;
  bool has_circle = false;  ///< in itself, or in a graph that a node of it may run
};

namespace {

using simt::result;
using simt::StreamWork;

// Never destroyed: static objects of the program may own some, and destroy them at the very end.
simt::Handles<CUgraph_st>& graphs() {
  static auto& handles = *new simt::Handles<CUgraph_st>;
  return handles;
}
simt::Handles<CUgraphExec_st>& executables() {
  static auto& handles = *new simt::Handles<CUgraphExec_st>;
  return handles;
}

/// A stream that is captured.
struct Capture {
  cudaGraph_t graph = nullptr;
  bool is_origin = false;  ///< whether the capture began here
  bool owns_graph = true;  ///< whether the graph began with the capture
  Nodes last;              ///< what the stream's next work comes after
};
struct Captures {
  simt::ForkLock<std::mutex> mutex;
  std::atomic<std::size_t> count{0};  ///< of streams, for a look without the lock
  std::map<cudaStream_t, Capture> of;
};
Captures& captures() {
  static auto& all = *new Captures;
  return all;
}

cudaError_t run(const StreamWork& work) {
  const simt::OnDevice on(work.device);
  if (work.launch) {
    const int earlier_error = simt::take_error();
    work.launch(work.kernel, work.config);
    return simt::launch_result(earlier_error);
  }
  return work.run ? work.run() : cudaSuccess;
}

cudaGraphNode_t append(CUgraph_st& graph, StreamWork work, Nodes dependencies) {
  CUgraphNode_st& node = graph.nodes.emplace_back();
  node.work = std::move(work);
  node.dependencies = std::move(dependencies);
  node.number = graph.nodes.size() - 1;
  return &node;
}

bool has_node(const CUgraph_st& graph, cudaGraphNode_t node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [node](const CUgraphNode_st& each) { return &each == node; });
}

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     std::size_t count, StreamWork work) {
  const bool valid = node != nullptr && graphs().contains(graph) &&
                     (count == 0 || dependencies != nullptr) &&
                     std::all_of(dependencies, dependencies + count,
                                 [graph](cudaGraphNode_t each) { return has_node(*graph, each); });
  if (!valid) return result(cudaErrorInvalidValue);
  *node = append(*graph, std::move(work), Nodes(dependencies, dependencies + count));
  return cudaSuccess;
}

/// The numbers of all nodes, each behind those that it depends on; fewer if there is a circle.
std::vector<std::size_t> ordered(const std::vector<CUgraphExec_st::Step>& steps) {
  std::vector<std::size_t> order;
  std::vector<bool> done(steps.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto is_done = [&](std::size_t other) { return done[other]; };
      const auto& before = steps[i].dependencies;
      if (done[i] || !std::all_of(before.begin(), before.end(), is_done)) continue;
      done[i] = goes_on = true;
      order.push_back(i);
    }
  }
  return order;
}

cudaError_t run_all(const CUgraphExec_st& executable) {
  for (simt::GraphCondition* const condition : executable.conditions) {
    if (condition->begins_anew) condition->value = condition->at_first;
  }
  for (const std::size_t number : executable.order) {
    const cudaError_t error = run(executable.steps[number].work);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

using Bodies = std::vector<CUgraphExec_st>;

/// Runs the body that the condition names, if there is one.
cudaError_t run_chosen(const Bodies& bodies, cudaGraphConditionalNodeType choice,
                       const simt::GraphCondition& condition) {
  if (choice == cudaGraphCondTypeWhile) {
    cudaError_t error = cudaSuccess;
    while (error == cudaSuccess && condition.value != 0)
      error = run_all(bodies[0]);
    return error;
  }
  std::size_t body = condition.value;
  if (choice == cudaGraphCondTypeIf) body = body != 0 ? 0 : 1;
  return body < bodies.size() ? run_all(bodies[body]) : cudaSuccess;
}

CUgraphExec_st executable_of(CUgraph_st& graph) {
  CUgraphExec_st made;
  made.conditions = graph.conditions;
  for (CUgraphNode_st& node : graph.nodes) {
    CUgraphExec_st::Step& step = made.steps.emplace_back();
    step.node = &node;
    step.work = node.work;
    for (const cudaGraphNode_t before : node.dependencies)
      step.dependencies.push_back(before->number);
    if (node.condition == nullptr) continue;
    // What the bodies do is known only now: they are filled when the node has been made.
    Bodies bodies;
    for (const cudaGraph_t body : node.bodies) {
      bodies.push_back(executable_of(*body));
      made.has_circle = made.has_circle || bodies.back().has_circle;
    }
    step.work.run = [bodies = std::move(bodies), choice = node.choice, condition = node.condition] {
      return run_chosen(bodies, choice, *condition);
    };
  }
  made.order = ordered(made.steps);
  made.has_circle = made.has_circle || made.order.size() < made.steps.size();
  return made;
}

/// Whether there is one of each of its nodes: neither clones nor child nodes may have some.
bool has_unique_nodes(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const CUgraphNode_st& node) {
    return node.condition != nullptr || node.work.memory != nullptr;
  });
}

bool frees(const CUgraph_st& graph, const void* memory) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const CUgraphNode_st& node) {
    return node.work.type == cudaGraphNodeTypeMemFree && node.work.memory == memory;
  });
}

/// With the graphs that its nodes own.
bool destroy_graph(cudaGraph_t graph) {
  if (!graphs().contains(graph)) return false;
  for (const CUgraphNode_st& node : graph->nodes) {
    for (const cudaGraph_t body : node.bodies)
      destroy_graph(body);
  }
  return graphs().destroy(graph);
}

/// A node that does all that another graph does.
StreamWork child_work(CUgraphExec_st child) {
  StreamWork work;
  work.type = cudaGraphNodeTypeGraph;
  work.run = [child = std::move(child)] { return run_all(child); };
  return work;
}

void report_not_available(const std::string& what) {
  simt::report("not-available", {}, what + ": not available on the CPU executor (graphs)");
}

/// cudaSuccess, and the work of a kernel node.
cudaError_t kernel_work(StreamWork& work, const cudaKernelNodeParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  if (parameters->extra != nullptr) {
    report_not_available("the arguments of a kernel node in `extra`");
    return cudaErrorNotSupported;
  }
  if (parameters->func.address() == nullptr) return cudaErrorInvalidDeviceFunction;
  if (!parameters->func.has_parameters()) {
    report_not_available(
        "the kernel of a node, given as an address whose parameters are not known: assign it by "
        "`.func = (void*)kernel`");
    return cudaErrorNotSupported;
  }
  work.type = cudaGraphNodeTypeKernel;
  work.kernel = parameters->func.name();
  work.launch = parameters->func.bind(parameters->kernelParams);
  work.config.grid = simt::to_dim3(parameters->gridDim);
  work.config.block = simt::to_dim3(parameters->blockDim);
  work.config.dynamic_shared_bytes = parameters->sharedMemBytes;
  work.config.kernel = parameters->func.address();
  return cudaSuccess;
}

template <typename T>
void fill_pattern(char* row, std::size_t width, unsigned value) {
  const std::vector<T> pattern(width, static_cast<T>(value));
  simt::copy(row, pattern.data(), width * sizeof(T));
}

cudaError_t fill(const cudaMemsetParams& parameters) {
  const std::size_t rows = std::max<std::size_t>(parameters.height, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    char* const begin = static_cast<char*>(parameters.dst) + row * parameters.pitch;
    if (parameters.elementSize == 1) {
      const cudaError_t error =
          cudaMemset(begin, static_cast<int>(parameters.value), parameters.width);
      if (error != cudaSuccess) return error;
    } else if (parameters.elementSize == 2) {
      fill_pattern<std::uint16_t>(begin, parameters.width, parameters.value);
    } else {
      fill_pattern<std::uint32_t>(begin, parameters.width, parameters.value);
    }
  }
  return cudaSuccess;
}

cudaError_t list(const Nodes& all, cudaGraphNode_t* nodes, std::size_t* count) {
  if (count == nullptr) return result(cudaErrorInvalidValue);
  if (nodes != nullptr) {
    std::fill(nodes, nodes + *count, nullptr);
    std::copy_n(all.begin(), std::min(*count, all.size()), nodes);
  }
  *count = all.size();
  return cudaSuccess;
}

}  // namespace

// ---- capture ----------------------------------------------------------------------------------

namespace simt {

bool is_capturing(cudaStream_t stream) {
  Captures& all = captures();
  if (all.count == 0) return false;
  const std::lock_guard lock(all.mutex);
  return all.of.count(stream) > 0;
}

void capture(cudaStream_t stream, StreamWork work) {
  const std::lock_guard lock(captures().mutex);
  Capture& captured = captures().of.at(stream);
  const cudaGraphNode_t node = append(*captured.graph, std::move(work), captured.last);
  node->has_to_join = true;
  captured.last = {node};
}

cudaError_t capture_malloc(cudaStream_t stream, void** address, std::size_t bytes,
                           std::size_t element_bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = nullptr;
  StreamWork work;
  const cudaError_t error = allocating_work(work, bytes, element_bytes, device_of_stream(stream));
  if (error != cudaSuccess) return error;
  *address = work.memory;
  capture(stream, std::move(work));
  return cudaSuccess;
}

cudaError_t capture_free(cudaStream_t stream, void* address) {
  StreamWork work;
  const cudaError_t error = freeing_work(work, address);
  if (error != cudaSuccess) return error;
  {
    const std::lock_guard lock(captures().mutex);
    if (frees(*captures().of.at(stream).graph, address)) return cudaErrorInvalidValue;
  }
  capture(stream, std::move(work));
  return cudaSuccess;
}

void capture_launch(const char* kernel, const LaunchConfig& config, KernelLaunch launch) {
  if (!runs_here(config.stream)) return;
  StreamWork work;
  work.type = cudaGraphNodeTypeKernel;
  work.kernel = kernel;
  work.config = config;
  work.launch = std::move(launch);
  capture(stream_of(config), std::move(work));
}

void record_in_capture(cudaStream_t stream, CUevent_st& event) {
  const std::lock_guard lock(captures().mutex);
  const auto captured = captures().of.find(stream);
  const bool is_captured = captured != captures().of.end();
  event.captured = is_captured ? captured->second.graph : nullptr;
  event.last = is_captured ? captured->second.last : Nodes();
}

void join_capture(cudaStream_t stream, const CUevent_st& event) {
  const std::lock_guard lock(captures().mutex);
  const bool is_under_way =
      std::any_of(captures().of.begin(), captures().of.end(),
                  [&](const auto& each) { return each.second.graph == event.captured; });
  if (!is_under_way) return;
  Capture& joined = captures().of[stream];
  captures().count = captures().of.size();
  joined.graph = event.captured;
  for (const cudaGraphNode_t node : event.last) {
    if (std::find(joined.last.begin(), joined.last.end(), node) == joined.last.end())
      joined.last.push_back(node);
  }
}

}  // namespace simt

namespace {

/// Whether all that other streams did for the capture comes before what ends its origin.
bool all_joined(const CUgraph_st& graph, const Nodes& last) {
  std::vector<bool> reached(graph.nodes.size());
  Nodes rest = last;
  while (!rest.empty()) {
    const cudaGraphNode_t node = rest.back();
    rest.pop_back();
    if (reached[node->number]) continue;
    reached[node->number] = true;
    rest.insert(rest.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const CUgraphNode_st& node) {
    return node.has_to_join && !reached[node.number];
  });
}

/// cudaSuccess if the stream can be captured.
cudaError_t check_capture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  // The default stream cannot be captured.
  const bool is_default = stream == nullptr || stream == cudaStreamLegacy;
  if (is_default || simt::is_capturing(stream))
    return is_default ? cudaErrorStreamCaptureUnsupported : cudaErrorIllegalState;
  if (mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  return simt::is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

void begin_capture(cudaStream_t stream, Capture capture) {
  const std::lock_guard lock(captures().mutex);
  captures().of[stream] = std::move(capture);
  captures().count = captures().of.size();
}

bool are_nodes_of(const CUgraph_st& graph, const cudaGraphNode_t* nodes, std::size_t count) {
  return (count == 0 || nodes != nullptr) &&
         std::all_of(nodes, nodes + count,
                     [&](cudaGraphNode_t each) { return has_node(graph, each); });
}

cudaError_t refuse_data_of_edges(const cudaGraphEdgeData* data) {
  if (data == nullptr) return cudaSuccess;
  report_not_available("the data of an edge");
  return cudaErrorNotSupported;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const cudaError_t error = check_capture(stream, mode);
  if (error != cudaSuccess) return result(error);
  begin_capture(stream, {graphs().create({}), true, true, {}});
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* data, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  SIMT_HOST_CALL;
  cudaError_t error = check_capture(stream, mode);
  if (error == cudaSuccess) error = refuse_data_of_edges(data);
  if (error != cudaSuccess) return result(error);
  if (!graphs().contains(graph) || !are_nodes_of(*graph, dependencies, count))
    return result(cudaErrorInvalidValue);
  begin_capture(stream, {graph, true, false, Nodes(dependencies, dependencies + count)});
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** data, std::size_t* count) {
  if (status == nullptr || (data != nullptr && dependencies == nullptr))
    return result(cudaErrorInvalidValue);
  const std::lock_guard lock(captures().mutex);
  const auto found = captures().of.find(stream);
  *status =
      found == captures().of.end() ? cudaStreamCaptureStatusNone : cudaStreamCaptureStatusActive;
  if (found == captures().of.end()) return cudaSuccess;
  const Capture& capture = found->second;
  if (id != nullptr) *id = reinterpret_cast<std::uintptr_t>(capture.graph);
  if (graph != nullptr) *graph = capture.graph;
  if (dependencies != nullptr) *dependencies = capture.last.data();
  if (data != nullptr) *data = nullptr;
  if (count != nullptr) *count = capture.last.size();
  return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* data, std::size_t count,
                                                unsigned flags) {
  SIMT_HOST_CALL;
  const cudaError_t error = refuse_data_of_edges(data);
  if (error != cudaSuccess) return result(error);
  const std::lock_guard lock(captures().mutex);
  const auto found = captures().of.find(stream);
  if (found == captures().of.end()) return result(cudaErrorIllegalState);
  Capture& capture = found->second;
  if (flags > cudaStreamSetCaptureDependencies ||
      !are_nodes_of(*capture.graph, dependencies, count)) {
    return result(cudaErrorInvalidValue);
  }
  if (flags == cudaStreamSetCaptureDependencies) {
    for (const cudaGraphNode_t removed : capture.last)
      removed->has_to_join = false;
    capture.last.clear();
  }
  capture.last.insert(capture.last.end(), dependencies, dependencies + count);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph != nullptr) *graph = nullptr;
  const std::lock_guard lock(captures().mutex);
  auto& all = captures().of;
  const auto origin = all.find(stream);
  if (origin == all.end()) return result(cudaErrorIllegalState);
  if (graph == nullptr && origin->second.owns_graph) return result(cudaErrorInvalidValue);
  if (!origin->second.is_origin) return result(cudaErrorStreamCaptureUnmatched);
  const Capture ended = origin->second;
  for (auto each = all.begin(); each != all.end();)
    each = each->second.graph == ended.graph ? all.erase(each) : std::next(each);
  captures().count = all.size();
  if (!all_joined(*ended.graph, ended.last)) {
    if (ended.owns_graph) destroy_graph(ended.graph);
    return result(cudaErrorStreamCaptureUnjoined);
  }
  if (graph != nullptr) *graph = ended.graph;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return result(cudaErrorInvalidValue);
  *status =
      simt::is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

// ---- graphs -----------------------------------------------------------------------------------

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  if (graph == nullptr || flags != 0) return result(cudaErrorInvalidValue);
  *graph = graphs().create({});
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return result(destroy_graph(graph) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  if (clone == nullptr || !graphs().contains(graph)) return result(cudaErrorInvalidValue);
  if (has_unique_nodes(*graph)) return result(cudaErrorNotSupported);
  *clone = graphs().create(*graph);
  for (CUgraphNode_st& node : (*clone)->nodes) {
    for (cudaGraphNode_t& before : node.dependencies)
      before = &(*clone)->nodes[before->number];
  }
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  SIMT_HOST_CALL;
  StreamWork work;
  const cudaError_t error = kernel_work(work, parameters);
  if (error != cudaSuccess) return result(error);
  return add_node(node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return result(cudaErrorInvalidValue);
  StreamWork work;
  work.type = cudaGraphNodeTypeMemcpy;
  work.run = [copied = *parameters] { return cudaMemcpy3D(&copied); };
  return add_node(node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  StreamWork work;
  work.type = cudaGraphNodeTypeMemcpy;
  work.run = [=] { return cudaMemcpy(to, from, bytes, kind); };
  return add_node(node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
  const bool valid = parameters != nullptr &&
                     (parameters->elementSize == 1 || parameters->elementSize == 2 ||
                      parameters->elementSize == 4) &&
                     simt::is_device_pointer(parameters->dst);
  if (!valid) return result(cudaErrorInvalidValue);
  StreamWork work;
  work.type = cudaGraphNodeTypeMemset;
  work.run = [copied = *parameters] { return fill(copied); };
  return add_node(node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
  if (parameters == nullptr || parameters->fn == nullptr) return result(cudaErrorInvalidValue);
  StreamWork work;
  work.type = cudaGraphNodeTypeHost;
  work.run = [copied = *parameters] {
    copied.fn(copied.userData);
    return cudaSuccess;
  };
  return add_node(node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return add_node(node, graph, dependencies, count, {});
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
  if (!graphs().contains(child) || child == graph) return result(cudaErrorInvalidValue);
  if (has_unique_nodes(*child)) return result(cudaErrorNotSupported);
  return add_node(node, graph, dependencies, count, child_work(executable_of(*child)));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  if (!graphs().contains(graph)) return result(cudaErrorInvalidValue);
  if (count > 0 && (from == nullptr || to == nullptr)) return result(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) {
    const bool valid = has_node(*graph, from[i]) && has_node(*graph, to[i]) && from[i] != to[i];
    if (!valid) return result(cudaErrorInvalidValue);
  }
  for (std::size_t i = 0; i < count; ++i)
    to[i]->dependencies.push_back(from[i]);
  return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                     std::size_t count) {
  SIMT_HOST_CALL;
  const cudaError_t error = refuse_data_of_edges(data);
  if (error != cudaSuccess) return result(error);
  return cudaGraphAddDependencies(graph, from, to, count);
}

// ---- memory nodes -----------------------------------------------------------------------------

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  SIMT_HOST_CALL;
  if (parameters == nullptr || !graphs().contains(graph)) return result(cudaErrorInvalidValue);
  const cudaMemPoolProps& pool = parameters->poolProps;
  const bool is_here =
      pool.location.type == cudaMemLocationTypeDevice && simt::is_device(pool.location.id) &&
      pool.allocType == cudaMemAllocationTypePinned && pool.handleTypes == cudaMemHandleTypeNone;
  if (!is_here) return result(cudaErrorInvalidValue);
  StreamWork work;
  cudaError_t error = simt::allocating_work(work, parameters->bytesize, 1, pool.location.id);
  if (error != cudaSuccess) return result(error);
  void* const address = work.memory;
  error = add_node(node, graph, dependencies, count, std::move(work));
  if (error == cudaSuccess) parameters->dptr = address;
  return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* address) {
  SIMT_HOST_CALL;
  if (!graphs().contains(graph) || frees(*graph, address)) return result(cudaErrorInvalidValue);
  StreamWork work;
  const cudaError_t error = simt::freeing_work(work, address);
  if (error != cudaSuccess) return result(error);
  return add_node(node, graph, dependencies, count, std::move(work));
}

// ---- conditional nodes ------------------------------------------------------------------------

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned at_first, unsigned flags) {
  const bool valid =
      handle != nullptr && graphs().contains(graph) && flags <= cudaGraphCondAssignDefault;
  if (!valid) return result(cudaErrorInvalidValue);
  *handle = simt::make_condition(at_first, flags == cudaGraphCondAssignDefault);
  graph->conditions.push_back(simt::condition_of(*handle));
  return cudaSuccess;
}

namespace {

bool is_valid(const cudaConditionalNodeParams& parameters) {
  switch (parameters.type) {
    case cudaGraphCondTypeIf:
      return parameters.size == 1 || parameters.size == 2;
    case cudaGraphCondTypeWhile:
      return parameters.size == 1;
    case cudaGraphCondTypeSwitch:
      return parameters.size > 0;
  }
  return false;
}

cudaError_t add_conditional_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 cudaConditionalNodeParams& parameters) {
  simt::GraphCondition* const condition = simt::condition_of(parameters.handle);
  if (condition == nullptr || !is_valid(parameters)) return result(cudaErrorInvalidValue);
  StreamWork work;
  work.type = cudaGraphNodeTypeConditional;
  const cudaError_t error = add_node(node, graph, dependencies, count, std::move(work));
  if (error != cudaSuccess) return error;
  (*node)->condition = condition;
  (*node)->choice = parameters.type;
  for (unsigned i = 0; i < parameters.size; ++i)
    (*node)->bodies.push_back(graphs().create({}));
  parameters.phGraph_out = (*node)->bodies.data();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data,
                             std::size_t count, cudaGraphNodeParams* parameters) {
  SIMT_HOST_CALL;
  const cudaError_t error = refuse_data_of_edges(data);
  if (error != cudaSuccess) return result(error);
  if (parameters == nullptr) return result(cudaErrorInvalidValue);
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, dependencies, count, &parameters->kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, dependencies, count,
                                    &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, dependencies, count, &parameters->memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, dependencies, count, &parameters->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, count, parameters->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, dependencies, count, &parameters->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional_node(node, graph, dependencies, count, parameters->conditional);
  }
  return result(cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (!graphs().contains(graph)) return result(cudaErrorInvalidValue);
  Nodes all;
  for (CUgraphNode_st& node : graph->nodes)
    all.push_back(&node);
  return list(all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (!graphs().contains(graph)) return result(cudaErrorInvalidValue);
  Nodes roots;
  for (CUgraphNode_st& node : graph->nodes) {
    if (node.dependencies.empty()) roots.push_back(&node);
  }
  return list(roots, nodes, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (node == nullptr || type == nullptr) return result(cudaErrorInvalidValue);
  *type = node->work.type;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  SIMT_HOST_CALL;
  if (node == nullptr || node->work.type != cudaGraphNodeTypeKernel)
    return result(cudaErrorInvalidValue);
  return result(kernel_work(node->work, parameters));
}

// ---- executables ------------------------------------------------------------------------------

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  SIMT_HOST_CALL;
  if (executable == nullptr || !graphs().contains(graph)) return result(cudaErrorInvalidValue);
  *executable = nullptr;
  if (flags != 0) {
    report_not_available("cudaGraphInstantiate with flags");
    return result(cudaErrorNotSupported);
  }
  CUgraphExec_st made = executable_of(*graph);
  if (made.has_circle) return result(cudaErrorInvalidValue);
  *executable = executables().create(made);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 cudaGraphNode_t* error_node, char* log, std::size_t log_bytes) {
  SIMT_HOST_CALL;
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return cudaGraphInstantiate(executable, graph, 0ull);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  SIMT_HOST_CALL;
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  SIMT_HOST_CALL;
  if (!executables().contains(executable)) return result(cudaErrorInvalidValue);
  if (simt::is_capturing(stream)) {
    simt::capture(stream, child_work(*executable));
    return cudaSuccess;
  }
  return run_all(*executable);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return result(executables().contains(executable) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return result(executables().destroy(executable) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  SIMT_HOST_CALL;
  if (!executables().contains(executable)) return result(cudaErrorInvalidValue);
  for (CUgraphExec_st::Step& step : executable->steps) {
    if (step.node != node || step.work.type != cudaGraphNodeTypeKernel) continue;
    return result(kernel_work(step.work, parameters));
  }
  return result(cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  if (!executables().contains(executable) || !graphs().contains(graph) || info == nullptr)
    return result(cudaErrorInvalidValue);
  const CUgraphExec_st updated = executable_of(*graph);
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  if (updated.steps.size() != executable->steps.size())
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < updated.steps.size() && info->result == cudaGraphExecUpdateSuccess;
       ++i) {
    const CUgraphExec_st::Step& before = executable->steps[i];
    const CUgraphExec_st::Step& after = updated.steps[i];
    if (before.dependencies != after.dependencies)
      info->result = cudaGraphExecUpdateErrorTopologyChanged;
    else if (before.work.type != after.work.type)
      info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    if (info->result != cudaGraphExecUpdateSuccess) info->errorNode = after.node;
  }
  if (info->result != cudaGraphExecUpdateSuccess) return result(cudaErrorGraphExecUpdateFailure);
  for (std::size_t i = 0; i < updated.steps.size(); ++i)
    executable->steps[i].work = updated.steps[i].work;
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* outcome) {
  cudaGraphExecUpdateResultInfo info{cudaGraphExecUpdateError, nullptr, nullptr};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (outcome != nullptr) *outcome = info.result;
  return error;
}

/// \file
/// CUDA graphs: work that is written down, by capture of a stream or node by node, and runs later,
/// as often as it is launched. A launch runs its nodes at once, in an order that their dependencies
/// allow.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/executor/devices.h"
#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/c_api.h"
#include "simt/include/cuda_standin/kernel_call.h"
#include "simt/include/cuda_standin/runtime_types.h"
#include "simt/include/cuda_standin/texture_types.h"
#include "simt/include/cuda_standin/vector_types.h"

namespace simt {

/// A launch with copies of its arguments, which may run many times.
using KernelLaunch = std::function<void(const char* name, const LaunchConfig& config)>;

/// A kernel whose parameters are not known where it is kept: who kept it knew how to take its
/// arguments.
class KernelFunction {
 public:
  KernelFunction() = default;
  KernelFunction(std::nullptr_t) {}
  /// Of 0, as in `cudaKernelNodeParams parameters = {0}`.
  KernelFunction(int /*zero*/) {}
  /// Its parameters are lost: such a kernel cannot run.
  KernelFunction(const void* address) : address_(address) {}
  template <typename... Parameters>
  KernelFunction(void (*kernel)(Parameters...), const char* name = "kernel of a graph");
  /// What the translator makes of a kernel that is assigned.
  template <typename Named, typename = decltype(std::declval<Named>().kernel)>
  KernelFunction(Named named) : KernelFunction(named.kernel, named.name) {}

  const void* address() const { return address_; }
  const char* name() const { return name_; }
  bool has_parameters() const { return bind_ != nullptr; }
  /// Copies the arguments that these pointers lead to.
  KernelLaunch bind(void** arguments) const { return bind_(address_, arguments); }

 private:
  const void* address_ = nullptr;
  const char* name_ = "";
  KernelLaunch (*bind_)(const void* kernel, void** arguments) = nullptr;
};

/// Something that a stream is told to do.
struct StreamWork {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;  ///< what kind of node it becomes
  std::function<cudaError_t()> run;                 ///< for all but kernels
  KernelLaunch launch;                              ///< for kernels
  const char* kernel = "";                          ///< as the source spells it
  LaunchConfig config;
  int device = current_device();  ///< where it runs
  void* memory = nullptr;         ///< that it allocates or frees
};
/// Whether the stream is being captured.
bool is_capturing(cudaStream_t stream);
/// Adds it to the graph that the stream is captured for.
void capture(cudaStream_t stream, StreamWork work);
/// An allocation, and its end, as nodes of that graph.
cudaError_t capture_malloc(cudaStream_t stream, void** address, std::size_t bytes,
                           std::size_t element_bytes);
cudaError_t capture_free(cudaStream_t stream, void* address);
/// Of a kernel.
void capture_launch(const char* kernel, const LaunchConfig& config, KernelLaunch launch);
/// The same of what a call of the runtime API does: whether it was captured.
template <typename Run>
bool capture_call(cudaStream_t stream, cudaGraphNodeType type, Run run) {
  if (!is_capturing(stream)) return false;
  StreamWork work;
  work.type = type;
  work.run = run;
  capture(stream, std::move(work));
  return true;
}
inline cudaStream_t stream_of(const LaunchConfig& config) {
  return static_cast<cudaStream_t>(const_cast<void*>(config.stream));
}

}  // namespace simt

struct cudaKernelNodeParams {
  simt::KernelFunction func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned sharedMemBytes = 0;
  void** kernelParams = nullptr;
  void** extra = nullptr;
};

struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value;
  unsigned elementSize;
  std::size_t width;
  std::size_t height;
};

struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

struct cudaMemcpyNodeParams {
  int flags;
  int reserved[3];
  cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  std::size_t accessDescCount;
  std::size_t bytesize;
  void* dptr;  ///< where the memory will be
};
struct cudaMemFreeNodeParams {
  void* dptr;
};
struct cudaConditionalNodeParams {
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalNodeType type;
  unsigned size;             ///< how many graphs the node chooses from
  cudaGraph_t* phGraph_out;  ///< these, which the node owns
};

/// CUDA's is a union. Here each kind of node has a place of its own, since a kernel's knows more.
struct cudaGraphNodeParams {
  cudaGraphNodeType type;
  int reserved0[3];
  cudaKernelNodeParams kernel;
  cudaMemcpyNodeParams memcpy;
  cudaMemsetParams memset;
  cudaHostNodeParams host;
  cudaChildGraphNodeParams graph;
  cudaMemAllocNodeParams alloc;
  cudaMemFreeNodeParams free;
  cudaConditionalNodeParams conditional;
};

struct cudaGraphEdgeData {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};

struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode;
  cudaGraphNode_t errorFromNode;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
/// What the stream does is added to a graph that there is. Data of edges is refused.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* data, std::size_t count,
                                          cudaStreamCaptureMode mode);
/// `graph` may be null where the capture began with a graph.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
/// `dependencies` gets the address of an array that is valid until the stream's next call.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                     const cudaGraphNode_t** dependencies = nullptr,
                                     const cudaGraphEdgeData** data = nullptr,
                                     std::size_t* count = nullptr);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* data, std::size_t count,
                                                unsigned flags = 0);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count);
/// The child is copied: what becomes of it later changes nothing.
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child);
/// The memory's address is known at once, and it is there from one launch of the node until
/// somebody frees it. Peers reach it as they reach any other.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters);
/// Once in a graph, of what a node of any graph allocates.
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* address);
/// `value` points to a std::uint64_t. Used is what is reserved: the most that graphs have had since
/// it was trimmed to what they have.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value);
cudaError_t cudaDeviceGraphMemTrim(int device);
/// A node of any kind that there is here. Data of edges is refused.
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data,
                             std::size_t count, cudaGraphNodeParams* parameters);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned at_first = 0, unsigned flags = 0);
/// Called by kernels.
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count);
/// As CUDA 13 has it; data of edges is refused.
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                     std::size_t count);
/// `count` is the room in `nodes`, and then how many there are; without `nodes` only that.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters);

/// Refuses a graph whose dependencies form a circle.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
/// As CUDA 11 has it.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 cudaGraphNode_t* error_node, char* log, std::size_t log_bytes);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
/// `node` is one of the graph that was instantiated.
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters);
/// Takes all parameters of a graph of the same shape.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result);
/// As CUDA 11 has it.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result);

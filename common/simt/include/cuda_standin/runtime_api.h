/// \file
/// The CUDA runtime API, as far as the executor supports it. Everything runs at once and in order,
/// so streams and events only exist. What the executor does not have (graphs, times, grid-wide
/// barriers) returns cudaErrorNotSupported. Errors are remembered for cudaGetLastError(), as CUDA's
/// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "common/simt/include/cuda_standin/launch.h"
#include "common/simt/include/cuda_standin/runtime_types.h"

// ---- errors -----------------------------------------------------------------------------------

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// ---- devices ----------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);

// ---- memory -----------------------------------------------------------------------------------

namespace simt {
/// cudaMalloc() of elements whose size is known.
cudaError_t malloc_elements(void** address, std::size_t bytes, std::size_t element_bytes);
}  // namespace simt

cudaError_t cudaMalloc(void** address, std::size_t bytes);
cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t stream);
/// Managed memory is the host's: kernels may use it, but their accesses to it are neither counted
/// nor checked.
cudaError_t cudaMallocManaged(void** address, std::size_t bytes,
                              unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(void** address, std::size_t bytes);
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned flags);
cudaError_t cudaFree(void* address);
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);

template <typename T>
cudaError_t cudaMalloc(T** address, std::size_t bytes) {
  return simt::malloc_elements(reinterpret_cast<void**>(address), bytes, sizeof(T));
}
template <typename T>
cudaError_t cudaMallocAsync(T** address, std::size_t bytes, cudaStream_t) {
  return simt::malloc_elements(reinterpret_cast<void**>(address), bytes, sizeof(T));
}
template <typename T>
cudaError_t cudaMallocManaged(T** address, std::size_t bytes,
                              unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags);
}
template <typename T>
cudaError_t cudaMallocHost(T** address, std::size_t bytes, unsigned flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void**>(address), bytes, flags);
}
template <typename T>
cudaError_t cudaHostAlloc(T** address, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(address), bytes, flags);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* address, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes,
                            cudaStream_t stream = nullptr);

namespace simt {
/// Copies into or out of a `__device__` or `__constant__` variable of `size` bytes.
cudaError_t copy_to_symbol(void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset);
}  // namespace simt

template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return simt::copy_to_symbol(&symbol, sizeof(symbol), from, bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind, cudaStream_t = nullptr) {
  return simt::copy_to_symbol(&symbol, sizeof(symbol), from, bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return simt::copy_from_symbol(to, &symbol, sizeof(symbol), bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind, cudaStream_t = nullptr) {
  return simt::copy_from_symbol(to, &symbol, sizeof(symbol), bytes, offset);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** address, T& symbol) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = &symbol;
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T& symbol) {
  if (size == nullptr) return cudaErrorInvalidValue;
  *size = sizeof(symbol);
  return cudaSuccess;
}

// ---- streams and events -----------------------------------------------------------------------

using cudaHostFn_t = void (*)(void* data);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/// cudaErrorNotSupported: the executor's time says nothing about a GPU's.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// ---- graphs: cudaErrorNotSupported ------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

// ---- kernels ----------------------------------------------------------------------------------

namespace simt {
cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t kernel_attributes(cudaFuncAttributes* attributes, const void* kernel);
/// Blocks that fit an SM by its threads and its shared memory; registers are not known here.
cudaError_t active_blocks(int* blocks, int block_size, std::size_t dynamic_shared_bytes);
cudaError_t potential_block_size(int* min_grid_size, int* block_size,
                                 std::size_t dynamic_shared_bytes, int block_size_limit);
/// The launch shape and clusters of a cudaLaunchConfig_t; an attribute that the executor lacks is
/// an error.
cudaError_t read_launch_config(LaunchConfig* to, const cudaLaunchConfig_t* from,
                               const void* kernel);
/// The error of the launch just made; if there is none, `earlier_error` is the last error again.
cudaError_t launch_result(int earlier_error);

inline constexpr char kUnnamedKernel[] = "kernel launched through its address";

template <typename... Parameters, std::size_t... i>
void call_unpacked(void (*kernel)(Parameters...), void** arguments, std::index_sequence<i...>) {
  kernel(*static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
}
}  // namespace simt

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return simt::set_kernel_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
  return simt::kernel_attributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int block_size,
                                                          std::size_t dynamic_shared_bytes) {
  return simt::active_blocks(blocks, block_size, dynamic_shared_bytes);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, Kernel,
                                               std::size_t dynamic_shared_bytes = 0,
                                               int block_size_limit = 0) {
  return simt::potential_block_size(min_grid_size, block_size, dynamic_shared_bytes,
                                    block_size_limit);
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  simt::LaunchConfig launch_config;
  const cudaError_t error =
      simt::read_launch_config(&launch_config, config, reinterpret_cast<const void*>(kernel));
  if (error != cudaSuccess) return error;
  std::tuple<Parameters...> converted(std::forward<Arguments>(arguments)...);
  auto body = [&] { std::apply(kernel, converted); };
  const int earlier_error = simt::take_error();
  simt::launch_body(simt::kUnnamedKernel, launch_config, body);
  return simt::launch_result(earlier_error);
}

template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t = nullptr) {
  const simt::LaunchConfig config{simt::to_dim3(grid),
                                  simt::to_dim3(block),
                                  dynamic_shared_bytes,
                                  {},
                                  reinterpret_cast<const void*>(kernel)};
  auto body = [&] {
    simt::call_unpacked(kernel, arguments, std::index_sequence_for<Parameters...>{});
  };
  const int earlier_error = simt::take_error();
  simt::launch_body(simt::kUnnamedKernel, config, body);
  return simt::launch_result(earlier_error);
}

/// cudaErrorNotSupported: the executor runs blocks in turn, so a barrier of the whole grid cannot
/// be had.
template <typename Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel*, dim3, dim3, void**, std::size_t = 0,
                                        cudaStream_t = nullptr) {
  simt::set_error(cudaErrorNotSupported);
  return cudaErrorNotSupported;
}

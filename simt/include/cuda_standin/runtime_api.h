/// \file
/// The CUDA runtime API, as far as the executor supports it: c_api.h, and what needs C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/include/cuda_standin/c_api.h"
#include "simt/include/cuda_standin/graphs.h"
#include "simt/include/cuda_standin/launch.h"
#include "simt/include/cuda_standin/runtime_types.h"

// ---- memory -----------------------------------------------------------------------------------

namespace simt {
/// Where an address goes that is to be one of T, which may be const.
template <typename T>
void** untyped(T** address) {
  return reinterpret_cast<void**>(const_cast<std::remove_cv_t<T>**>(address));
}
/// cudaMalloc() of elements whose size is known.
cudaError_t malloc_elements(void** address, std::size_t bytes, std::size_t element_bytes);
/// cudaMallocManaged() of elements whose size is known.
cudaError_t malloc_managed_elements(void** address, std::size_t bytes, unsigned flags,
                                    std::size_t element_bytes);
/// The same, of elements whose size is known; without a pool, from the device's current one.
cudaError_t malloc_from_pool(void** address, std::size_t bytes, std::size_t element_bytes,
                             cudaMemPool_t pool = nullptr);
/// From the current pool of the stream's device.
cudaError_t malloc_in_stream(void** address, std::size_t bytes, std::size_t element_bytes,
                             cudaStream_t stream);
}  // namespace simt
template <typename T>
cudaError_t cudaMallocAsync(T** address, std::size_t bytes, cudaStream_t stream) {
  return simt::malloc_in_stream(simt::untyped(address), bytes, sizeof(T), stream);
}
/// What is captured is memory of the graph's, whatever the pool.
template <typename T>
cudaError_t cudaMallocFromPoolAsync(T** address, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (simt::is_capturing(stream)) return cudaMallocAsync(address, bytes, stream);
  return simt::malloc_from_pool(simt::untyped(address), bytes, sizeof(T), pool);
}
template <typename T>
cudaError_t cudaMallocAsync(T** address, std::size_t bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(address, bytes, pool, stream);
}

template <typename T>
cudaError_t cudaMallocPitch(T** address, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return cudaMallocPitch(simt::untyped(address), pitch, width, height);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** device_address, void* host_address, unsigned flags) {
  return cudaHostGetDevicePointer(simt::untyped(device_address), host_address, flags);
}
template <typename T>
cudaError_t cudaMalloc(T** address, std::size_t bytes) {
  return simt::malloc_elements(simt::untyped(address), bytes, sizeof(T));
}
template <typename T>
cudaError_t cudaMallocManaged(T** address, std::size_t bytes,
                              unsigned flags = cudaMemAttachGlobal) {
  return simt::malloc_managed_elements(simt::untyped(address), bytes, flags, sizeof(T));
}
template <typename T>
cudaError_t cudaMallocHost(T** address, std::size_t bytes, unsigned flags = 0) {
  return cudaHostAlloc(simt::untyped(address), bytes, flags);
}
template <typename T>
cudaError_t cudaHostAlloc(T** address, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(simt::untyped(address), bytes, flags);
}

cudaError_t cudaMemPrefetchAsync(const void* address, std::size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* address, std::size_t bytes, cudaMemoryAdvise advice,
                          int device);

namespace simt {
/// Copies into or out of a `__device__` or `__constant__` variable of `size` bytes.
cudaError_t copy_to_symbol(void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset);
/// Copies to and from the device may use that address: somebody has asked for it.
void note_symbol(const void* symbol, std::size_t size);
template <typename T>
void* address_of_symbol(T& symbol) {
  return const_cast<void*>(static_cast<const volatile void*>(&symbol));
}
}  // namespace simt

template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return simt::copy_to_symbol(simt::address_of_symbol(symbol), sizeof(symbol), from, bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind,
                                    cudaStream_t stream = nullptr) {
  void* const to = simt::address_of_symbol(symbol);
  const auto copy = [=] { return simt::copy_to_symbol(to, sizeof(T), from, bytes, offset); };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemcpy, copy)) return cudaSuccess;
  return copy();
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return simt::copy_from_symbol(to, simt::address_of_symbol(symbol), sizeof(symbol), bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind,
                                      cudaStream_t stream = nullptr) {
  const void* const from = simt::address_of_symbol(symbol);
  const auto copy = [=] { return simt::copy_from_symbol(to, from, sizeof(T), bytes, offset); };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemcpy, copy)) return cudaSuccess;
  return copy();
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** address, T& symbol) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = simt::address_of_symbol(symbol);
  simt::note_symbol(*address, sizeof(symbol));
  return cudaSuccess;
}
template <typename T, typename Symbol>
cudaError_t cudaGetSymbolAddress(T** address, Symbol& symbol) {
  return cudaGetSymbolAddress(simt::untyped(address), symbol);
}
template <typename T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T& symbol) {
  if (size == nullptr) return cudaErrorInvalidValue;
  *size = sizeof(symbol);
  return cudaSuccess;
}

// ---- streams and events -----------------------------------------------------------------------

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags);

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

/// Whether an H200 can hold all blocks of that grid at a time, by threads and dynamic shared
/// memory.
cudaError_t check_cooperative(const LaunchConfig& config);

/// The translator wraps the kernel of cudaLaunchKernel() and its like into this, so that the launch
/// knows how the source spells it.
template <typename Kernel>
struct NamedKernel {
  const char* name;
  Kernel kernel;
  explicit operator const void*() const { return reinterpret_cast<const void*>(kernel); }
};
template <typename Kernel>
NamedKernel<Kernel*> named_kernel(const char* name, Kernel* kernel) {
  return {name, kernel};
}
inline constexpr char kUnnamedKernel[] = "kernel launched through its address";
template <typename... Parameters>
NamedKernel<void (*)(Parameters...)> named(void (*kernel)(Parameters...)) {
  return {kUnnamedKernel, kernel};
}
template <typename... Parameters>
NamedKernel<void (*)(Parameters...)> named(NamedKernel<void (*)(Parameters...)> kernel) {
  return kernel;
}

template <typename... Parameters, std::size_t... i>
void call_unpacked(void (*kernel)(Parameters...), void** arguments, std::index_sequence<i...>) {
  call_kernel(kernel, *static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
}

template <typename... Parameters, std::size_t... i>
void note_unpacked(void** arguments, std::index_sequence<i...>) {
  (note_argument(*static_cast<std::remove_reference_t<Parameters>*>(arguments[i])), ...);
}

template <typename... Parameters, typename... Arguments>
SIMT_INLINE cudaError_t launch_by_config(const cudaLaunchConfig_t* config,
                                         NamedKernel<void (*)(Parameters...)> kernel,
                                         Arguments&&... arguments) {
  LaunchConfig launch_config;
  const cudaError_t error =
      read_launch_config(&launch_config, config, static_cast<const void*>(kernel));
  if (error != cudaSuccess) return error;
  std::tuple<Parameters...> converted(std::forward<Arguments>(arguments)...);
  if (is_capturing(config->stream)) {
    capture_launch(kernel.name, launch_config,
                   keep_pointer_launch(kernel.kernel, std::move(converted)));
    return cudaSuccess;
  }
  std::apply([](const auto&... each) { (note_argument(each), ...); }, converted);
  auto body = [&] {
    std::apply([&](const auto&... each) { call_kernel(kernel.kernel, each...); }, converted);
  };
  const int earlier_error = take_error();
  launch_body(kernel.name, launch_config, body);
  return launch_result(earlier_error);
}

template <typename... Parameters>
cudaError_t launch_by_pointers(NamedKernel<void (*)(Parameters...)> kernel,
                               const LaunchConfig& config, void** arguments) {
  if (is_capturing(stream_of(config))) {
    const KernelFunction function(kernel.kernel, kernel.name);
    capture_launch(kernel.name, config, function.bind(arguments));
    return cudaSuccess;
  }
  note_unpacked<Parameters...>(arguments, std::index_sequence_for<Parameters...>{});
  auto body = [&] {
    call_unpacked(kernel.kernel, arguments, std::index_sequence_for<Parameters...>{});
  };
  const int earlier_error = take_error();
  launch_body(kernel.name, config, body);
  return launch_result(earlier_error);
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
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel,
                                                                   int block_size,
                                                                   std::size_t dynamic_shared_bytes,
                                                                   unsigned) {
  return simt::active_blocks(blocks, block_size, dynamic_shared_bytes);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, Kernel,
                                               std::size_t dynamic_shared_bytes = 0,
                                               int block_size_limit = 0) {
  return simt::potential_block_size(min_grid_size, block_size, dynamic_shared_bytes,
                                    block_size_limit);
}

template <typename Kernel, typename... Arguments>
SIMT_INLINE cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, Kernel kernel,
                                           Arguments&&... arguments) {
  return simt::launch_by_config(config, simt::named(kernel), std::forward<Arguments>(arguments)...);
}

template <typename Kernel>
cudaError_t cudaLaunchKernel(Kernel kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
  const auto named = simt::named(kernel);
  return simt::launch_by_pointers(named,
                                  {.grid = simt::to_dim3(grid),
                                   .block = simt::to_dim3(block),
                                   .dynamic_shared_bytes = dynamic_shared_bytes,
                                   .cluster = {},
                                   .kernel = static_cast<const void*>(named),
                                   .cooperative = false,
                                   .stream = stream},
                                  arguments);
}

/// A grid whose blocks are all resident, and may meet at a barrier.
template <typename Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t dynamic_shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  const auto named = simt::named(kernel);
  const simt::LaunchConfig config{.grid = simt::to_dim3(grid),
                                  .block = simt::to_dim3(block),
                                  .dynamic_shared_bytes = dynamic_shared_bytes,
                                  .cluster = {},
                                  .kernel = static_cast<const void*>(named),
                                  .cooperative = true,
                                  .stream = stream};
  const cudaError_t error = simt::check_cooperative(config);
  if (error != cudaSuccess) return error;
  return simt::launch_by_pointers(named, config, arguments);
}

// The executor as a device: an H200's limits, a name of its own.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "simt/executor/devices.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/device_limits.h"
#include "simt/runtime/memory_pools.h"
#include "simt/runtime/result.h"

namespace {

using namespace simt::device_limits;

constexpr char kName[] = "simt CPU executor";
constexpr int kVersion = 13000;

/// Of the calling thread's device; all have as much.
std::size_t total_memory() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  simt::device_memory_info(&free_bytes, &total_bytes);
  return total_bytes;
}

/// What the calling thread's device has been told to set aside of L2, on which nothing here
/// depends.
std::atomic<std::size_t>& persisting_l2_bytes() {
  static auto& of_devices =
      *new std::vector<std::atomic<std::size_t>>(static_cast<std::size_t>(simt::device_count()));
  return of_devices[static_cast<std::size_t>(simt::current_device())];
}

void set(int* member, std::initializer_list<int> values) {
  std::copy(values.begin(), values.end(), member);
}

/// What is not set is 0.
cudaDeviceProp device_properties() {
  cudaDeviceProp properties = {};
  std::memcpy(properties.name, kName, sizeof(kName));
  properties.totalGlobalMem = total_memory();
  properties.sharedMemPerBlock = kSharedBytesPerBlock;
  properties.regsPerBlock = kRegisters;
  properties.warpSize = kWarpSize;
  properties.memPitch = kMaxGridX;
  properties.maxThreadsPerBlock = kThreadsPerBlock;
  std::copy_n(kMaxBlockShape, 3, properties.maxThreadsDim);
  std::copy_n(kMaxGridShape, 3, properties.maxGridSize);
  properties.totalConstMem = kConstantBytes;
  properties.major = kComputeCapabilityMajor;
  properties.minor = kComputeCapabilityMinor;
  properties.textureAlignment = kTextureAlignment;
  properties.texturePitchAlignment = kTexturePitchAlignment;
  properties.multiProcessorCount = kMultiprocessors;
  properties.canMapHostMemory = 1;
  properties.maxTexture1D = kMaxTexture1D;
  std::copy_n(kMaxTexture2D, 2, properties.maxTexture2D);
  std::copy_n(kMaxLinearTexture2D, 3, properties.maxTexture2DLinear);
  std::fill_n(properties.maxTexture3D, 3, kMaxTexture3D);
  properties.maxTextureCubemap = kMaxLayered;
  set(properties.maxTexture1DLayered, {kMaxLayered, kMaxLayers});
  set(properties.maxTexture2DLayered, {kMaxLayered, kMaxLayered, kMaxLayers});
  set(properties.maxTextureCubemapLayered, {kMaxLayered, kMaxCubemapLayers});
  properties.maxSurface1D = kMaxLayered;
  std::copy_n(kMaxTexture2D, 2, properties.maxSurface2D);
  std::fill_n(properties.maxSurface3D, 3, kMaxTexture3D);
  set(properties.maxSurface2DLayered, {kMaxLayered, kMaxLayered, kMaxLayers});
  properties.surfaceAlignment = kTextureAlignment;
  // All is done in turn here; but programs that find no engine for copies end at once.
  properties.concurrentKernels = 1;
  properties.asyncEngineCount = kCopyEngines;
  properties.deviceOverlap = 1;
  properties.unifiedAddressing = 1;
  properties.memoryBusWidth = kMemoryBusBits;
  properties.clockRate = kClockKilohertz;
  properties.memoryClockRate = kMemoryClockKilohertz;
  properties.computeMode = cudaComputeModeDefault;
  properties.l2CacheSize = kL2Bytes;
  properties.persistingL2CacheMaxSize = kPersistingL2Bytes;
  properties.accessPolicyMaxWindowSize = kMaxAccessPolicyWindow;
  properties.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  properties.sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor;
  properties.regsPerMultiprocessor = kRegisters;
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.managedMemory = 1;
  properties.singleToDoublePrecisionPerfRatio = kFloatsPerDouble;
  properties.concurrentManagedAccess = 1;
  properties.computePreemptionSupported = 1;
  properties.canUseHostPointerForRegisteredMem = 1;
  properties.cooperativeLaunch = 1;
  properties.sharedMemPerBlockOptin = kSharedBytesPerBlockOptIn;
  properties.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  properties.reservedSharedMemPerBlock = kReservedSharedBytesPerBlock;
  properties.hostRegisterSupported = 1;
  properties.memoryPoolsSupported = 1;
  properties.clusterLaunch = 1;
  return properties;
}

/// -1 for an attribute that is not known here.
int attribute_value(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return kThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return kMaxBlockShape[0];
    case cudaDevAttrMaxBlockDimY:
      return kMaxBlockShape[1];
    case cudaDevAttrMaxBlockDimZ:
      return kMaxBlockShape[2];
    case cudaDevAttrMaxGridDimX:
      return kMaxGridShape[0];
    case cudaDevAttrMaxGridDimY:
      return kMaxGridShape[1];
    case cudaDevAttrMaxGridDimZ:
      return kMaxGridShape[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return kSharedBytesPerBlock;
    case cudaDevAttrTotalConstantMemory:
      return kConstantBytes;
    case cudaDevAttrWarpSize:
      return kWarpSize;
    case cudaDevAttrMaxRegistersPerBlock:
      return kRegisters;
    case cudaDevAttrMultiProcessorCount:
      return kMultiprocessors;
    case cudaDevAttrIntegrated:
      return 0;
    case cudaDevAttrCanMapHostMemory:
      return 1;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrGpuOverlap:
      return 1;
    case cudaDevAttrAsyncEngineCount:
      return kCopyEngines;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrCanFlushRemoteWrites:
    case cudaDevAttrSparseCudaArraySupported:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrTimelineSemaphoreInteropSupported:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
    case cudaDevAttrDeferredMappingCudaArraySupported:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrCooperativeMultiDeviceLaunch:
      return 0;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return kTextureAlignment;
    case cudaDevAttrMaxTexture1DWidth:
      return kMaxTexture1D;
    case cudaDevAttrMaxTexture2DWidth:
    case cudaDevAttrMaxSurface2DWidth:
      return kMaxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight:
    case cudaDevAttrMaxSurface2DHeight:
      return kMaxTexture2D[1];
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth:
      return kMaxTexture3D;
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTextureCubemapWidth:
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
    case cudaDevAttrMaxSurface1DWidth:
    case cudaDevAttrMaxSurface1DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredHeight:
    case cudaDevAttrMaxSurfaceCubemapWidth:
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
      return kMaxLayered;
    case cudaDevAttrMaxTexture2DLayeredLayers:
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxSurface1DLayeredLayers:
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return kMaxLayers;
    case cudaDevAttrTexturePitchAlignment:
      return kTexturePitchAlignment;
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return kMaxCubemapLayers;
    case cudaDevAttrMaxTexture1DLinearWidth:
      return kMaxLinearTexture;
    case cudaDevAttrMaxTexture2DLinearWidth:
      return kMaxLinearTexture2D[0];
    case cudaDevAttrMaxTexture2DLinearHeight:
      return kMaxLinearTexture2D[1];
    case cudaDevAttrMaxTexture2DLinearPitch:
      return kMaxLinearTexture2D[2];
    case cudaDevAttrComputeMode:
      return cudaComputeModeDefault;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return kFloatsPerDouble;
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterSupported:
      return 1;
    case cudaDevAttrGlobalMemoryBusWidth:
      return kMemoryBusBits;
    case cudaDevAttrL2CacheSize:
      return kL2Bytes;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return kPersistingL2Bytes;
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return kMaxAccessPolicyWindow;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return kThreadsPerMultiprocessor;
    case cudaDevAttrUnifiedAddressing:
      return 1;
    case cudaDevAttrComputeCapabilityMajor:
      return kComputeCapabilityMajor;
    case cudaDevAttrComputeCapabilityMinor:
      return kComputeCapabilityMinor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return kSharedBytesPerMultiprocessor;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return kRegisters;
    case cudaDevAttrManagedMemory:
      return 1;
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
      return 1;
    case cudaDevAttrMaxPitch:
      return kMaxGridX;
    case cudaDevAttrClockRate:
      return kClockKilohertz;
    case cudaDevAttrMemoryClockRate:
      return kMemoryClockKilohertz;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return kSharedBytesPerBlockOptIn;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return kBlocksPerMultiprocessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return kReservedSharedBytesPerBlock;
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    case cudaDevAttrClusterLaunch:
      return 1;
    default:
      return -1;
  }
}

}  // namespace

using simt::is_device;
using simt::result;

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return result(cudaErrorInvalidValue);
  *count = simt::device_count();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return result(cudaErrorInvalidValue);
  *device = simt::current_device();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  simt::set_current_device(device);
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  if (device == nullptr || properties == nullptr) return result(cudaErrorInvalidValue);
  *device = 0;  // all are alike: it is as near as any to whatever is asked for
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (properties == nullptr) return result(cudaErrorInvalidValue);
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  *properties = device_properties();
  properties->pciBusID = device;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (value == nullptr) return result(cudaErrorInvalidValue);
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  const int known = attribute == cudaDevAttrPciBusId ? device : attribute_value(attribute);
  if (known < 0) return result(cudaErrorInvalidValue);
  *value = known;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return simt::kernel_failure();
}

cudaError_t cudaDeviceReset() {
  simt::free_all_device_memory();
  simt::note_all_freed_to_pools();
  persisting_l2_bytes() = 0;
  simt::take_error();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit == cudaLimitPersistingL2CacheSize) {
    persisting_l2_bytes() = std::min<std::size_t>(value, kPersistingL2Bytes);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (value == nullptr) return result(cudaErrorInvalidValue);
  switch (limit) {
    case cudaLimitStackSize:
      *value = kStackBytes;
      return cudaSuccess;
    case cudaLimitPrintfFifoSize:
    case cudaLimitMallocHeapSize:
      *value = kHeapBytes;
      return cudaSuccess;
    case cudaLimitPersistingL2CacheSize:
      *value = persisting_l2_bytes();
      return cudaSuccess;
  }
  return result(cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestStreamPriority;
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (flags == nullptr) return result(cudaErrorInvalidValue);
  *flags = cudaDeviceScheduleAuto;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return result(cudaErrorInvalidValue);
  *version = kVersion;
  return cudaSuccess;
}

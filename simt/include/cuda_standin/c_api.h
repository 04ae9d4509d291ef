/// \file
/// The functions of the CUDA runtime API that have C's linkage, for sources in C as well.
/// Everything runs at once and in order, so streams and events only exist, and are captured for
/// graphs. Errors are remembered for cudaGetLastError(), as CUDA's are.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "simt/include/cuda_standin/runtime_types.h"

#ifdef __cplusplus
#define SIMT_DEFAULT(value) = value
extern "C" {
#else
#define SIMT_DEFAULT(value)  // C has no default arguments
#endif

// ---- errors -----------------------------------------------------------------------------------

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// ---- devices ----------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp* properties);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit);
/// Caches are not modelled: nothing is in one that could go back to normal.
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned* flags);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);

// Names that CUDA once had, as older programs still call them.
static inline cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}
static inline cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}
static inline cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
static inline cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
static inline cudaError_t cudaThreadGetLimit(size_t* value, enum cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}

// ---- memory -----------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** address, size_t bytes);
cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream);
/// Kernels' accesses are counted and checked as those to other memory of the device; but whether it
/// was written is not known, because the host may write it through library functions.
cudaError_t cudaMallocManaged(void** address, size_t bytes,
                              unsigned flags SIMT_DEFAULT(cudaMemAttachGlobal));

// Pools count what is allocated from them. Memory goes back to the device at once, so that none is
// reserved beyond what is used.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
/// cudaErrorNotSupported for pools that other processes could share.
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const struct cudaMemPoolProps* properties);
/// cudaErrorInvalidValue for the default pool, which is nobody's to destroy.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
/// `value` points to an int for the rules of reuse (1 to 3), else to a uint64_t.
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void* value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc* list,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 struct cudaMemLocation* location);
cudaError_t cudaMallocFromPoolAsync(void** address, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);

cudaError_t cudaMallocHost(void** address, size_t bytes);
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags);
cudaError_t cudaFree(void* address);
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);

/// Rows that begin at multiples of 512 bytes.
cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height);
/// Memory of the host that kernels may use anyway.
cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* address);
cudaError_t cudaHostGetDevicePointer(void** device_address, void* host_address, unsigned flags);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* address);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream SIMT_DEFAULT(0));
/// Between devices, of which there is one.
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemset(void* address, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes,
                            cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemset2D(void* address, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void* address, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream SIMT_DEFAULT(0));

// Managed memory is everywhere at once: advice changes nothing.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* address,
                                     size_t bytes SIMT_DEFAULT(0),
                                     unsigned flags SIMT_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaMemPrefetchAsync(const void* address, size_t bytes, struct cudaMemLocation where,
                                 unsigned flags, cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemAdvise(const void* address, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation where);

// ---- streams and events -----------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
/// Attributes are kept and change nothing: neither what is counted nor when work is done.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaStreamAttrID attribute,
                                   const union cudaStreamAttrValue* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaStreamAttrID attribute,
                                   union cudaStreamAttrValue* value);
/// Both are of one device.
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
/// Refused while the stream is captured.
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags SIMT_DEFAULT(0));

typedef void (*cudaHostFn_t)(void* data);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/// NaN: the executor's time says nothing about a GPU's.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags);

#undef SIMT_DEFAULT

#ifdef __cplusplus
}
#endif

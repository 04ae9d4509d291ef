// Which device reaches the memory of which: any that of any other, once the program has said so.

#include "simt/executor/devices.h"
#include "simt/executor/findings/host_call.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/result.h"

using simt::is_device;
using simt::result;

namespace {

/// The device that the calling thread uses is none of its own.
bool is_peer(int device) {
  return is_device(device) && device != simt::current_device();
}

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return result(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer)) return result(cudaErrorInvalidDevice);
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  if (value == nullptr) return result(cudaErrorInvalidValue);
  if (!is_device(from) || !is_device(to) || from == to) return result(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevP2PAttrPerformanceRank:
      *value = 0;
      return cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
      *value = 1;
      return cudaSuccess;
    case cudaDevP2PAttrCudaArrayAccessSupported:
      *value = 0;
      return cudaSuccess;
  }
  return result(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (!is_peer(peer)) return result(cudaErrorInvalidDevice);
  if (flags != 0) return result(cudaErrorInvalidValue);
  const bool is_new = simt::set_peer_access(simt::current_device(), peer, true);
  return result(is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  if (!is_peer(peer)) return result(cudaErrorInvalidDevice);
  const bool was_enabled = simt::set_peer_access(simt::current_device(), peer, false);
  return result(was_enabled ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}

// Memory is reached by its address alone; the devices are only checked. Neither needs peer access.

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  SIMT_HOST_CALL;
  if (!is_device(to_device) || !is_device(from_device)) return result(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  SIMT_HOST_CALL;
  if (!is_device(to_device) || !is_device(from_device)) return result(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

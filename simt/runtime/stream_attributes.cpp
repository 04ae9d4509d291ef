// The attributes of streams: checked as a device does, kept, and returned.

#include "simt/runtime/stream_attributes.h"

#include <algorithm>

#include "simt/executor/devices.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/device_limits.h"
#include "simt/runtime/result.h"
#include "simt/runtime/stream_device.h"

namespace simt {

bool is_valid(const cudaAccessPolicyWindow& window) {
  const bool hits_are_known =
      window.hitProp >= cudaAccessPropertyNormal && window.hitProp <= cudaAccessPropertyPersisting;
  const bool misses_may_go =
      window.missProp == cudaAccessPropertyNormal || window.missProp == cudaAccessPropertyStreaming;
  return window.num_bytes <= device_limits::kMaxAccessPolicyWindow && window.hitRatio >= 0.0f &&
         window.hitRatio <= 1.0f && hits_are_known && misses_may_go;
}

int nearest_priority(int priority) {
  return std::clamp(priority, device_limits::kGreatestStreamPriority, 0);
}

namespace {

cudaError_t set(StreamAttributes& attributes, cudaStreamAttrID attribute,
                const cudaStreamAttrValue& value) {
  switch (attribute) {
    case cudaStreamAttributeAccessPolicyWindow:
      if (!is_valid(value.accessPolicyWindow)) return cudaErrorInvalidValue;
      attributes.window = value.accessPolicyWindow;
      return cudaSuccess;
    case cudaStreamAttributeSynchronizationPolicy:
      if (value.syncPolicy < cudaSyncPolicyAuto || value.syncPolicy > cudaSyncPolicyBlockingSync)
        return cudaErrorInvalidValue;
      attributes.waiting = value.syncPolicy;
      return cudaSuccess;
    case cudaStreamAttributePriority:
      if (value.priority != nearest_priority(value.priority)) return cudaErrorInvalidValue;
      attributes.priority = value.priority;
      return cudaSuccess;
    default:  // of launches alone
      return cudaErrorInvalidValue;
  }
}

cudaError_t get(const StreamAttributes& attributes, cudaStreamAttrID attribute,
                cudaStreamAttrValue& value) {
  switch (attribute) {
    case cudaStreamAttributeAccessPolicyWindow:
      value.accessPolicyWindow = attributes.window;
      return cudaSuccess;
    case cudaStreamAttributeSynchronizationPolicy:
      value.syncPolicy = attributes.waiting;
      return cudaSuccess;
    case cudaStreamAttributePriority:
      value.priority = attributes.priority;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace
}  // namespace simt

using simt::result;

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  if (!simt::is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (value == nullptr) return result(cudaErrorInvalidValue);
  return result(simt::set(simt::attributes_of(stream), attribute, *value));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  if (!simt::is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (value == nullptr) return result(cudaErrorInvalidValue);
  return result(simt::get(simt::attributes_of(stream), attribute, *value));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  if (!simt::is_stream(to) || !simt::is_stream(from)) return result(cudaErrorInvalidResourceHandle);
  if (simt::device_of_stream(to) != simt::device_of_stream(from))
    return result(cudaErrorInvalidValue);
  simt::attributes_of(to) = simt::attributes_of(from);
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!simt::is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (priority == nullptr) return result(cudaErrorInvalidValue);
  *priority = simt::attributes_of(stream).priority;
  return cudaSuccess;
}

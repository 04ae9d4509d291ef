// CUDA arrays, and copies in three dimensions.

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "simt/executor/executor.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/include/cuda_standin/textures.h"
#include "simt/runtime/array.h"
#include "simt/runtime/device_limits.h"
#include "simt/runtime/result.h"

namespace simt {
namespace {

/// The arrays that exist. Never destroyed: static objects of the program may own some.
class Arrays {
 public:
  cudaArray_t add(std::unique_ptr<cudaArray> array) {
    const std::lock_guard lock(mutex_);
    return known_.insert(array.release()).first.operator*();
  }
  bool remove(cudaArray_t array) {
    const std::lock_guard lock(mutex_);
    if (known_.erase(array) == 0) return false;
    delete array;
    return true;
  }
  bool has(cudaArray_const_t array) {
    const std::lock_guard lock(mutex_);
    return known_.count(const_cast<cudaArray_t>(array)) != 0;
  }

 private:
  ForkLock<std::mutex> mutex_;
  std::set<cudaArray_t> known_;
};
Arrays& arrays() {
  static Arrays& known = *new Arrays;
  return known;
}

/// Bytes of memory on one side of a copy: rows of slices, of which the copy takes a box.
struct Box {
  char* begin;
  std::size_t pitch;        ///< bytes from row to row
  std::size_t slice_pitch;  ///< bytes from slice to slice
};

bool fits(cudaArray_const_t array, cudaPos at, cudaExtent extent) {
  return at.x + extent.width <= array->extent.width && at.y + extent.height <= array->rows() &&
         at.z + extent.depth <= array->slices();
}

Box box_of(cudaArray_t array, cudaPos at) {
  const std::size_t element = element_bytes(array->format);
  const std::size_t pitch = array->extent.width * element;
  const std::size_t slice = pitch * array->rows();
  return {
      reinterpret_cast<char*>(array->bytes.data()) + at.z * slice + at.y * pitch + at.x * element,
      pitch, slice};
}
Box box_of(const cudaPitchedPtr& pointer, cudaPos at) {
  const std::size_t slice = pointer.pitch * pointer.ysize;
  return {static_cast<char*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x,
          pointer.pitch, slice};
}

int copy_box(const Box& to, const Box& from, cudaExtent bytes) {
  for (std::size_t z = 0; z < bytes.depth; ++z) {
    for (std::size_t y = 0; y < bytes.height; ++y) {
      const int error = copy(to.begin + z * to.slice_pitch + y * to.pitch,
                             from.begin + z * from.slice_pitch + y * from.pitch, bytes.width);
      if (error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

int copy_3d(const cudaMemcpy3DParms& parameters) {
  const cudaMemcpy3DParms& p = parameters;
  const bool one_source = (p.srcArray == nullptr) != (p.srcPtr.ptr == nullptr);
  const bool one_target = (p.dstArray == nullptr) != (p.dstPtr.ptr == nullptr);
  if (!one_source || !one_target) return cudaErrorInvalidValue;
  for (const cudaArray_t array : {p.srcArray, p.dstArray}) {
    if (array != nullptr && !arrays().has(array)) return cudaErrorInvalidResourceHandle;
  }
  if (p.srcArray != nullptr && !fits(p.srcArray, p.srcPos, p.extent)) return cudaErrorInvalidValue;
  if (p.dstArray != nullptr && !fits(p.dstArray, p.dstPos, p.extent)) return cudaErrorInvalidValue;
  const cudaArray_t array = p.srcArray != nullptr ? p.srcArray : p.dstArray;
  cudaExtent bytes = p.extent;
  if (array != nullptr) bytes.width *= element_bytes(array->format);
  const Box to = p.dstArray != nullptr ? box_of(p.dstArray, p.dstPos) : box_of(p.dstPtr, p.dstPos);
  const Box from =
      p.srcArray != nullptr ? box_of(p.srcArray, p.srcPos) : box_of(p.srcPtr, p.srcPos);
  return copy_box(to, from, bytes);
}

/// The bytes from `offset` in `row` on, if there are so many in the array.
char* stretch(cudaArray_const_t array, std::size_t offset, std::size_t row, std::size_t bytes) {
  if (!arrays().has(array)) return nullptr;
  const std::size_t begin = row * array->extent.width * element_bytes(array->format) + offset;
  if (begin > array->bytes.size() || bytes > array->bytes.size() - begin) return nullptr;
  return reinterpret_cast<char*>(const_cast<cudaArray_t>(array)->bytes.data()) + begin;
}

}  // namespace

bool is_array(cudaArray_const_t array) {
  return arrays().has(array);
}

std::size_t element_bytes(const cudaChannelFormatDesc& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  const bool is_float = format.f == cudaChannelFormatKindFloat;
  if (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) return 0;
  if (is_float && bits[0] == 8) return 0;
  std::size_t components = 1;
  while (components < 4 && bits[components] == bits[0])
    ++components;
  if (components == 3) return 0;
  for (std::size_t i = components; i < 4; ++i) {
    if (bits[i] != 0) return 0;
  }
  return components * static_cast<std::size_t>(bits[0]) / 8;
}

}  // namespace simt

using simt::result;

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  constexpr std::size_t kMost = 65536;  // elements along each dimension
  constexpr std::size_t kFaces = 6;
  if (array == nullptr || format == nullptr) return result(cudaErrorInvalidValue);
  const std::size_t element = simt::element_bytes(*format);
  if (element == 0) return result(cudaErrorInvalidChannelDescriptor);
  const bool is_cubemap = (flags & cudaArrayCubemap) != 0;
  const bool has_faces = extent.width == extent.height && extent.depth % kFaces == 0;
  if (extent.width == 0 || extent.width > 2 * kMost || extent.height > kMost ||
      extent.depth > kMost || (is_cubemap && !has_faces)) {
    return result(cudaErrorInvalidValue);
  }
  auto made = std::make_unique<cudaArray>(cudaArray{*format, extent, flags, {}});
  made->bytes.resize(element * extent.width * made->rows() * made->slices());
  *array = simt::arrays().add(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  const bool freed = array == nullptr || simt::arrays().remove(array);
  return result(freed ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (!simt::arrays().has(array)) return result(cudaErrorInvalidResourceHandle);
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  if (format == nullptr) return result(cudaErrorInvalidValue);
  return cudaArrayGetInfo(format, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t offset, std::size_t row, const void* from,
                              std::size_t bytes, cudaMemcpyKind) {
  SIMT_HOST_CALL;
  char* const begin = simt::stretch(to, offset, row, bytes);
  if (begin == nullptr || from == nullptr) return result(cudaErrorInvalidValue);
  return result(simt::copy(begin, from, bytes));
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t offset,
                                std::size_t row, std::size_t bytes, cudaMemcpyKind) {
  SIMT_HOST_CALL;
  const char* const begin = simt::stretch(from, offset, row, bytes);
  if (begin == nullptr || to == nullptr) return result(cudaErrorInvalidValue);
  return result(simt::copy(to, begin, bytes));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t offset, std::size_t row,
                                const void* from, std::size_t pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind) {
  SIMT_HOST_CALL;
  if (width > pitch) return result(cudaErrorInvalidPitchValue);
  for (std::size_t i = 0; i < height; ++i) {
    const cudaError_t error = cudaMemcpyToArray(
        to, offset, row + i, static_cast<const char*>(from) + i * pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t offset, std::size_t row,
                                     const void* from, std::size_t pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind, cudaStream_t) {
  SIMT_HOST_CALL;
  return cudaMemcpy2DToArray(to, offset, row, from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t offset, std::size_t row, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  SIMT_HOST_CALL;
  if (width > pitch) return result(cudaErrorInvalidPitchValue);
  for (std::size_t i = 0; i < height; ++i) {
    const cudaError_t error =
        cudaMemcpyFromArray(static_cast<char*>(to) + i * pitch, from, offset, row + i, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  SIMT_HOST_CALL;
  if (parameters == nullptr) return result(cudaErrorInvalidValue);
  return result(simt::copy_3d(*parameters));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  SIMT_HOST_CALL;
  if (parameters == nullptr) return simt::result(cudaErrorInvalidValue);
  const auto copy = [copied = *parameters] { return cudaMemcpy3D(&copied); };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemcpy, copy)) return cudaSuccess;
  return cudaMemcpy3D(parameters);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  SIMT_HOST_CALL;
  if (pointer == nullptr) return result(cudaErrorInvalidValue);
  *pointer = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  SIMT_HOST_CALL;
  for (std::size_t z = 0; z < extent.depth; ++z) {
    char* const slice = static_cast<char*>(pointer.ptr) + z * pointer.pitch * pointer.ysize;
    const cudaError_t error =
        cudaMemset2D(slice, pointer.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

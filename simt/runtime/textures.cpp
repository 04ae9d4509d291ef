// Texture and surface objects, and what the texture unit does with a coordinate. (NVIDIA, "CUDA C++
// Programming Guide", "Texture Fetching" and "Texture and Surface Memory")

#include "simt/include/cuda_standin/textures.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "simt/executor/findings/findings.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/executor/worker/abandon.h"
#include "simt/include/cuda_fp16.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/array.h"
#include "simt/runtime/result.h"

namespace simt {
namespace {

/// What an object reads or writes.
struct Bound {
  cudaResourceDesc resource;
  cudaTextureDesc description;  ///< of a texture
  cudaChannelFormatDesc format;
  const std::byte* begin;
  std::size_t size[3];  ///< elements along each dimension, 1 where there is none
  std::size_t pitch;    ///< bytes from row to row
  std::size_t layers;   ///< 1 for an array without
};

/// Objects of one kind by their handles, from 1 on. Never destroyed.
class Objects {
 public:
  unsigned long long add(const Bound& bound) {
    const std::lock_guard lock(mutex_);
    bound_.push_back(new Bound(bound));
    return bound_.size();
  }
  bool remove(unsigned long long handle) {
    const std::lock_guard lock(mutex_);
    if (!has(handle)) return false;
    delete bound_[handle - 1];
    bound_[handle - 1] = nullptr;
    return true;
  }
  const Bound* find(unsigned long long handle) {
    const std::lock_guard lock(mutex_);
    return has(handle) ? bound_[handle - 1] : nullptr;
  }

 private:
  bool has(unsigned long long handle) const {
    return handle != 0 && handle <= bound_.size() && bound_[handle - 1] != nullptr;
  }
  ForkLock<std::mutex> mutex_;
  std::vector<Bound*> bound_;
};
Objects& textures() {
  static Objects& objects = *new Objects;
  return objects;
}
Objects& surfaces() {
  static Objects& objects = *new Objects;
  return objects;
}

void bind_array(Bound* bound, cudaArray_t array) {
  const bool has_layers = (array->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  bound->format = array->format;
  bound->begin = array->bytes.data();
  bound->size[0] = array->extent.width;
  bound->size[1] = array->rows();
  bound->size[2] = has_layers ? 1 : array->slices();
  bound->layers = has_layers ? array->slices() : 1;
  bound->pitch = array->extent.width * element_bytes(array->format);
}

/// cudaSuccess, and what the resource is.
int bind(Bound* bound, const cudaResourceDesc& resource) {
  bound->resource = resource;
  bound->layers = 1;
  std::fill_n(bound->size, 3, std::size_t{1});
  switch (resource.resType) {
    case cudaResourceTypeArray:
      if (!is_array(resource.res.array.array)) return cudaErrorInvalidResourceHandle;
      bind_array(bound, resource.res.array.array);
      return cudaSuccess;
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      bound->format = linear.desc;
      const std::size_t element = element_bytes(linear.desc);
      if (element == 0) return cudaErrorInvalidChannelDescriptor;
      bound->begin = static_cast<const std::byte*>(linear.devPtr);
      bound->size[0] = linear.sizeInBytes / element;
      bound->pitch = linear.sizeInBytes;
      break;
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = resource.res.pitch2D;
      bound->format = pitched.desc;
      const std::size_t element = element_bytes(pitched.desc);
      if (element == 0) return cudaErrorInvalidChannelDescriptor;
      if (pitched.pitchInBytes < pitched.width * element) return cudaErrorInvalidValue;
      bound->begin = static_cast<const std::byte*>(pitched.devPtr);
      bound->size[0] = pitched.width;
      bound->size[1] = pitched.height;
      bound->pitch = pitched.pitchInBytes;
      break;
    }
    default:
      return cudaErrorNotSupported;
  }
  return is_device_pointer(bound->begin) ? cudaSuccess : cudaErrorInvalidValue;
}

/// Whether the array that it was made of is still there, and is not a later one at its address.
bool has_its_array(const Bound& bound) {
  if (bound.resource.resType != cudaResourceTypeArray) return true;
  const cudaArray_const_t array = bound.resource.res.array.array;
  return is_array(array) && array->bytes.data() == bound.begin;
}

const Bound& bound_of(Objects& objects, unsigned long long handle, const char* kind,
                      Location where) {
  const Bound* const bound = objects.find(handle);
  const std::string object = std::string(kind) + " object " + std::to_string(handle);
  if (bound == nullptr) {
    report_and_end_launch("bad-texture", {where}, "there is no " + object, kErrorIllegalAddress);
  }
  if (!has_its_array(*bound)) {
    report_and_end_launch("bad-texture", {where}, "the array of " + object + " was freed",
                          kErrorIllegalAddress);
  }
  return *bound;
}

bool gives_floats(const Bound& texture) {
  return texture.format.f == cudaChannelFormatKindFloat ||
         texture.description.readMode == cudaReadModeNormalizedFloat;
}

template <typename Integer>
void load_integer(const std::byte* from, int component, bool normalized, Texel* texel) {
  Integer value;
  std::memcpy(&value, from + static_cast<std::size_t>(component) * sizeof value, sizeof value);
  texel->integers[component] = static_cast<int>(value);
  const auto largest = static_cast<float>(std::numeric_limits<Integer>::max());
  if (normalized) {
    texel->floats[component] = std::max(static_cast<float>(value) / largest, -1.0f);
  }
}

/// The element there, which exists.
Texel element_at(const Bound& texture, std::size_t layer, std::size_t x, std::size_t y,
                 std::size_t z) {
  const std::size_t bytes = element_bytes(texture.format);
  const std::size_t row = ((layer * texture.size[2]) + z) * texture.size[1] + y;
  const std::byte* const from = texture.begin + row * texture.pitch + x * bytes;
  const auto component_bytes = static_cast<std::size_t>(texture.format.x) / 8;
  const bool is_float = texture.format.f == cudaChannelFormatKindFloat;
  const bool is_signed = texture.format.f == cudaChannelFormatKindSigned;
  const bool normalized = texture.description.readMode == cudaReadModeNormalizedFloat;
  Texel texel;
  texel.is_float = gives_floats(texture);
  for (int i = 0; i < static_cast<int>(bytes / component_bytes); ++i) {
    if (is_float && component_bytes == sizeof(float)) {
      std::memcpy(&texel.floats[i], from + static_cast<std::size_t>(i) * sizeof(float),
                  sizeof(float));
    } else if (is_float) {
      __half value;
      std::memcpy(&value, from + static_cast<std::size_t>(i) * sizeof value, sizeof value);
      texel.floats[i] = __half2float(value);
    } else if (component_bytes == 1) {
      is_signed ? load_integer<signed char>(from, i, normalized, &texel)
                : load_integer<unsigned char>(from, i, normalized, &texel);
    } else if (component_bytes == 2) {
      is_signed ? load_integer<short>(from, i, normalized, &texel)
                : load_integer<unsigned short>(from, i, normalized, &texel);
    } else {
      load_integer<int>(from, i, false, &texel);
    }
  }
  return texel;
}

/// The element that a number along a dimension of `size` means; -1 for the border.
std::ptrdiff_t addressed(std::ptrdiff_t number, std::size_t size, cudaTextureAddressMode mode) {
  const auto count = static_cast<std::ptrdiff_t>(size);
  const auto modulo = [](std::ptrdiff_t a, std::ptrdiff_t b) { return (a % b + b) % b; };
  switch (mode) {
    case cudaAddressModeWrap:
      return modulo(number, count);
    case cudaAddressModeMirror: {
      const std::ptrdiff_t place = modulo(number, 2 * count);
      return place < count ? place : 2 * count - 1 - place;
    }
    case cudaAddressModeBorder:
      return number < 0 || number >= count ? -1 : number;
    default:
      return std::clamp<std::ptrdiff_t>(number, 0, count - 1);
  }
}

/// The element with these numbers, as the address modes have it.
Texel element_or_border(const Bound& texture, std::size_t layer, const std::ptrdiff_t* numbers,
                        int dimensions) {
  std::size_t at[3] = {};
  for (int i = 0; i < dimensions; ++i) {
    cudaTextureAddressMode mode = texture.description.addressMode[i];
    const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    if (repeats && texture.description.normalizedCoords == 0) mode = cudaAddressModeClamp;
    const std::ptrdiff_t number = addressed(numbers[i], texture.size[i], mode);
    if (number < 0) {
      Texel border;
      border.is_float = gives_floats(texture);
      std::copy_n(texture.description.borderColor, 4, border.floats);
      return border;
    }
    at[i] = static_cast<std::size_t>(number);
  }
  return element_at(texture, layer, at[0], at[1], at[2]);
}

/// Interpolates between the 2, 4 or 8 elements around. Shares have 8 bits behind the point, as the
/// unit's do.
Texel interpolated(const Bound& texture, std::size_t layer, const float* coordinates,
                   int dimensions) {
  constexpr float kSteps = 256.0f;
  std::ptrdiff_t first[3] = {};
  float share[3] = {};
  for (int i = 0; i < dimensions; ++i) {
    const float from_center = coordinates[i] - 0.5f;
    const float below = std::floor(from_center);
    first[i] = static_cast<std::ptrdiff_t>(below);
    share[i] = std::round((from_center - below) * kSteps) / kSteps;
  }
  Texel sum;
  sum.is_float = true;
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    std::ptrdiff_t numbers[3] = {first[0], first[1], first[2]};
    float weight = 1.0f;
    for (int i = 0; i < dimensions; ++i) {
      const bool upper = (corner >> i & 1) != 0;
      numbers[i] += upper ? 1 : 0;
      weight *= upper ? share[i] : 1.0f - share[i];
    }
    const Texel texel = element_or_border(texture, layer, numbers, dimensions);
    for (int i = 0; i < 4; ++i) {
      sum.floats[i] += weight * texel.floats[i];
    }
  }
  return sum;
}

Texel sampled(const Bound& texture, std::size_t layer, TexturePlace place, int dimensions) {
  float coordinates[3] = {place.x, place.y, place.z};
  std::ptrdiff_t numbers[3] = {};
  for (int i = 0; i < dimensions; ++i) {
    if (texture.description.normalizedCoords != 0) {
      coordinates[i] *= static_cast<float>(texture.size[i]);
    }
    numbers[i] = static_cast<std::ptrdiff_t>(std::floor(coordinates[i]));
  }
  const bool is_linear =
      texture.description.filterMode == cudaFilterModeLinear && gives_floats(texture);
  return is_linear ? interpolated(texture, layer, coordinates, dimensions)
                   : element_or_border(texture, layer, numbers, dimensions);
}

std::size_t layer_of(const Bound& texture, int layer) {
  const auto last = static_cast<std::ptrdiff_t>(texture.layers) - 1;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(layer, 0, last));
}

/// The face of a cube that a vector meets, and where.
struct OnFace {
  int face;
  float x;  ///< 0 to 1
  float y;
};
OnFace on_face(TexturePlace v) {
  const float x = std::fabs(v.x);
  const float y = std::fabs(v.y);
  const float z = std::fabs(v.z);
  const auto at = [](int face, float s, float t, float m) {
    return OnFace{face, (s / m + 1.0f) / 2.0f, (t / m + 1.0f) / 2.0f};
  };
  if (x >= y && x >= z) return v.x >= 0 ? at(0, -v.z, -v.y, x) : at(1, v.z, -v.y, x);
  if (y >= z) return v.y >= 0 ? at(2, v.x, v.z, y) : at(3, v.x, -v.z, y);
  return v.z >= 0 ? at(4, v.x, -v.y, z) : at(5, -v.x, -v.y, z);
}

/// The bytes of an element of a surface, or none outside of it, where the mode allows that.
std::byte* element_of(const Bound& surface, std::size_t bytes, SurfacePlace place,
                      cudaSurfaceBoundaryMode mode, Location where) {
  const auto row_bytes =
      static_cast<std::ptrdiff_t>(surface.size[0] * element_bytes(surface.format));
  const auto slices = static_cast<std::ptrdiff_t>(surface.size[2] * surface.layers);
  const std::ptrdiff_t last[3] = {row_bytes - static_cast<std::ptrdiff_t>(bytes),
                                  static_cast<std::ptrdiff_t>(surface.size[1]) - 1, slices - 1};
  std::ptrdiff_t at[3] = {place.x, place.y, place.z};
  for (int i = 0; i < 3; ++i) {
    const bool is_inside = at[i] >= 0 && at[i] <= last[i];
    if (!is_inside && mode == cudaBoundaryModeZero) return nullptr;
    if (!is_inside && mode == cudaBoundaryModeTrap) {
      report_and_end_launch("bad-texture", {where},
                            "outside of the surface: byte " + std::to_string(place.x) + " of row " +
                                std::to_string(place.y) + " of slice " + std::to_string(place.z),
                            kErrorIllegalAddress);
    }
    at[i] = std::clamp<std::ptrdiff_t>(at[i], 0, last[i]);
  }
  const std::ptrdiff_t row = at[2] * static_cast<std::ptrdiff_t>(surface.size[1]) + at[1];
  return const_cast<std::byte*>(surface.begin) + row * row_bytes + at[0];
}

}  // namespace

Texel read_texture(cudaTextureObject_t texture, TexturePlace place, int dimensions,
                   Location where) {
  const Bound& bound = bound_of(textures(), texture, "texture", where);
  return sampled(bound, layer_of(bound, place.layer), place, dimensions);
}

Texel read_cubemap(cudaTextureObject_t texture, TexturePlace place, Location where) {
  constexpr int kFaces = 6;
  Bound bound = bound_of(textures(), texture, "texture", where);
  const OnFace at = on_face(place);
  bound.description.normalizedCoords = 1;
  std::fill_n(bound.description.addressMode, 3, cudaAddressModeClamp);
  return sampled(bound, layer_of(bound, kFaces * place.layer + at.face), {at.x, at.y, 0, 0}, 2);
}

Texel fetch_linear(cudaTextureObject_t texture, int index, Location where) {
  const Bound& bound = bound_of(textures(), texture, "texture", where);
  if (index < 0 || static_cast<std::size_t>(index) >= bound.size[0]) {
    Texel zero;
    zero.is_float = gives_floats(bound);
    return zero;
  }
  return element_at(bound, 0, static_cast<std::size_t>(index), 0, 0);
}

void read_surface(void* to, std::size_t bytes, cudaSurfaceObject_t surface, SurfacePlace place,
                  cudaSurfaceBoundaryMode mode, Location where) {
  const Bound& bound = bound_of(surfaces(), surface, "surface", where);
  const std::byte* const from = element_of(bound, bytes, place, mode, where);
  from == nullptr ? std::memset(to, 0, bytes) : std::memcpy(to, from, bytes);
}

void write_surface(const void* from, std::size_t bytes, cudaSurfaceObject_t surface,
                   SurfacePlace place, cudaSurfaceBoundaryMode mode, Location where) {
  const Bound& bound = bound_of(surfaces(), surface, "surface", where);
  std::byte* const to = element_of(bound, bytes, place, mode, where);
  if (to != nullptr) std::memcpy(to, from, bytes);
}

}  // namespace simt

using simt::result;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  if (texture == nullptr || resource == nullptr || description == nullptr) {
    return result(cudaErrorInvalidValue);
  }
  if (view != nullptr) return result(cudaErrorNotSupported);
  simt::Bound bound = {};
  bound.description = *description;
  const int error = simt::bind(&bound, *resource);
  if (error != cudaSuccess) return result(error);
  *texture = simt::textures().add(bound);
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  const bool destroyed = texture == 0 || simt::textures().remove(texture);
  return result(destroyed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
  const simt::Bound* const bound = simt::textures().find(texture);
  if (bound == nullptr || resource == nullptr) return result(cudaErrorInvalidValue);
  *resource = bound->resource;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture) {
  const simt::Bound* const bound = simt::textures().find(texture);
  if (bound == nullptr || description == nullptr) return result(cudaErrorInvalidValue);
  *description = bound->description;
  return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  if (surface == nullptr || resource == nullptr) return result(cudaErrorInvalidValue);
  if (resource->resType != cudaResourceTypeArray) return result(cudaErrorInvalidValue);
  simt::Bound bound = {};
  const int error = simt::bind(&bound, *resource);
  if (error != cudaSuccess) return result(error);
  *surface = simt::surfaces().add(bound);
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  const bool destroyed = surface == 0 || simt::surfaces().remove(surface);
  return result(destroyed ? cudaSuccess : cudaErrorInvalidValue);
}

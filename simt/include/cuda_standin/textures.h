/// \file
/// CUDA arrays, texture objects and surface objects. What kernels read and write through them is
/// not counted: a texture unit has caches of its own, and Nsight Compute counts it apart.
#pragma once

#include <cstddef>
#include <cstring>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"
#include "simt/include/cuda_standin/texture_types.h"

// ---- arrays -----------------------------------------------------------------------------------

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) {
  return {x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t xsize,
                                          std::size_t ysize) {
  return {pointer, pitch, xsize, ysize};
}

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
/// That of elements of type T.
template <typename T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Type = typename simt::Components<T>::Type;
  constexpr int kBits = 8 * static_cast<int>(sizeof(Type));
  constexpr int kCount = simt::Components<T>::kCount;
  const cudaChannelFormatKind kind = std::is_floating_point_v<Type> ? cudaChannelFormatKindFloat
                                     : std::is_signed_v<Type>       ? cudaChannelFormatKindSigned
                                                                    : cudaChannelFormatKindUnsigned;
  return {kBits, kCount > 1 ? kBits : 0, kCount > 2 ? kBits : 0, kCount > 3 ? kBits : 0, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height = 0, unsigned flags = 0);
/// With layers where `flags` says so; a cubemap has six.
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);

/// Offsets and widths of these are in bytes, heights in rows.
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t offset, std::size_t row, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t offset,
                                std::size_t row, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t offset, std::size_t row,
                                const void* from, std::size_t pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t offset, std::size_t row,
                                     const void* from, std::size_t pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t offset, std::size_t row, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr);
/// Slices of rows that begin at multiples of 512 bytes.
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent);
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent);

// ---- objects ----------------------------------------------------------------------------------

/// Of arrays, linear and pitched memory. cudaErrorNotSupported for mipmaps and for views.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

// ---- device functions -------------------------------------------------------------------------

namespace simt {

/// A value of a texture: floats where it is read as such, else the components' own integers.
struct Texel {
  float floats[4] = {};
  int integers[4] = {};
  bool is_float = false;
};

/// Where a texture is read, in its own coordinates.
struct TexturePlace {
  float x = 0.0f;
  float y = 0.0f;
  float z = 0.0f;
  int layer = 0;
};

/// As the texture unit does: in one, two or three dimensions, or on the face of a cube that the
/// vector (x, y, z) meets. An object that does not exist fails the kernel.
Texel read_texture(cudaTextureObject_t texture, TexturePlace place, int dimensions, Location where);
Texel read_cubemap(cudaTextureObject_t texture, TexturePlace place, Location where);
/// Element `index` of linear memory; zero outside of it.
Texel fetch_linear(cudaTextureObject_t texture, int index, Location where);

/// The place of an element in a surface, x in bytes.
struct SurfacePlace {
  int x = 0;
  int y = 0;
  int z = 0;
};
/// Outside of the surface: zero or the nearest element, or the kernel fails, as the mode says.
void read_surface(void* to, std::size_t bytes, cudaSurfaceObject_t surface, SurfacePlace place,
                  cudaSurfaceBoundaryMode mode, Location where);
void write_surface(const void* from, std::size_t bytes, cudaSurfaceObject_t surface,
                   SurfacePlace place, cudaSurfaceBoundaryMode mode, Location where);

template <typename T>
T value_of(const Texel& texel) {
  using Type = typename Components<T>::Type;
  Type components[Components<T>::kCount];
  for (int i = 0; i < Components<T>::kCount; ++i) {
    components[i] =
        texel.is_float ? static_cast<Type>(texel.floats[i]) : static_cast<Type>(texel.integers[i]);
  }
  T value;
  std::memcpy(static_cast<void*>(&value), components, sizeof value);
  return value;
}

template <typename T>
T read_surface_as(cudaSurfaceObject_t surface, SurfacePlace place, cudaSurfaceBoundaryMode mode,
                  Location where) {
  T value;
  read_surface(&value, sizeof value, surface, place, mode, where);
  return value;
}

}  // namespace simt

/// A texture function that returns its value, and one that stores it where a pointer says.
#define SIMT_TEXTURE_FUNCTION(name, parameters, arguments, read)         \
  template <typename T>                                                  \
  T name(cudaTextureObject_t texture, SIMT_LIST parameters,              \
         ::simt::Location where = ::simt::Location::current()) {         \
    return ::simt::value_of<T>(::simt::read);                            \
  }                                                                      \
  template <typename T>                                                  \
  void name(T* value, cudaTextureObject_t texture, SIMT_LIST parameters, \
            ::simt::Location where = ::simt::Location::current()) {      \
    *value = name<T>(texture, SIMT_LIST arguments, where);               \
  }
/// Surface functions, likewise, and one that writes.
#define SIMT_SURFACE_FUNCTIONS(name, parameters, arguments)                                   \
  template <typename T>                                                                       \
  T name##read(cudaSurfaceObject_t surface, SIMT_LIST parameters,                             \
               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                           \
               ::simt::Location where = ::simt::Location::current()) {                        \
    return ::simt::read_surface_as<T>(surface, {SIMT_LIST arguments}, mode, where);           \
  }                                                                                           \
  template <typename T>                                                                       \
  void name##read(T* value, cudaSurfaceObject_t surface, SIMT_LIST parameters,                \
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                        \
                  ::simt::Location where = ::simt::Location::current()) {                     \
    *value = name##read<T>(surface, SIMT_LIST arguments, mode, where);                        \
  }                                                                                           \
  template <typename T>                                                                       \
  void name##write(T value, cudaSurfaceObject_t surface, SIMT_LIST parameters,                \
                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                       \
                   ::simt::Location where = ::simt::Location::current()) {                    \
    ::simt::write_surface(&value, sizeof value, surface, {SIMT_LIST arguments}, mode, where); \
  }
#define SIMT_LIST(...) __VA_ARGS__

SIMT_TEXTURE_FUNCTION(tex1Dfetch, (int index), (index), fetch_linear(texture, index, where))
SIMT_TEXTURE_FUNCTION(tex1D, (float x), (x), read_texture(texture, {x, 0, 0, 0}, 1, where))
SIMT_TEXTURE_FUNCTION(tex2D, (float x, float y), (x, y),
                      read_texture(texture, {x, y, 0, 0}, 2, where))
SIMT_TEXTURE_FUNCTION(tex3D, (float x, float y, float z), (x, y, z),
                      read_texture(texture, {x, y, z, 0}, 3, where))
SIMT_TEXTURE_FUNCTION(tex1DLayered, (float x, int layer), (x, layer),
                      read_texture(texture, {x, 0, 0, layer}, 1, where))
SIMT_TEXTURE_FUNCTION(tex2DLayered, (float x, float y, int layer), (x, y, layer),
                      read_texture(texture, {x, y, 0, layer}, 2, where))
SIMT_TEXTURE_FUNCTION(texCubemap, (float x, float y, float z), (x, y, z),
                      read_cubemap(texture, {x, y, z, 0}, where))
SIMT_TEXTURE_FUNCTION(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
                      read_cubemap(texture, {x, y, z, layer}, where))

SIMT_SURFACE_FUNCTIONS(surf1D, (int x), (x))
SIMT_SURFACE_FUNCTIONS(surf2D, (int x, int y), (x, y))
SIMT_SURFACE_FUNCTIONS(surf3D, (int x, int y, int z), (x, y, z))
SIMT_SURFACE_FUNCTIONS(surf2DLayered, (int x, int y, int layer), (x, y, layer))

#undef SIMT_TEXTURE_FUNCTION
#undef SIMT_SURFACE_FUNCTIONS
#undef SIMT_LIST

/// \file
/// Types and constants of CUDA arrays, textures and surfaces; values are CUDA's.
#pragma once

#include <cstddef>
#include <type_traits>

#include "simt/include/cuda_standin/runtime_types.h"

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};

/// What an element consists of: bits of each component, 0 for one that it does not have.
struct cudaChannelFormatDesc {
  int x;
  int y;
  int z;
  int w;
  cudaChannelFormatKind f;
};

using cudaArray_t = struct cudaArray*;
using cudaArray_const_t = const struct cudaArray*;

inline constexpr unsigned cudaArrayDefault = 0;
inline constexpr unsigned cudaArrayLayered = 1;
inline constexpr unsigned cudaArraySurfaceLoadStore = 2;
inline constexpr unsigned cudaArrayCubemap = 4;
inline constexpr unsigned cudaArrayTextureGather = 8;

struct cudaExtent {
  std::size_t width;  ///< elements of an array, else bytes
  std::size_t height;
  std::size_t depth;
};

struct cudaPos {
  std::size_t x;
  std::size_t y;
  std::size_t z;
};

struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch;  ///< bytes from one row to the next
  std::size_t xsize;  ///< width, in elements or bytes
  std::size_t ysize;  ///< rows of a slice
};

/// One array or pointer each as source and destination.
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};

enum cudaTextureFilterMode {
  cudaFilterModePoint = 0,
  cudaFilterModeLinear = 1,
};

enum cudaTextureReadMode {
  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1,
};

enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};

using cudaMipmappedArray_t = struct cudaMipmappedArray*;

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width;   ///< elements
      std::size_t height;  ///< rows
      std::size_t pitchInBytes;
    } pitch2D;
  } res;
  unsigned flags;
};

struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};

/// A part of a resource, seen as another type: the executor takes none.
struct cudaResourceViewDesc;

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2,
};

enum cudaSurfaceFormatMode {
  cudaFormatModeForced = 0,
  cudaFormatModeAuto = 1,
};

namespace simt {

/// The components of a scalar or of a vector type: how many, and of which type.
template <typename T, typename = void>
struct Components {
  using Type = T;
  static constexpr int kCount = 1;
};
template <typename T>
struct Components<T, std::void_t<decltype(T::x)>> {
  using Type = decltype(T::x);
  static constexpr int kCount = static_cast<int>(sizeof(T) / sizeof(Type));
};

}  // namespace simt

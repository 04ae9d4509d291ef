/// \file
/// CUDA arrays: memory of the device that kernels reach through textures and surfaces alone.
#pragma once

#include <cstddef>
#include <vector>

#include "simt/include/cuda_standin/texture_types.h"

/// Its elements lie row behind row, slice behind slice.
struct cudaArray {
  cudaChannelFormatDesc format;  ///< of an element
  cudaExtent extent;             ///< elements; height and depth are 0 where it does not have them
  unsigned flags;                ///< cudaArrayLayered and so on
  std::vector<std::byte> bytes;  ///< zeros at first, which a device does not promise

  /// Rows of a slice.
  std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  /// Slices, or layers, or faces.
  std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
};

namespace simt {

/// Whether it was allocated and is not freed yet.
bool is_array(cudaArray_const_t array);

/// Bytes of an element; 0 for a format that CUDA does not have.
std::size_t element_bytes(const cudaChannelFormatDesc& format);

}  // namespace simt

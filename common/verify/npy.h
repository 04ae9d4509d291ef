/// \file
/// Reads NumPy's .npy files of half-precision numbers.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace worklog {

/// An array in row-major order.
struct HalfArray {
  std::vector<std::int64_t> shape;  ///< elements along each dimension, the slowest first
  std::vector<__half> values;       ///< as many as the product of `shape`
};

/// Reads an array of little-endian float16 in C order (format versions 1 to 3).
/// Throws std::runtime_error that names the file and what is wrong with it: missing, no .npy file,
/// of another type or order, or shorter or longer than its shape says.
HalfArray read_npy(const std::filesystem::path& path);

}  // namespace worklog

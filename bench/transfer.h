/// \file
/// Several ways to copy an array, to read one, and to make one of two. The fastest is the ceiling
/// that steps are held to.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace worklog::bench {

/// One way to copy `bytes` bytes of device memory. Both addresses are multiples of 16.
struct Copy {
  std::string name;
  std::function<void(const std::byte* source, std::byte* target, std::int64_t bytes, cudaStream_t)>
      launch;
};

/// One way to read `bytes` bytes of device memory from an address that is a multiple of 16.
struct Read {
  std::string name;
  /// Writes one word a block to `sums`, the exclusive or of what the block read, as 4-byte words
  /// with zeros after the last byte: the compiler must keep the loads, and they can be checked.
  std::function<void(const std::byte* source, std::int64_t bytes, unsigned* sums, cudaStream_t)>
      launch;
};

/// One way to read two arrays of `bytes` bytes each and to write one as long, the exclusive or of
/// both. All addresses are multiples of 16.
struct Combine {
  std::string name;
  std::function<void(const std::byte* a, const std::byte* b, std::byte* target, std::int64_t bytes,
                     cudaStream_t)>
      launch;
};

/// `sm_count` is the GPU's: persistent kernels fill it exactly.
std::vector<Copy> all_copies(int sm_count);
std::vector<Read> all_reads(int sm_count);
std::vector<Combine> all_combines(int sm_count);

/// As many words as `sums` needs for an array of `bytes` bytes.
std::int64_t sums_for(std::int64_t bytes);

/// Checks every copy, every read and every combination against the host at sizes around a vector's,
/// a tile's and a megabyte. Throws std::runtime_error that names the kernel, the size and the first
/// difference.
void verify_transfers(int sm_count);

}  // namespace worklog::bench

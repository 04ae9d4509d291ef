// How the library's own kernels load and store columns: a pack of them at once, 16 bytes at most.
//
// Rows whose packs are whole begin and end with one. Others begin anywhere, as those of 50,257
// columns of two bytes do: their packs lie on boundaries as well, so that the first one begins
// before the row by fewer columns than it has, and of the first and the last one only those of the
// row are loaded and stored, one by one.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/step/dtype.h"

namespace worklog::library {
// Each source has its own: inline functions would be expanded by other rules.
namespace {

template <typename T, int kCount>
struct alignas(kCount * sizeof(T) < sizeof(uint4) ? kCount * sizeof(T) : sizeof(uint4)) Pack {
  T values[kCount];
};

// Whether packs may lie where each row of an array begins.
template <int kCount>
bool lies_well(const void* array, std::int64_t stride, std::size_t element) {
  const std::size_t alignment = kCount * element < sizeof(uint4) ? kCount * element : sizeof(uint4);
  const auto stride_bytes = static_cast<std::uintptr_t>(stride) * element;
  return reinterpret_cast<std::uintptr_t>(array) % alignment == 0 && stride_bytes % alignment == 0;
}

// How many columns before the row its first pack begins.
template <int kCount, bool kIsWhole, typename T>
__device__ int columns_before(const T* row) {
  if (kIsWhole) return 0;
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % alignof(Pack<T, kCount>) /
                          sizeof(T));
}

// The number of packs' columns that a row of so many has, wherever it begins.
template <int kCount, bool kIsWhole>
constexpr std::int64_t columns_of_packs(std::int64_t cols) {
  return kIsWhole ? cols : cols + kCount - 1;
}

// Whether column i of the pack that begins at `col` is one of the row's.
template <bool kIsWhole, typename Index>
__device__ bool is_of_row(Index col, int i, std::int64_t cols) {
  return kIsWhole ? col < cols : 0 <= col + i && col + i < cols;
}

// Whether the pack at `row + col` can be accessed at once. Two arrays of a problem need not begin
// alike: packs of the second one may lie across boundaries.
template <bool kIsWhole, int kCount, typename T, typename Index>
__device__ bool is_one_access(const T* row, Index col, std::int64_t cols) {
  if (kIsWhole) return col < cols;
  const auto address = reinterpret_cast<std::uintptr_t>(row) + col * sizeof(T);
  return 0 <= col && col + kCount <= cols && address % alignof(Pack<T, kCount>) == 0;
}

// Of the pack that begins at `col`, what is of the row; anything elsewhere.
template <int kCount, bool kIsWhole, typename T, typename Index>
__device__ Pack<T, kCount> load_pack(const T* row, Index col, std::int64_t cols) {
  Pack<T, kCount> pack{};
  if (is_one_access<kIsWhole, kCount>(row, col, cols)) {
    pack = *reinterpret_cast<const Pack<T, kCount>*>(row + col);
  } else if (!kIsWhole) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (is_of_row<kIsWhole>(col, i, cols)) pack.values[i] = row[col + i];
    }
  }
  return pack;
}

// Puts `outside` where the pack that begins at `col` has none of the first `cols` columns. To look
// at each element of each pack took a quarter of the time of 32,000 columns of two bytes.
template <int kCount, typename Index>
__device__ void set_outside(float outside, Index col, std::int64_t cols, float* x) {
  if (0 <= col && col + kCount <= cols) return;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (!is_of_row<false>(col, i, cols)) x[i] = outside;
  }
}

// By a function that is told to store whole words: where elements are stored one by one in another
// branch, nvcc makes one store of both, of elements, with which 50,257 columns took twice as
// long.
template <typename T, int kCount>
__device__ void store_at_once(const Pack<T, kCount>& pack, T* place) {
  if constexpr (sizeof(pack) == sizeof(T)) {
    *place = pack.values[0];
  } else {
    using Word = std::conditional_t<sizeof(pack) % sizeof(uint4) == 0, uint4, uint2>;
    constexpr int kWords = sizeof(pack) / sizeof(Word);
    static_assert(kWords * sizeof(Word) == sizeof(pack), "a pack is made of whole words");
    const auto* words = reinterpret_cast<const Word*>(&pack);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      __stwb(reinterpret_cast<Word*>(place) + i, words[i]);
  }
}

template <int kCount, bool kIsWhole, typename Result, typename Index>
__device__ void store_pack(const float* y, Result* row, Index col, std::int64_t cols) {
  if (is_one_access<kIsWhole, kCount>(row, col, cols)) {
    Pack<Result, kCount> pack;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      pack.values[i] = static_cast<Result>(y[i]);
    store_at_once(pack, row + col);
  } else if (!kIsWhole) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (is_of_row<kIsWhole>(col, i, cols)) row[col + i] = static_cast<Result>(y[i]);
    }
  }
}

// Stores in the row that begins with element `begin` of the results. A branch that all threads take
// alike costs less than three times as many kernels.
template <int kCount, bool kIsWhole, typename Index>
__device__ void store_pack_as(DType type, const float* y, void* results, std::int64_t begin,
                              Index col, std::int64_t cols) {
  switch (type) {
    case DType::kFloat32:
      return store_pack<kCount, kIsWhole>(y, static_cast<float*>(results) + begin, col, cols);
    case DType::kFloat16:
      return store_pack<kCount, kIsWhole>(y, static_cast<__half*>(results) + begin, col, cols);
    case DType::kBFloat16:
      return store_pack<kCount, kIsWhole>(y, static_cast<__nv_bfloat16*>(results) + begin, col,
                                          cols);
  }
}

}  // namespace
}  // namespace worklog::library

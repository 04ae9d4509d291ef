#include "simt/nccl/reduction.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "simt/include/cuda_bf16.h"
#include "simt/include/cuda_fp16.h"

namespace simt::nccl {
namespace {

using Inputs = std::vector<std::span<const std::byte>>;

// What an element is computed as, and rounded from.
template <typename T>
struct Number {
  using Computed = T;
  static T of(T value) { return value; }
  static T rounded(T value) { return value; }
};
template <>
struct Number<__half> {
  using Computed = float;
  static float of(__half value) { return __half2float(value); }
  static __half rounded(float value) { return __float2half(value); }
};
template <>
struct Number<__nv_bfloat16> {
  using Computed = float;
  static float of(__nv_bfloat16 value) { return __bfloat162float(value); }
  static __nv_bfloat16 rounded(float value) { return __float2bfloat16(value); }
};

template <typename T>
using Computed = typename Number<T>::Computed;

// Integers wrap around.
template <typename C>
C combine(C a, C b, ncclRedOp_t op) {
  if constexpr (std::is_integral_v<C>) {
    using Unsigned = std::make_unsigned_t<C>;
    const auto x = static_cast<Unsigned>(a);
    const auto y = static_cast<Unsigned>(b);
    if (op == ncclMax) return a < b ? b : a;
    if (op == ncclMin) return b < a ? b : a;
    // As unsigned int at least: the product of two of 16 bits would overflow an int.
    using Wide = std::common_type_t<Unsigned, unsigned>;
    return static_cast<C>(op == ncclProd ? Wide{x} * Wide{y} : Wide{x} + Wide{y});
  } else {
    if (op == ncclMax) return std::fmax(a, b);
    if (op == ncclMin) return std::fmin(a, b);
    return op == ncclProd ? a * b : a + b;
  }
}

template <typename T>
T element(std::span<const std::byte> bytes, std::size_t i) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
T reduced(const Inputs& ranks, std::size_t i, ncclRedOp_t op) {
  using N = Number<T>;
  constexpr bool kIsInteger = std::is_integral_v<Computed<T>>;
  const auto input = [&](std::size_t rank) {
    const Computed<T> value = N::of(element<T>(ranks[rank], i));
    if constexpr (!kIsInteger) {
      const auto share = static_cast<Computed<T>>(1.0 / static_cast<double>(ranks.size()));
      if (op == ncclAvg) return N::of(N::rounded(value * N::of(N::rounded(share))));
    }
    return value;
  };
  Computed<T> sum = input(0);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank)
    sum = N::of(N::rounded(combine(sum, input(rank), op)));
  if constexpr (kIsInteger) {
    if (op == ncclAvg) sum = static_cast<Computed<T>>(sum / static_cast<Computed<T>>(ranks.size()));
  }
  return N::rounded(sum);
}

template <typename T>
std::vector<std::byte> reduce_as(const Inputs& ranks, ncclRedOp_t op) {
  std::vector<std::byte> result(ranks.front().size());
  for (std::size_t i = 0; i < result.size() / sizeof(T); ++i) {
    const T value = reduced<T>(ranks, i, op);
    std::memcpy(result.data() + i * sizeof(T), static_cast<const void*>(&value), sizeof(T));
  }
  return result;
}

}  // namespace

std::vector<std::byte> reduce(const Inputs& ranks, ncclDataType_t type, ncclRedOp_t op) {
  switch (type) {
    case ncclInt8:
      return reduce_as<std::int8_t>(ranks, op);
    case ncclUint8:
      return reduce_as<std::uint8_t>(ranks, op);
    case ncclInt32:
      return reduce_as<std::int32_t>(ranks, op);
    case ncclUint32:
      return reduce_as<std::uint32_t>(ranks, op);
    case ncclInt64:
      return reduce_as<std::int64_t>(ranks, op);
    case ncclUint64:
      return reduce_as<std::uint64_t>(ranks, op);
    case ncclFloat16:
      return reduce_as<__half>(ranks, op);
    case ncclFloat32:
      return reduce_as<float>(ranks, op);
    case ncclFloat64:
      return reduce_as<double>(ranks, op);
    case ncclBfloat16:
      return reduce_as<__nv_bfloat16>(ranks, op);
    default:
      return {};
  }
}

}  // namespace simt::nccl

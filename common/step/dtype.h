/// \file
/// The storage types of a problem.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace worklog {

/// Storage types; arithmetic is in fp32 whatever the type.
enum class DType {
  kFloat32,   ///< float
  kFloat16,   ///< __half
  kBFloat16,  ///< __nv_bfloat16
};

inline constexpr DType kAllDTypes[] = {
    DType::kFloat32, DType::kFloat16,
    DType::kBFloat16};  ///< in the order in which tables show them

/// "f32", "f16" or "bf16".
constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "f32";
    case DType::kFloat16:
      return "f16";
    case DType::kBFloat16:
      return "bf16";
  }
  return "";
}

/// Bytes of an element.
constexpr std::size_t size_of(DType dtype) {
  return dtype == DType::kFloat32 ? 4 : 2;
}

/// Which one T is: float, __half or __nv_bfloat16.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, __half>) return DType::kFloat16;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return DType::kBFloat16;
}

/// The inverse of name_of. Throws std::invalid_argument that names `text` and the three choices.
inline DType dtype_from_name(std::string_view text) {
  for (const DType dtype : kAllDTypes) {
    if (text == name_of(dtype)) return dtype;
  }
  throw std::invalid_argument("type '" + std::string(text) + "': must be f32, f16 or bf16");
}

/// Calls `function` with a value of the C++ type that `dtype` names: with_type(dtype, [](auto zero)
/// {...}).
template <typename Function>
decltype(auto) with_type(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kFloat16:
      return function(__half{});
    case DType::kBFloat16:
      return function(__nv_bfloat16{});
    case DType::kFloat32:
      break;
  }
  return function(float{});
}

}  // namespace worklog

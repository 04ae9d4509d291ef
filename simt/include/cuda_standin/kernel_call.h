/// \file
/// Calls a kernel with what CUDA gives each of its threads: copies of the arguments that are bits
/// alone, for which neither a constructor nor a destructor runs.
#pragma once

#include <type_traits>

#include "simt/executor/executor.h"
#include "simt/executor/not_instrumented.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {

/// Whether the C++ ABI (Itanium's, of Linux and macOS) passes a parameter of this type as the
/// address of the caller's copy: "non-trivial for the purposes of calls".
template <typename T>
inline constexpr bool is_passed_by_address =
    std::is_class_v<T> &&
    !(std::is_trivially_destructible_v<T> && std::is_trivially_copy_constructible_v<T> &&
      std::is_trivially_move_constructible_v<T>);

/// A parameter's type in a function type that the ABI calls alike, by which the caller's copy need
/// be no object.
template <typename T>
using AsPassed = std::conditional_t<is_passed_by_address<T>, T&, T>;

/// One thread's copy of an argument.
template <typename T, bool kByAddress = is_passed_by_address<T>>
class ThreadsCopy {
 public:
  SIMT_NOT_INSTRUMENTED explicit ThreadsCopy(const T& argument) : value_(argument) {}
  SIMT_NOT_INSTRUMENTED T get() { return value_; }

 private:
  const T& value_;
};
template <typename T>
class ThreadsCopy<T, true> {
 public:
  SIMT_NOT_INSTRUMENTED explicit ThreadsCopy(const T& argument) {
    __builtin_memcpy(bytes_, static_cast<const void*>(&argument), sizeof(T));
  }
  SIMT_NOT_INSTRUMENTED T& get() { return *reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

/// Calls it for one thread.
template <typename... Parameters>
SIMT_NOT_INSTRUMENTED void call_kernel(void (*kernel)(Parameters...),
                                       const std::decay_t<Parameters>&... arguments) {
  using AsCalled = void (*)(AsPassed<Parameters>...);
  const auto untyped = code_of_kernel(reinterpret_cast<void (*)()>(kernel));
  reinterpret_cast<AsCalled>(untyped)(ThreadsCopy<Parameters>(arguments).get()...);
}

}  // namespace simt

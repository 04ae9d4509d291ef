/// \file
/// What the source translator adds behind `__device__`, `__managed__` and `__constant__` variables.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {

/// What T consists of: arrays, in each other and in the library's, are their elements.
template <typename T>
struct ElementOf {
  using type = T;
};
template <typename T, std::size_t kCount>
struct ElementOf<T[kCount]> : ElementOf<T> {};
template <typename T, std::size_t kCount>
struct ElementOf<std::array<T, kCount>> : ElementOf<T> {};

/// Tells the executor of a variable while the program's static objects are initialized.
class AddedVariable {
 public:
  template <typename T>
  AddedVariable(const char* name, const volatile T& variable, DeviceVariable::Memory memory) {
    using Element = typename ElementOf<T>::type;
    add_device_variable({name, std::addressof(variable), sizeof(T), sizeof(Element), memory});
  }
};

}  // namespace simt

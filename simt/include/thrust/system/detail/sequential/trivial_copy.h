/// \file
/// Stands in for Thrust's header of this name: what copies values at once copies them one by one in
/// a kernel, where std::memmove() would go unseen.
#pragma once

#include <cstddef>
#include <cstring>
#include <thrust/detail/config.h>
#include <thrust/system/detail/sequential/general_copy.h>

#include "simt/executor/executor.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <typename Value>
Value* trivial_copy_n(const Value* first, std::ptrdiff_t count, Value* result) {
  if (::simt::in_kernel()) return general_copy_n(first, count, result);
  std::memmove(static_cast<void*>(result), first, static_cast<std::size_t>(count) * sizeof(Value));
  return result + count;
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END

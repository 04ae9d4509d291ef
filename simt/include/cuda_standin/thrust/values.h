/// \file
/// What is behind `vector[i]`: single values of a device, which the host copies and kernels load
/// and store.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "simt/include/cuda_standin/thrust/copy.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Pointer>
using PointedTo = std::remove_cv_t<std::remove_pointer_t<decltype(raw(std::declval<Pointer>()))>>;

/// Room for a value that has not been made.
template <typename Value>
union Room {
  Room() {}
  ~Room() {}
  Value value;
};

template <typename Derived, typename Pointer>
auto get_value(execution_policy<Derived>&, Pointer from) {
  using Value = PointedTo<Pointer>;
  const Value* const address = raw(from);
  if (::simt::in_kernel()) return Value(*address);
  Room<Value> room;
  copy_bytes(&room.value, address, sizeof(Value));
  return room.value;
}

/// With a policy of the device, or one for what goes from or to it.
template <typename To, typename From>
void assign(To to, From from) {
  using Value = PointedTo<To>;
  using Other = PointedTo<From>;
  Value* const address = raw(to);
  const Other* const other = raw(from);
  if (::simt::in_kernel()) {
    *address = *other;
  } else if constexpr (std::is_same_v<Value, Other>) {
    copy_bytes(address, other, sizeof(Value));
  } else {
    Room<Other> room;
    copy_bytes(&room.value, other, sizeof(Other));
    const Value value = static_cast<Value>(room.value);
    copy_bytes(address, &value, sizeof(Value));
  }
}

template <typename Derived, typename To, typename From>
void assign_value(execution_policy<Derived>&, To to, From from) {
  assign(to, from);
}

template <typename Derived, typename A, typename B>
void iter_swap(execution_policy<Derived>& policy, A a, B b) {
  const auto value = get_value(policy, a);
  assign(a, b);
  assign(b, &value);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END

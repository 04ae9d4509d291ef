#include "simt/include/cuda_standin/atomics.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "simt/executor/accesses/memory_access.h"

namespace simt {
namespace {

template <typename T>
T updated(AtomicOperation operation, T before, T operand) {
  switch (operation) {
    case AtomicOperation::kAdd:
      return before + operand;
    case AtomicOperation::kSub:
      return before - operand;
    case AtomicOperation::kExchange:
      return operand;
    case AtomicOperation::kMin:
      return std::min(before, operand);
    case AtomicOperation::kMax:
      return std::max(before, operand);
    case AtomicOperation::kIncrement:
      return before >= operand ? T{0} : before + T{1};
    case AtomicOperation::kDecrement:
      return before == T{0} || before > operand ? operand : before - T{1};
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case AtomicOperation::kAnd:
        return before & operand;
      case AtomicOperation::kOr:
        return before | operand;
      case AtomicOperation::kXor:
        return before ^ operand;
      default:
        break;
    }
  }
  return before;
}

/// Signed overflow wraps on a GPU, so integers are updated as unsigned ones where that is the same.
template <typename T>
T wrapping_updated(AtomicOperation operation, T before, T operand) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    if (operation == AtomicOperation::kAdd || operation == AtomicOperation::kSub) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(updated<Unsigned>(operation, static_cast<Unsigned>(before),
                                              static_cast<Unsigned>(operand)));
    }
  }
  return updated(operation, before, operand);
}

}  // namespace

template <typename T>
T atomic_update(AtomicOperation operation, T* address, T operand, Location where) {
  if (operation != AtomicOperation::kAdd || !std::is_integral_v<T>) adds_no_constant();
  note_atomic(address, sizeof(T), where, SIMT_CODE_ADDRESS,
              operation == AtomicOperation::kExchange);
  const std::atomic_ref<T> value(*address);
  T before = value.load(std::memory_order_relaxed);
  while (!value.compare_exchange_weak(before, wrapping_updated(operation, before, operand),
                                      std::memory_order_relaxed)) {
  }
  return before;
}

template <typename T>
T atomic_compare_and_swap(T* address, T expected, T desired, Location where) {
  adds_no_constant();
  note_atomic(address, sizeof(T), where, SIMT_CODE_ADDRESS, false);
  const std::atomic_ref<T> value(*address);
  value.compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
}

template int atomic_update(AtomicOperation, int*, int, Location);
template unsigned atomic_update(AtomicOperation, unsigned*, unsigned, Location);
template long long atomic_update(AtomicOperation, long long*, long long, Location);
template unsigned long long atomic_update(AtomicOperation, unsigned long long*, unsigned long long,
                                          Location);
template float atomic_update(AtomicOperation, float*, float, Location);
template double atomic_update(AtomicOperation, double*, double, Location);

template int atomic_compare_and_swap(int*, int, int, Location);
template unsigned atomic_compare_and_swap(unsigned*, unsigned, unsigned, Location);
template unsigned long long atomic_compare_and_swap(unsigned long long*, unsigned long long,
                                                    unsigned long long, Location);
template unsigned short atomic_compare_and_swap(unsigned short*, unsigned short, unsigned short,
                                                Location);

}  // namespace simt

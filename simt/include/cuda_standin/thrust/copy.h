/// \file
/// thrust::copy() between a device and the host.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <thrust/system/cpp/detail/execution_policy.h>
#include <type_traits>
#include <vector>

#include "simt/include/cuda_standin/thrust/run.h"

THRUST_NAMESPACE_BEGIN

template <typename Iterator>
struct iterator_value;

namespace detail {
template <typename Pointer>
class normal_iterator;
}

namespace cuda_cub {

/// The system of what takes place in two memories.
template <bool kToDevice>
struct CrossSystem : execution_policy<CrossSystem<kToDevice>> {};

template <typename From, typename To>
CrossSystem<true> select_system(const thrust::cpp::execution_policy<From>&,
                                const execution_policy<To>&) {
  return {};
}
template <typename From, typename To>
CrossSystem<false> select_system(const execution_policy<From>&,
                                 const thrust::cpp::execution_policy<To>&) {
  return {};
}

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  const ::simt::LibraryCall call(__builtin_frame_address(0));
  throw_on_error(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "thrust::copy");
}

template <typename Iterator>
using ValueOf = std::remove_cv_t<typename thrust::iterator_value<Iterator>::type>;

/// Whether values lie side by side behind an iterator.
template <typename Iterator, typename = void>
struct IsPointer : std::is_pointer<Iterator> {};
template <typename Iterator>
struct IsPointer<Iterator, std::void_t<decltype(raw(std::declval<const Iterator&>()))>>
    : std::true_type {};
template <typename Pointer>
struct IsPointer<thrust::detail::normal_iterator<Pointer>, void> : IsPointer<Pointer> {};

/// The same, also of the iterators of std::vector.
template <typename Iterator, typename Value>
constexpr bool kIsContiguous =
    IsPointer<Iterator>::value ||
    (!std::is_same_v<Value, bool> &&
     (std::is_same_v<Iterator, typename std::vector<Value>::iterator> ||
      std::is_same_v<Iterator, typename std::vector<Value>::const_iterator>));

/// Whether a copy of the bytes is one of the values.
template <typename From, typename To, typename Value = ValueOf<From>>
constexpr bool kCopiesBytes = std::is_same_v<Value, ValueOf<To>>&&
    std::is_trivially_copyable_v<Value>&& kIsContiguous<From, Value>&& kIsContiguous<To, Value>;

/// Values of the host on their way: room for them, and these once somebody makes them there.
template <typename Value>
class Staged {
 public:
  explicit Staged(std::size_t count) : count_(count), values_(allocator_.allocate(count)) {}
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;
  ~Staged() {
    std::destroy_n(values_, made_);
    allocator_.deallocate(values_, count_);
  }
  /// Makes the next value.
  template <typename From>
  void add(const From& from) {
    new (values_ + made_) Value(static_cast<Value>(from));
    ++made_;
  }
  const Value* begin() const { return values_; }
  const Value* end() const { return values_ + made_; }

 private:
  std::allocator<Value> allocator_;
  std::size_t count_;
  std::size_t made_ = 0;
  Value* values_;
};

template <bool kToDevice, typename From, typename Size, typename To>
To copy_n(CrossSystem<kToDevice>&, From first, Size count, To result) {
  if (count <= 0) return result;
  const auto size = static_cast<std::size_t>(count);
  if constexpr (kCopiesBytes<From, To>) {
    copy_bytes(raw(&*result), raw(&*first), size * sizeof(ValueOf<From>));
    return result + count;
  } else {
    Staged<ValueOf<From>> staged(size);
    const auto take = [&] {
      for (Size i = 0; i < count; ++i, ++first)
        staged.add(*first);
    };
    const auto give = [&] {
      for (const auto& value : staged)
        *result++ = value;
    };
    if constexpr (kToDevice) {
      take();
      run_on_device("thrust::copy", give);
    } else {
      run_on_device("thrust::copy", take);
      give();
    }
    return result;
  }
}

/// Lists, too, have a distance.
template <typename Iterator>
std::ptrdiff_t distance_of(Iterator first, const Iterator& last) {
  std::ptrdiff_t count = 0;
  for (; first != last; ++first)
    ++count;
  return count;
}

template <bool kToDevice, typename From, typename To>
To copy(CrossSystem<kToDevice>& system, From first, From last, To result) {
  return copy_n(system, first, distance_of(first, last), result);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END

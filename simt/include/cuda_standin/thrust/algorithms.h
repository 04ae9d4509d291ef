/// \file
/// Thrust's algorithms on a device. Each is done by one of the device's threads, as Thrust does it
/// for a single thread (thrust::seq): so its accesses are checked, and what it stores is known to
/// be written. Nothing of it is counted, for a GPU would do it otherwise.
#pragma once

#include <thrust/detail/seq.h>
#include <utility>

#include "simt/include/cuda_standin/launch.h"
#include "simt/include/cuda_standin/thrust/run.h"

/// thrust::name() with a policy of the device calls this: of all functions of the name it takes the
/// most derived policy. The inner call, whose policy is another, finds Thrust's own.
#define SIMT_THRUST_ALGORITHM(name)                                                             \
  template <typename Derived, typename... Arguments>                                            \
  auto name(execution_policy<Derived>&, Arguments&&... arguments) {                             \
    (::simt::note_argument(arguments), ...);                                                    \
    return result_on_device("thrust::" #name, [&] { return name(thrust::seq, arguments...); }); \
  }

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

SIMT_THRUST_ALGORITHM(adjacent_difference)
SIMT_THRUST_ALGORITHM(all_of)
SIMT_THRUST_ALGORITHM(any_of)
SIMT_THRUST_ALGORITHM(binary_search)
SIMT_THRUST_ALGORITHM(copy)
SIMT_THRUST_ALGORITHM(copy_if)
SIMT_THRUST_ALGORITHM(copy_n)
SIMT_THRUST_ALGORITHM(count)
SIMT_THRUST_ALGORITHM(count_if)
SIMT_THRUST_ALGORITHM(equal)
SIMT_THRUST_ALGORITHM(equal_range)
SIMT_THRUST_ALGORITHM(exclusive_scan)
SIMT_THRUST_ALGORITHM(exclusive_scan_by_key)
SIMT_THRUST_ALGORITHM(fill)
SIMT_THRUST_ALGORITHM(fill_n)
SIMT_THRUST_ALGORITHM(find)
SIMT_THRUST_ALGORITHM(find_if)
SIMT_THRUST_ALGORITHM(find_if_not)
SIMT_THRUST_ALGORITHM(for_each)
SIMT_THRUST_ALGORITHM(for_each_n)
SIMT_THRUST_ALGORITHM(gather)
SIMT_THRUST_ALGORITHM(gather_if)
SIMT_THRUST_ALGORITHM(generate)
SIMT_THRUST_ALGORITHM(generate_n)
SIMT_THRUST_ALGORITHM(inclusive_scan)
SIMT_THRUST_ALGORITHM(inclusive_scan_by_key)
SIMT_THRUST_ALGORITHM(inner_product)
SIMT_THRUST_ALGORITHM(is_partitioned)
SIMT_THRUST_ALGORITHM(is_sorted)
SIMT_THRUST_ALGORITHM(is_sorted_until)
SIMT_THRUST_ALGORITHM(lower_bound)
SIMT_THRUST_ALGORITHM(max_element)
SIMT_THRUST_ALGORITHM(merge)
SIMT_THRUST_ALGORITHM(merge_by_key)
SIMT_THRUST_ALGORITHM(min_element)
SIMT_THRUST_ALGORITHM(minmax_element)
SIMT_THRUST_ALGORITHM(mismatch)
SIMT_THRUST_ALGORITHM(none_of)
SIMT_THRUST_ALGORITHM(partition)
SIMT_THRUST_ALGORITHM(partition_copy)
SIMT_THRUST_ALGORITHM(partition_point)
SIMT_THRUST_ALGORITHM(reduce)
SIMT_THRUST_ALGORITHM(reduce_by_key)
SIMT_THRUST_ALGORITHM(remove)
SIMT_THRUST_ALGORITHM(remove_copy)
SIMT_THRUST_ALGORITHM(remove_copy_if)
SIMT_THRUST_ALGORITHM(remove_if)
SIMT_THRUST_ALGORITHM(replace)
SIMT_THRUST_ALGORITHM(replace_copy)
SIMT_THRUST_ALGORITHM(replace_copy_if)
SIMT_THRUST_ALGORITHM(replace_if)
SIMT_THRUST_ALGORITHM(reverse)
SIMT_THRUST_ALGORITHM(reverse_copy)
SIMT_THRUST_ALGORITHM(scatter)
SIMT_THRUST_ALGORITHM(scatter_if)
SIMT_THRUST_ALGORITHM(sequence)
SIMT_THRUST_ALGORITHM(set_difference)
SIMT_THRUST_ALGORITHM(set_difference_by_key)
SIMT_THRUST_ALGORITHM(set_intersection)
SIMT_THRUST_ALGORITHM(set_intersection_by_key)
SIMT_THRUST_ALGORITHM(set_symmetric_difference)
SIMT_THRUST_ALGORITHM(set_symmetric_difference_by_key)
SIMT_THRUST_ALGORITHM(set_union)
SIMT_THRUST_ALGORITHM(set_union_by_key)
SIMT_THRUST_ALGORITHM(shuffle)
SIMT_THRUST_ALGORITHM(shuffle_copy)
SIMT_THRUST_ALGORITHM(sort)
SIMT_THRUST_ALGORITHM(sort_by_key)
SIMT_THRUST_ALGORITHM(stable_partition)
SIMT_THRUST_ALGORITHM(stable_partition_copy)
SIMT_THRUST_ALGORITHM(stable_sort)
SIMT_THRUST_ALGORITHM(stable_sort_by_key)
SIMT_THRUST_ALGORITHM(swap_ranges)
SIMT_THRUST_ALGORITHM(tabulate)
SIMT_THRUST_ALGORITHM(transform)
SIMT_THRUST_ALGORITHM(transform_exclusive_scan)
SIMT_THRUST_ALGORITHM(transform_if)
SIMT_THRUST_ALGORITHM(transform_inclusive_scan)
SIMT_THRUST_ALGORITHM(transform_reduce)
SIMT_THRUST_ALGORITHM(uninitialized_copy)
SIMT_THRUST_ALGORITHM(uninitialized_copy_n)
SIMT_THRUST_ALGORITHM(uninitialized_fill)
SIMT_THRUST_ALGORITHM(uninitialized_fill_n)
SIMT_THRUST_ALGORITHM(unique)
SIMT_THRUST_ALGORITHM(unique_by_key)
SIMT_THRUST_ALGORITHM(unique_by_key_copy)
SIMT_THRUST_ALGORITHM(unique_copy)
SIMT_THRUST_ALGORITHM(unique_count)
SIMT_THRUST_ALGORITHM(upper_bound)

}  // namespace cuda_cub
THRUST_NAMESPACE_END

#undef SIMT_THRUST_ALGORITHM

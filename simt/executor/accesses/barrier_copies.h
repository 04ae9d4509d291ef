/// \file
/// Asynchronous copies that a barrier in shared memory waits for.
#pragma once

#include <cstdint>

namespace simt {

struct Lane;

/// What the lane has started for that barrier arrives in shared memory, and counts as on its way
/// until the lane has waited.
void let_copies_arrive(Lane& lane, std::uintptr_t barrier);
/// The lane has waited for those of its copies that have arrived.
void forget_arrived_copies(Lane& lane, std::uintptr_t barrier);

}  // namespace simt

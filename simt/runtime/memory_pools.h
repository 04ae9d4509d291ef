/// \file
/// What memory pools need to know of an allocation's end.
#pragma once

namespace simt {

/// Takes an allocation off the pool that it came from, if it came from one.
void note_freed_to_pool(const void* address);

/// The same for all that the calling thread's device has ever allocated.
void note_all_freed_to_pools();

}  // namespace simt

/// \file
/// Asynchronous stores to a block that ends without having waited for them: they may come when its
/// shared memory is no longer there, or another block's.
#pragma once

namespace simt {

struct Block;

/// Called by the last thread of a block to return. Reports the stores by other blocks of the
/// cluster that none of its threads knows to have arrived.
void check_stores_are_awaited(const Block& block);

}  // namespace simt

/// \file
/// Three unsigned numbers: a thread's, a block's or a shape's coordinates.
#pragma once

namespace simt {

/// Numbers along three dimensions, without initial values: threads have one in static storage.
struct Index3 {
  unsigned x;  ///< the fastest
  unsigned y;  ///< the second
  unsigned z;  ///< the slowest
};

}  // namespace simt

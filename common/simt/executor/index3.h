/// \file
/// Three unsigned numbers: a thread's, a block's or a shape's coordinates.
#pragma once

namespace simt {

struct Index3 {
  unsigned x;
  unsigned y;
  unsigned z;
};

}  // namespace simt

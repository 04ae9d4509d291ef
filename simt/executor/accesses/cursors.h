/// \file
/// How far a replay has come on the paths of a warp's lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simt/executor/counters/warp_recording.h"
#include "simt/executor/log/access_log.h"

namespace simt {

/// A lane's place in its own log, or in that of the warp, where its accesses are a column.
struct Cursor {
  const Event* at;            ///< what it does next
  const Event* end;           ///< behind what it has done
  const Access* access;       ///< the next one
  std::uint16_t access_step;  ///< from one to the next
  std::uint16_t lane;         ///< whose it is

  /// The access that so many others precede.
  Access access_ahead(std::size_t accesses) const { return access[accesses * access_step]; }
  /// It has passed so many events, of which `accesses` are accesses.
  void go(std::size_t events, std::size_t accesses) {
    at += events;
    access += accesses * access_step;
  }
};

/// Those of all lanes that have done anything.
struct Cursors {
  std::array<Cursor, kWarpSize> of;  ///< the first `count` of them are in use
  unsigned count = 0;                ///< how many there are
};

}  // namespace simt

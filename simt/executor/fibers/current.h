/// \file
/// What runs at the moment, for the code that a kernel calls.
#pragma once

#include "simt/executor/address_span.h"

namespace simt {

struct Lane;
class LaneLog;
struct Launch;
struct ThreadsInTurn;

/// What this OS thread runs at the moment. All null in host code.
struct Current {
  Lane* lane;            ///< that runs
  ThreadsInTurn* turns;  ///< if it is one of those; null once it has waited
  LaneLog* log;          ///< null while nothing is counted
  bool checking;         ///< whether accesses are checked
  bool plain;            ///< whether the launch only notes which memory it has written
  bool reporting;        ///< whether a finding is being described, on the lane's behalf
  const Launch* launch;  ///< that it takes part in
  AddressSpan memory;    ///< of the device; other addresses are looked at twice
  AddressSpan stored;    ///< that of it where stores need no second look
  AddressSpan shared;    ///< shared memory where accesses may be usual (usual_shared_access.h)
};
extern constinit thread_local Current current;  ///< of the calling OS thread

/// The running block does what usual accesses to shared memory know nothing of. When a warp of it
/// goes on the next time, it is asked anew whether they are usual.
inline void end_usual_shared() {
  current.shared = {};
}

}  // namespace simt

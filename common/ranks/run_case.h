/// \file
/// A case from the ranks' inputs to their verified results.
#pragma once

#include <chrono>
#include <stdexcept>

#include "common/ranks/communicator.h"
#include "common/ranks/fault.h"
#include "common/ranks/group.h"
#include "common/ranks/rank_case.h"
#include "common/verify/comparison.h"

namespace worklog {

/// How often a thread looks for a word of another rank's unless told otherwise: what ends a wait
/// where the host does not.
inline constexpr long long kPatience = 1LL << 24;

/// How ranks run a case.
struct RunOptions {
  std::chrono::milliseconds limit{20000};  ///< for whatever ranks do together
  long long patience = kPatience;          ///< see Mailboxes
  Fault fault = Fault::kNone;              ///< of one rank
  int faulty_rank = 0;                     ///< which
};

/// A kernel does not take a shape, in any rank; what() says why. The ranks can go on with others.
class RefusedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs this rank's part of `a_case`, on the current device. All ranks of the group call it; rank 0
/// gets what comparing all results with the reference has found, the others nothing.
///
/// Throws RankError in every rank if anything has gone wrong in one: it names that rank and what
/// happened there, or that it did not answer; and RefusedError. There is no result then.
Comparison run_case(Group& group, Communicator& communicator, const RankCase& a_case,
                    const RunOptions& options);

/// What a rank does whose fault it is to say nothing more: its process is killed, or it does
/// nothing until the others have lost patience.
[[noreturn]] void stay_away(const RunOptions& options);

}  // namespace worklog

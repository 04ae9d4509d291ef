/// \file
/// Counters of places in the code, over several launches, and of the source lines that they are.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/counters/tally.h"

namespace simt {

struct Launch;

/// An address in the code, or a line that is known already.
struct CodePlace {
  std::uintptr_t code_address = 0;  ///< 0 where the line is known
  const char* file = nullptr;       ///< null where it is not known
  int line = 0;                     ///< 0 where it is not known
  /// In any order, but always the same.
  auto operator<=>(const CodePlace&) const = default;
};
using CountersByPlace = std::map<CodePlace, Counters>;  ///< each place with what it did

/// Those of one launch, whose tally this is.
CountersByPlace counters_by_place(const Tally& tally, const Launch& launch);
/// Adds them place by place.
void add(CountersByPlace& sum, const CountersByPlace& counters);

/// Looks up the lines, which takes a moment: it starts a program.
std::vector<LineCounters> by_line(const CountersByPlace& counters);

}  // namespace simt

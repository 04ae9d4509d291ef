/// \file
/// Counters of places in the code, over several launches, and of the source lines that they are.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "common/simt/executor/counters.h"
#include "common/simt/executor/tally.h"

namespace simt {

struct Launch;

/// An address in the code, or a line that is known already.
struct CodePlace {
  std::uintptr_t code_address = 0;
  const char* file = nullptr;
  int line = 0;
  auto operator<=>(const CodePlace&) const = default;
};
using CountersByPlace = std::map<CodePlace, Counters>;

CountersByPlace counters_by_place(const Tally& tally, const Launch& launch);
void add(CountersByPlace& sum, const CountersByPlace& counters);

/// Looks up the lines, which takes a moment: it starts a program.
std::vector<LineCounters> by_line(const CountersByPlace& counters);

}  // namespace simt

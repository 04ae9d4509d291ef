/// \file
/// What the ranks of this process have put on the links between them, and taken from there.
///
/// It is what must cross, whichever way a library finds: the values that a rank gives which others
/// need, and those that it gets from others. Where a reduction is the result, one value for each
/// element is enough in either direction, however many ranks there are. A single rank needs no
/// link. simt/docs/nccl.md has the table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace simt::nccl {

/// One kind of call of one rank.
struct LinkCounters {
  std::string_view call;             ///< such as "ncclAllReduce"
  int rank = 0;                      ///< within its communicator
  std::uint64_t calls = 0;           ///< that have ended well
  std::uint64_t sent_bytes = 0;      ///< of all of them
  std::uint64_t received_bytes = 0;  ///< of all of them
};

/// By rank, then by the name of the call. Ranks of the same number in several communicators are
/// added up.
std::vector<LinkCounters> link_counters();
/// The same of one rank and call; zeros where it has made none.
LinkCounters link_counters(int rank, std::string_view call);
/// Sets all to 0.
void reset_link_counters();

}  // namespace simt::nccl

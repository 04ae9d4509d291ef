#include "simt/nccl/link_counters.h"

#include <map>
#include <mutex>
#include <utility>

#include "simt/nccl/link_tally.h"

namespace simt::nccl {
namespace {

using Key = std::pair<int, std::string_view>;

// Never destroyed: static objects of the program may end communicators at the very end.
struct Tallies {
  std::mutex mutex;
  std::map<Key, LinkCounters> counters;
};
Tallies& tallies() {
  static Tallies& instance = *new Tallies;
  return instance;
}

}  // namespace

void count_on_link(const Operation& operation, int rank, int ranks) {
  const std::string_view call = name_of(operation.terms.call);
  const Sizes bytes = link_bytes_of(operation, rank, ranks);
  const std::lock_guard lock(tallies().mutex);
  LinkCounters& counters =
      tallies().counters.try_emplace({rank, call}, LinkCounters{call, rank}).first->second;
  ++counters.calls;
  counters.sent_bytes += bytes.send;
  counters.received_bytes += bytes.receive;
}

std::vector<LinkCounters> link_counters() {
  const std::lock_guard lock(tallies().mutex);
  std::vector<LinkCounters> all;
  for (const auto& [key, counters] : tallies().counters)
    all.push_back(counters);
  return all;
}

LinkCounters link_counters(int rank, std::string_view call) {
  const std::lock_guard lock(tallies().mutex);
  const auto found = tallies().counters.find({rank, call});
  return found == tallies().counters.end() ? LinkCounters{call, rank} : found->second;
}

void reset_link_counters() {
  const std::lock_guard lock(tallies().mutex);
  tallies().counters.clear();
}

}  // namespace simt::nccl

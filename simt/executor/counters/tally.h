/// \file
/// Counts what happens, by its place in the code. Each worker has a tally; a launch adds them up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/counters/touched_array.h"
#include "simt/executor/counters/traffic.h"
#include "simt/executor/executor.h"
#include "simt/executor/log/access_log.h"

namespace simt {

/// A place in the code: an event of the code that a compiler instrumented, or a line that a
/// stand-in header was called from.
struct CountedPlace {
  Event event = 0;     ///< 0 where the line is known
  Location line = {};  ///< no file where the event is known
};

/// The counts of one worker in one launch, or of all workers together.
class Tally {
 public:
  Tally() = default;
  Tally(const Tally&) = delete;  // it points into itself
  Tally& operator=(const Tally&) = delete;
  /// Leaves the other one empty.
  Tally(Tally&&) = default;
  /// Leaves the other one empty.
  Tally& operator=(Tally&&) = default;
  ~Tally() = default;

  std::uint64_t blocks = 0;   ///< that ran
  std::uint64_t threads = 0;  ///< that ran

  /// The requests that follow are of a warp of which this many lanes run.
  void begin_warp(unsigned lanes) { lanes_of_warp_ = lanes; }
  /// Counts a request of the warp of begin_warp().
  void add(const Request& request);

  /// Lanes that stood behind `branch` went separate ways.
  void add_divergence(Event branch);
  /// A barrier, shuffle, vote or the like: `counter` is the one that it adds to.
  void add_operation(const Location& where, std::uint64_t Counters::*counter,
                     std::uint64_t count = 1) {
    at(where).*counter += count;
  }
  /// Accesses with this event are made by a function that all kernels share: `where` called it.
  void locate(Event event, const Location& where) {
    if (event == last_located_) return;
    located_[event] = where;
    last_located_ = event;
  }

  /// The lines that were given to locate().
  const std::map<Event, Location>& located() const { return located_; }

  /// Adds what another worker counted, which may take its arrays along.
  void add(Tally&& other);

  /// Of the whole launch.
  Counters total() const;
  /// Of each place. A place that does several kinds of access is listed for each.
  std::vector<std::pair<CountedPlace, Counters>> by_place() const;

 private:
  /// One instruction that accesses memory.
  struct Site {
    Event event = 0;
    AccessKind kind = {};
    std::uint64_t requests = 0;
    std::uint64_t cost = 0;       ///< sectors, wavefronts of shared memory, or constant words
    std::uint64_t conflicts = 0;  ///< of shared memory's banks
    std::uint64_t lanes = 0;
    std::uint64_t partial_requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t elements_elsewhere = 0;  ///< of accesses outside of any array
    LinkTraffic link;                      ///< of what reaches another device's memory
    std::vector<TouchedArray> arrays;      ///< of global memory

    void add(const Site& other);
    Counters counters() const;
  };

  Site& site_of(const Request& request);
  static void add_link(Site& site, const Request& request);
  static void touch(Site& site, const Request& request);
  static TouchedArray* array_at(Site& site, std::uint64_t address);
  Counters& at(const Location& where);

  using LocationKey = std::pair<const char*, int>;
  static constexpr std::size_t kRecent = 64;

  unsigned lanes_of_warp_ = 0;
  std::unordered_map<std::uint64_t, Site> sites_;  // by event and kind
  std::array<Site*, kRecent> recent_ = {};         // some of them, to be found quickly
  std::map<LocationKey, Counters> operations_;
  Counters* recent_operation_ = nullptr;
  LocationKey recent_location_ = {};
  std::map<Event, std::uint64_t> divergences_;
  std::map<Event, Location> located_;
  Event last_located_ = 0;
};

}  // namespace simt

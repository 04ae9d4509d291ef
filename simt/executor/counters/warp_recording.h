/// \file
/// What the executor tells of the warps that are recorded (warp_record.h).
///
/// A warp's operations happen at once, while its accesses are counted later, from the logs of its
/// lanes. To bring both into the order of the program, an operation is kept with the number of
/// accesses that each of its lanes had made, until the replay has come as far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/executor/counters/traffic.h"
#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/memory/shared_memory.h"
#include "simt/executor/warp_record.h"

namespace simt {

extern bool recording;  ///< changes only while no launch runs

/// Memory that an access reached, by its addresses.
struct ReachedArray {
  std::uintptr_t begin = 0;       ///< its lowest address
  std::uintptr_t end = 0;         ///< behind the highest
  std::size_t element_bytes = 1;  ///< by which its traffic is counted
};

/// Records one warp, on behalf of the worker that runs its block.
class WarpRecording {
 public:
  /// Of a warp that may have that many events.
  explicit WarpRecording(std::uint64_t limit) : limit_(limit) {}

  /// An operation of the warp is done: it comes before what its lanes log from here on. If all
  /// lanes that are alive take part, a meeting point is about to be added to their logs.
  void operation(const Warp& warp, WarpEvent event, Location where, bool all_meet);

  /// The replay of this warp goes on. Its blocks have this shared memory.
  void begin_replay(const SharedMemory& shared) { shared_ = &shared; }
  /// The next request of the replay, counted or not.
  void request(const Request& request);
  /// The replay has passed so many meeting points.
  void pass_meetings(std::size_t count);
  /// Lanes are about to go separate ways. Returns what add_side() wants to know.
  std::size_t part(Event branch, std::uint32_t lanes);
  /// One of the sides of part().
  void add_side(std::size_t parted, std::uint32_t lanes);
  /// All sides of a branch have come as far as this event.
  void rejoin(Event meet, std::uint32_t lanes);

  /// All is replayed: each lane has returned, or waits for other warps.
  void pause(const Warp& warp);
  /// Lanes that waited go on; `operation` is what they waited at.
  void leave(const Warp& warp, const char* operation, Location where);

 private:
  friend class LaunchRecording;

  /// An event whose line is not looked up yet.
  struct Unresolved {
    WarpEvent event;
    Event site = kNoEvent;  ///< kNoEvent where the line is known
    Location where = {nullptr, 0};
  };
  struct Pending {
    Unresolved operation;
    std::array<std::uint64_t, kWarpSize> position;  ///< accesses that each lane had made
    std::uint64_t meeting;                          ///< its number; 0 for none
  };

  void add(Unresolved event);
  void add_due(std::uint32_t lanes);
  void add_pending(const std::vector<bool>& due);
  void add_all_pending();
  void arrive(const Warp& warp, std::uint32_t waiting, const char* operation);
  int array_at(std::uint64_t address);

  std::uint64_t limit_;
  std::uint64_t left_out_ = 0;
  const SharedMemory* shared_ = nullptr;
  std::vector<Unresolved> events_;
  std::vector<Pending> pending_;
  std::array<std::uint64_t, kWarpSize> replayed_ = {};  ///< accesses of each lane
  std::uint64_t meetings_ = 0;                          ///< that were added to the logs
  std::uint64_t passed_ = 0;                            ///< of them, those that were replayed
  std::vector<ReachedArray> arrays_;
  std::vector<SharedMemory::Object> objects_;
  std::uint32_t present_ = 0;  ///< lanes that exist; 0 while the warp has not run
  std::uint32_t alive_ = 0;    ///< lanes that have not returned
};

/// A launch begins.
void record_launch(const Launch& launch);

/// The recording of this warp; null if it has none.
WarpRecording* find_recording(const Warp& warp);

/// The same, quickly while nothing is recorded.
inline WarpRecording* recording_of(const Warp& warp) {
  return recording ? find_recording(warp) : nullptr;
}

}  // namespace simt

/// \file
/// What lanes do together becomes a request, of which the counters and checkers learn.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "simt/executor/checkers/global_races.h"
#include "simt/executor/counters/tally.h"
#include "simt/executor/counters/tracing.h"
#include "simt/executor/counters/warp_recording.h"
#include "simt/executor/log/known_code.h"

namespace simt {

/// Who learns of a warp's requests.
struct Audience {
  Tally& tally;             ///< counts them
  const Warp* watched;      ///< the warp, if the requests are checked for races
  bool traced;              ///< whether they are also recorded one by one
  WarpRecording* recorded;  ///< of the warp, null if it has none
  Whereabouts& where;       ///< of the warp

  /// Tells all of them of a request.
  void tell(const Request& request) const {
    if (watched != nullptr) note_in_global_races(*watched, request);
    if (recorded != nullptr) [[unlikely]]
      recorded->request(request);
    if (request.kind == AccessKind::kShuffle) return count_shuffles(request);
    if (!is_counted(request.kind)) return;
    if (traced) [[unlikely]]
      trace_request(request);
    tally.add(request);
  }

  /// The replay has passed these events, which all lanes took.
  void pass(const Event* path, std::size_t events) const {
    for (std::size_t i = 0; i < events; ++i)
      where.pass(path[i]);
    if (recorded == nullptr) [[likely]]
      return;
    recorded->pass_meetings(
        static_cast<std::size_t>(std::count(path, path + events, kMeetingPoint)));
  }

 private:
  // Lanes that have parted meet at a shuffle of theirs, of which the replay knows nothing: so it
  // counts with the first of them. Others that come to it together with that one are of other
  // shuffles, which are one instruction with it.
  void count_shuffles(const Request& request) const {
    for (unsigned i = 0; i < request.count; ++i)
      if (request.address(i) != 0) return tally.add(request);
  }

  static bool is_counted(AccessKind kind) {
    return kind != AccessKind::kFence && kind != AccessKind::kMeeting &&
           kind != AccessKind::kWarpSync;
  }
};

/// Says of a request what its accesses are, of which this is one.
inline void describe(Request& request, Access access) {
  request.kind = access.kind();
  request.bytes = access.bytes();
  request.is_volatile = access.is_volatile();
}

// In what follows, `access_of(i)` is the access of the request's i-th lane.

/// Through a generic pointer, lanes may reach different memories: a request for each.
template <typename AccessOf>
[[gnu::noinline]] void count_mixed_access(const Audience& audience, const Request& all,
                                          AccessOf access_of) {
  std::uint32_t rest = ~0u >> (kWarpSize - all.count);
  while (rest != 0) {
    const Access first = access_of(static_cast<unsigned>(std::countr_zero(rest)));
    Request request;
    request.site = all.site;
    describe(request, first);
    for (unsigned i = 0; i < all.count; ++i) {
      const Access access = access_of(i);
      if ((rest >> i & 1) == 0 || !access.is_like(first)) continue;
      request.addresses[request.count] = access.address();
      request.lanes[request.count++] = all.lanes[i];
      rest &= ~(1u << i);
    }
    find_stride(request);
    audience.tell(request);
  }
}

/// Of accesses of any kinds and at any distances.
template <typename AccessOf>
[[gnu::noinline]] void count_irregular_access(const Audience& audience, Request& request,
                                              AccessOf access_of) {
  const Access first = access_of(0);
  bool alike = true;
  for (unsigned i = 0; i < request.count; ++i) {
    const Access access = access_of(i);
    alike &= access.is_like(first);
    request.addresses[i] = access.address();
  }
  if (!alike) [[unlikely]]
    return count_mixed_access(audience, request, access_of);
  describe(request, first);
  find_stride(request);
  audience.tell(request);
}

/// Whether these accesses are of one kind and lie at equal distances, as most do. One look at each
/// lane tells both: what begins alike and goes on in equal steps up to something alike is alike.
template <typename Count, typename AccessOf>
bool are_regular(Count count, AccessOf access_of, std::uint64_t distance) {
  const Access first = access_of(0);
  if (!first.is_like(access_of(1)) || !first.is_like(access_of(count - 1))) return false;
  std::uint64_t differences = 0;
  std::uint64_t expected = 0;
  for (unsigned i = 0; i < count; ++i, expected += distance)
    differences |= (access_of(i) - first) ^ expected;
  return differences == 0;
}

/// Counts an access of the request's `count` lanes. The request has them and its place in the code.
template <typename Count, typename AccessOf>
void count_access(const Audience& audience, Request& request, Count count, AccessOf access_of) {
  if (count < 2) return count_irregular_access(audience, request, access_of);
  const Access first = access_of(0);
  const std::uint64_t distance = access_of(1) - first;
  if (!are_regular(count, access_of, distance)) [[unlikely]]
    return count_irregular_access(audience, request, access_of);
  describe(request, first);
  request.first = first.address();
  request.stride = {.regular = true, .bytes = static_cast<std::int64_t>(distance)};
  audience.tell(request);
}

}  // namespace simt

/// \file
/// Finds accesses of different threads of one block to one place of global memory that nothing
/// orders: a store and any other access, unless both are atomic. Threads of a block are ordered by
/// its barriers, lanes of a warp also by __syncwarp, as on shared memory (shared_races.h). An
/// atomic operation of both, each in the warp that made the access and between the two accesses,
/// counts as a meeting, whatever their addresses and without a fence.
///
/// Requests come from the replay, warp by warp, in an order that warps of a block may have run in;
/// lanes of a warp may have run otherwise, so lanes of one that has made an atomic operation since
/// they last met are not compared.
///
/// All is forgotten at each barrier of the block. Until then each line of 128 bytes that it touches
/// is known by which thread has which of its words, as long as that takes no more than two rules;
/// only then has each word, or byte, a memory of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "simt/executor/checkers/race_keys.h"
#include "simt/executor/counters/traffic.h"

namespace simt {

/// One side of a race.
struct AccessInBlock {
  GlobalAccess access;  ///< what it does
  std::uint32_t code;   ///< the bits that are kept of its place in the code
  unsigned thread;      ///< of the block
};

/// Two accesses of one block to these bytes.
struct RaceInBlock {
  AccessInBlock mine;       ///< the later one, as this run took them
  AccessInBlock other;      ///< the earlier one
  std::uint64_t block;      ///< within the grid
  std::size_t offset;       ///< of the bytes from the arena's beginning
  unsigned bytes;           ///< how many they are
  std::uint64_t times = 1;  ///< how often the like was found
};

/// The races that blocks of a launch had within: of those at the same two lines one, and how often
/// they came. Of stores one for each place, as it depends on the values whether they are mistakes.
class RacesInBlocks {
 public:
  /// Forgets all.
  void clear() { found_.clear(); }
  /// Whether there is none.
  bool empty() const { return found_.empty(); }
  /// Adds one.
  void add(const RaceInBlock& race);
  /// Takes those of another one, which has none then.
  void take(RacesInBlocks& others);
  /// Reports them, of each pair of lines the one of the lowest block and threads.
  void report(const Launch& launch, const Tally& tally, const StoredValues& values) const;

 private:
  using Lines = std::tuple<std::uint32_t, std::uint32_t, GlobalAccess, GlobalAccess>;
  static Lines lines(const RaceInBlock& race);

  std::map<std::tuple<Lines, std::size_t>, RaceInBlock> found_;
};

/// What one block did since its last barrier. Kept from one block to the next.
class BlockRaces {
 public:
  /// The block begins: what was done before is none of its accesses.
  void begin_block(const Block& block);
  /// A request of one of its warps, the next one of that warp's replay.
  void note(const Warp& warp, const Request& request);
  /// A replay of one of its warps begins or ends. What another warp did in between may be replayed
  /// before or after: a warp that has made an atomic operation is taken to have made one here.
  void note_replay(const Warp& warp);
  /// What was found since it was last taken.
  RacesInBlocks& found() { return found_; }

 private:
  static constexpr unsigned kLineShift = 7;
  static constexpr std::size_t kLineBytes = std::size_t{1} << kLineShift;
  static constexpr unsigned kWords = kLineBytes / 4;
  static constexpr unsigned kWarps = kMaxThreads / kWarpSize;
  static constexpr std::uint8_t kNoLane = 0xff;
  static constexpr std::uint8_t kOneThread = kLineShift;  // the shift of a line that one thread has
  static constexpr std::uint8_t kApart = 0xff;            // that of a line which follows no rule

  /// Which thread has a byte of the line: the first one, and one more each 1 << shift bytes.
  struct Rule {
    std::int16_t first;  // below 0 where the first bytes are nobody's
    std::uint8_t shift;
    bool operator==(const Rule& other) const = default;
  };
  /// Words that were accessed at one time, by one place in the code.
  struct Alike {
    std::uint32_t words = 0;  // a bit for each
    std::uint32_t code = 0;
    std::uint32_t time = 0;
  };
  /// What threads did by one rule, by GlobalAccess; atomic operations follow none.
  struct Part {
    Rule rule = {};
    std::array<Alike, 2> of = {};
    std::uint32_t words() const { return of[0].words | of[1].words; }
  };
  // As long as a line of the processor's cache.
  struct alignas(64) Line {
    std::uint32_t number = 0;
    std::uint32_t epoch = 0;  // in which it was touched; of another one nothing is known
    std::array<Part, 2> parts = {};

    // Whether its elements are kept one by one, and where.
    bool is_apart() const { return parts[0].rule.shift == kApart; }
    std::uint32_t elements() const { return parts[0].of[0].words - 1; }
    void take_apart(std::uint32_t elements) {
      parts[0].rule.shift = kApart;
      parts[0].of[0].words = elements + 1;  // so that it has some, which others find
    }
  };

  /// The last access of a kind by a warp, and another lane's that came before it unordered.
  struct Touch {
    std::uint32_t time = 0;  // 0 if there was none
    std::uint32_t code = 0;
    std::uint16_t thread = 0;
    std::uint8_t lane = kNoLane;
  };
  /// The last access of a kind, and the last one by another warp than that.
  struct Kept {
    Touch last;
    Touch foreign;
  };
  /// A line whose elements of 1 << shift bytes are kept one by one.
  struct Elements {
    unsigned shift = 2;
    std::array<bool, 3> used = {};               // kinds of access that were made
    std::array<std::array<Kept, kWords>, 3> of;  // of words
    std::vector<Kept> smaller = {};              // of elements of less than a word, by kind
    Kept& at(unsigned kind, unsigned element) {
      return shift == 2 ? of[kind][element] : smaller[(kind << (kLineShift - shift)) + element];
    }
  };

  /// What the lanes of a request have in common.
  struct Accessing {
    GlobalAccess access;
    std::uint32_t code;
    unsigned warp;
    std::uint32_t time;
    unsigned kind() const { return static_cast<unsigned>(access); }
  };

  void begin_epoch();
  void look_for_barrier(const Warp& warp);
  void note_access(const Warp& warp, const Request& request, GlobalAccess access);
  void note_neighbours(const Accessing& me, const Request& request, unsigned from, unsigned count,
                       unsigned first_thread);
  void note_lane(const Accessing& me, std::size_t offset, std::size_t bytes, unsigned thread);
  void note_broadcast(const Accessing& me, const Request& request, unsigned first_thread);
  bool note_together(const Accessing& me, Line& line, Rule rule, std::uint32_t words);
  void note_apart(const Accessing& me, Line& line, std::size_t offset, std::size_t bytes,
                  unsigned thread);
  void note_element(const Accessing& me, Elements& elements, std::size_t line, unsigned element,
                    unsigned thread);

  Line* find_line(std::size_t number);
  Line& slot_of(std::uint32_t number);
  void enlarge();
  Elements* elements_of(Line& line, std::size_t offset, std::size_t bytes);
  std::uint32_t new_elements(unsigned shift);
  void spread(const Line& line, Elements& elements) const;
  static void make_smaller(Elements& elements, unsigned shift);

  void keep(Kept& kept, const Accessing& me, unsigned thread) const;
  bool is_ordered(const Touch& touch, const Accessing& me) const;
  const Touch* race_with(const Kept& kept, const Accessing& me, unsigned thread,
                         unsigned& other) const;
  void find_races(const Accessing& me, Elements& elements, std::size_t line, unsigned element,
                  unsigned thread);

  std::uint64_t block_ = 0;    // that runs, within the grid
  std::uint32_t barrier_ = 0;  // its last one, by the worker's clock
  std::uint32_t epoch_ = 0;
  std::uint32_t clock_ = 1;  // ticks where something orders accesses within the epoch
  std::array<std::uint32_t, kWarps> synced_ = {};  // when the warp's lanes last met
  std::array<std::uint32_t, kWarps> met_ = {};     // when it last made an atomic operation
  std::vector<Line> lines_;                        // by their numbers, more or less
  std::size_t last_slot_ = 0;                      // lines_.size() - 1
  unsigned slot_bits_ = 0;                         // lines_.size() is 2 to the power of it
  std::size_t most_known_ = 0;                     // lines that fit
  std::size_t known_ = 0;                          // lines of this epoch
  std::deque<Elements> elements_;                  // of which this epoch uses the first
  std::uint32_t used_elements_ = 0;
  RacesInBlocks found_;
};

}  // namespace simt

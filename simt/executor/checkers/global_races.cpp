#include "simt/executor/checkers/global_races.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "simt/executor/checkers/block_races.h"
#include "simt/executor/checkers/equal_stores.h"
#include "simt/executor/checkers/race_keys.h"
#include "simt/executor/checkers/stored_values.h"
#include "simt/executor/counters/tally.h"
#include "simt/executor/devices.h"
#include "simt/executor/fibers/grid_index.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/system/address_space.h"
#include "simt/executor/worker/worker.h"

namespace simt {
namespace {

// ---- keys: who accessed an element, in 64 bits ----
//
// Of two keys that differ in rank the larger one is kept, so the fields are in the order of their
// importance: those of the running epoch before older ones (and zeroed memory), accesses before
// their block's first meeting with others before later ones, low blocks before high ones, accesses
// after a fence before those that it makes known. Of one rank, the block's first access is kept.

using Key = std::uint64_t;

template <unsigned kShift, unsigned kBits>
struct Field {
  static constexpr Key kMax = (Key{1} << kBits) - 1;
  static constexpr Key put(Key value) { return (value & kMax) << kShift; }
  static constexpr Key get(Key key) { return key >> kShift & kMax; }
};
using CodeField = Field<0, kKeptCodeBits>;
using ThreadField = Field<24, 10>;
using FencesField = Field<34, 2>;  // how many the block had made; the highest means many
using BlockField = Field<36, 22>;
using UnmetField = Field<58, 1>;  // the block had met no other
using EpochField = Field<59, 5>;

constexpr unsigned kRankShift = 34;
Key rank_of(Key key) {
  return key >> kRankShift;
}

Key block_of(Key key) {
  return BlockField::kMax - BlockField::get(key);
}
unsigned thread_of(Key key) {
  return static_cast<unsigned>(ThreadField::kMax - ThreadField::get(key));
}
std::uint32_t code_of(Key key) {
  return static_cast<std::uint32_t>(CodeField::kMax - CodeField::get(key));
}
// From the key of lane 0.
Key of_lane(Key first, unsigned lane) {
  return first - ThreadField::put(lane);
}

// ---- what is remembered ----

constexpr unsigned kAccesses = 3;
// Elements of 1, 2 and 4 bytes are kept apart; wider accesses are several of 4.
constexpr unsigned kSizes = 3;

// Several workers note accesses at once. Whoever does holds the lock of the 128 bytes, which are
// what a warp mostly accesses together.
constexpr unsigned kLineShift = 7;
constexpr std::size_t kLineBytes = std::size_t{1} << kLineShift;
constexpr std::size_t kLines = Arena::kPlacesBytes >> kLineShift;
static_assert(kLineBytes == kWarpSize * 4, "a word for each lane");

// The two first blocks that accessed each of many things alike.
struct FirstBlocks {
  Key* first = nullptr;
  Key* second = nullptr;
};

// Those of one size and kind of access. A line of which the 32 words were accessed by 32 lanes in
// turn, each time, is whole: it has the keys of lane 0, which are 16 bytes instead of 512. Once it
// is accessed otherwise, it has those of its elements, to the end of the epoch.
struct Shadow {
  FirstBlocks of_elements;
  FirstBlocks of_whole_lines;
  std::uint8_t* lines = nullptr;  ///< for each the last epoch that has accessed it, and kWhole
};
constexpr std::uint8_t kWhole = 0x80;
constexpr unsigned kLocks = 1024;
struct alignas(64) Lock {
  std::atomic<bool> taken = false;
};

}  // namespace

// Of one device: launches on several run at the same time.
struct GlobalRaces {
  std::mutex mutex;
  Key epoch = 0;
  ClusteredGrid grid;
  bool clustered = false;
  bool among_blocks = false;  ///< whether there are several, and not all in one cluster
  /// Bits of used(): which kinds of access the launch has made.
  std::atomic<unsigned> used = 0;
  std::array<Shadow, kSizes * kAccesses> shadows;
  std::array<Lock, kLocks> locks;
  /// For each 4 bytes the epoch in which they became suspect.
  std::uint8_t* suspected = nullptr;
  std::vector<std::uintptr_t> suspects;
  StoredValues values;
  /// Those of blocks that have ended, or of a cooperative grid's at its barrier.
  std::unique_ptr<RacesInBlocks> within;
  /// For each block the epoch, and its fences before its last meeting with others.
  std::uint8_t* fences_at_meeting = nullptr;
};

namespace {

constinit std::array<GlobalRaces, kMostDevices> of_devices = {};

constexpr unsigned index_of(unsigned size, GlobalAccess access) {
  return size * kAccesses + static_cast<unsigned>(access);
}
constexpr unsigned mask_of(GlobalAccess access) {
  unsigned mask = 0;
  for (unsigned size = 0; size < kSizes; ++size)
    mask |= 1u << index_of(size, access);
  return mask;
}
constexpr unsigned conflicts_of(GlobalAccess access) {
  switch (access) {
    case GlobalAccess::kLoad:
      return mask_of(GlobalAccess::kStore) | mask_of(GlobalAccess::kAtomic);
    case GlobalAccess::kAtomic:
      return mask_of(GlobalAccess::kStore) | mask_of(GlobalAccess::kLoad);
    default:
      return (1u << kSizes * kAccesses) - 1;
  }
}

template <typename T>
T* reserve_array(std::size_t count) {
  return static_cast<T*>(reserve_address_space(count * sizeof(T)));
}

bool is_current(const GlobalRaces& races, Key key) {
  return EpochField::get(key) == races.epoch;
}
bool untouched(const GlobalRaces& races, const Shadow& shadow, std::size_t offset) {
  return (shadow.lines[offset >> kLineShift] & ~kWhole) != static_cast<int>(races.epoch);
}
bool is_whole(const GlobalRaces& races, const Shadow& shadow, std::size_t offset) {
  return shadow.lines[offset >> kLineShift] == (races.epoch | kWhole);
}
bool same_agent(const GlobalRaces& races, Key a, Key b) {
  if (BlockField::get(a) == BlockField::get(b)) return true;
  return races.clustered &&
         races.grid.cluster_of(block_of(a)) == races.grid.cluster_of(block_of(b));
}

[[gnu::noinline]] void start_using(GlobalRaces& races, unsigned index) {
  const std::lock_guard lock(races.mutex);
  Shadow& shadow = races.shadows[index];
  if (shadow.lines == nullptr) {
    const std::size_t elements = Arena::kPlacesBytes >> (index / kAccesses);
    shadow.of_whole_lines = {reserve_array<Key>(kLines), reserve_array<Key>(kLines)};
    shadow.lines = reserve_array<std::uint8_t>(kLines);
    shadow.of_elements = {reserve_array<Key>(elements), reserve_array<Key>(elements)};
  }
  races.used |= 1u << index;
}

// Under the lock of its line.
[[gnu::noinline]] void suspect(GlobalRaces& races, std::size_t offset) {
  const auto epoch = static_cast<std::uint8_t>(races.epoch);
  if (std::exchange(races.suspected[offset / 4], epoch) == epoch) return;
  const std::lock_guard lock(races.mutex);
  races.suspects.push_back(arena.begin + offset / 4 * 4);
}

// ---- noting accesses ----

class LineLock {
 public:
  explicit LineLock(GlobalRaces& races) : races_(races) {}
  LineLock(const LineLock&) = delete;
  LineLock& operator=(const LineLock&) = delete;
  ~LineLock() { release(); }

  /// Changes over to the line of this offset.
  void hold(std::size_t offset) {
    const std::size_t line = offset >> kLineShift;
    if (line == line_) return;
    release();
    line_ = line;
    std::atomic<bool>& taken = races_.locks[line % kLocks].taken;
    while (taken.exchange(true, std::memory_order_acquire)) {
    }
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  void release() {
    if (line_ != kNone) races_.locks[line_ % kLocks].taken.store(false, std::memory_order_release);
  }
  GlobalRaces& races_;
  std::size_t line_ = kNone;
};

[[gnu::noinline]] void keep_second(const GlobalRaces& races, const FirstBlocks& blocks,
                                   std::size_t element, Key key) {
  Key& second = blocks.second[element];
  if (is_current(races, key) && rank_of(key) > rank_of(second)) second = key;
}

void keep(const GlobalRaces& races, const FirstBlocks& blocks, std::size_t element, Key key) {
  Key& first = blocks.first[element];
  if (rank_of(key) > rank_of(first)) {
    const Key before = std::exchange(first, key);
    if (is_current(races, before) && !same_agent(races, before, key)) {
      keep_second(races, blocks, element, before);
    }
  } else if (!same_agent(races, first, key)) {
    keep_second(races, blocks, element, key);
  }
}

bool others_in(const GlobalRaces& races, const FirstBlocks& blocks, std::size_t element, Key key) {
  const Key first = blocks.first[element];
  if (!is_current(races, first)) return false;
  return !same_agent(races, first, key) || is_current(races, blocks.second[element]);
}

[[gnu::noinline]] void suspect_words(GlobalRaces& races, std::size_t offset, unsigned bytes) {
  for (std::size_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    suspect(races, word * 4);
}

// Whether other blocks accessed any of these bytes, which are of one line, in a conflicting way.
void look_for_others(GlobalRaces& races, unsigned conflicts, std::size_t offset, unsigned bytes,
                     Key key) {
  for (unsigned rest = conflicts; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned size = index / kAccesses;
    const Shadow& shadow = races.shadows[index];
    if (untouched(races, shadow, offset)) continue;
    if (is_whole(races, shadow, offset)) {
      if (others_in(races, shadow.of_whole_lines, offset >> kLineShift, key)) [[unlikely]]
        suspect_words(races, offset, bytes);
      continue;
    }
    const std::size_t last = (offset + bytes - 1) >> size;
    for (std::size_t element = offset >> size; element <= last; ++element) {
      if (others_in(races, shadow.of_elements, element, key)) [[unlikely]]
        suspect(races, element << size);
    }
  }
}

// What a request's lanes have in common.
struct Noting {
  GlobalRaces& races;
  GlobalAccess access;
  unsigned size;
  Shadow shadow;
  Key key;  ///< of lane 0

  // Read under the lock: who came before must be known by what they used.
  unsigned conflicts() const {
    return races.used.load(std::memory_order_acquire) & conflicts_of(access);
  }
};

// Before single elements of it are noted or judged.
void break_up(const GlobalRaces& races, const Shadow& shadow, std::size_t offset) {
  if (!is_whole(races, shadow, offset)) return;
  const std::size_t line = offset >> kLineShift;
  const Key first = shadow.of_whole_lines.first[line];
  const Key second = shadow.of_whole_lines.second[line];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::size_t word = line * kWarpSize + lane;
    shadow.of_elements.first[word] = of_lane(first, lane);
    if (is_current(races, second)) shadow.of_elements.second[word] = of_lane(second, lane);
  }
  shadow.lines[line] = static_cast<std::uint8_t>(races.epoch);
}

void note_lane(const Noting& noting, std::size_t offset, unsigned bytes, unsigned lane) {
  const Key key = of_lane(noting.key, lane);
  for (unsigned byte = 0; byte < bytes; byte += 1u << noting.size)
    keep(noting.races, noting.shadow.of_elements, (offset + byte) >> noting.size, key);
  look_for_others(noting.races, noting.conflicts(), offset, bytes, key);
}

// ---- the common case: neighbouring lanes access neighbouring words, alone ----
//
// Noting it lane by lane took a fifth of the executor's time in step 05, word by word a twelfth;
// whole lines take a thirtieth.

// False if others have accessed it otherwise.
bool note_line(const Noting& noting, std::size_t offset) {
  const GlobalRaces& races = noting.races;
  const Shadow& shadow = noting.shadow;
  if (!untouched(races, shadow, offset) && !is_whole(races, shadow, offset)) return false;
  const std::size_t line = offset >> kLineShift;
  keep(races, shadow.of_whole_lines, line, noting.key);
  shadow.lines[line] = static_cast<std::uint8_t>(races.epoch | kWhole);
  look_for_others(noting.races, noting.conflicts(), offset, kLineBytes, noting.key);
  return true;
}

bool all_of_rank(const Key* words, unsigned count, Key key) {
  Key differences = 0;
  for (unsigned i = 0; i < count; ++i)
    differences |= words[i] ^ key;
  return rank_of(differences) == 0;
}

bool none_of_epoch(const GlobalRaces& races, const Key* words, unsigned count) {
  unsigned current = 0;
  for (unsigned i = 0; i < count; ++i)
    current += is_current(races, words[i]);
  return current == 0;
}

bool nobody_conflicts(const Noting& noting, std::size_t offset, unsigned count) {
  const GlobalRaces& races = noting.races;
  for (unsigned rest = noting.conflicts(); rest != 0; rest &= rest - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(rest));
    const Shadow& shadow = races.shadows[index];
    if (untouched(races, shadow, offset)) continue;
    if (index / kAccesses != noting.size) return false;
    const bool whole = is_whole(races, shadow, offset);
    const FirstBlocks& blocks = whole ? shadow.of_whole_lines : shadow.of_elements;
    const std::size_t first = whole ? offset >> kLineShift : offset >> 2;
    const unsigned keys = whole ? 1 : count;
    const bool mine = all_of_rank(blocks.first + first, keys, noting.key) &&
                      none_of_epoch(races, blocks.second + first, keys);
    if (!mine) return false;
  }
  return true;
}

// Words of one line, by lanes from `lane` on. False if it is not that simple.
bool note_words(const Noting& noting, std::size_t offset, unsigned count, unsigned lane) {
  const GlobalRaces& races = noting.races;
  Key* const kept = noting.shadow.of_elements.first + (offset >> 2);
  const bool is_new = untouched(races, noting.shadow, offset);
  if (is_new || !all_of_rank(kept, count, noting.key)) {
    if (!is_new && !none_of_epoch(races, kept, count)) return false;
    for (unsigned i = 0; i < count; ++i)
      kept[i] = of_lane(noting.key, lane + i);
  }
  return nobody_conflicts(noting, offset, count);
}

// How many lanes from `from` on access neighbouring words of one line.
unsigned words_of_line(const Request& request, unsigned from) {
  const std::uint64_t rest = (kLineBytes - request.address(from) % kLineBytes) / 4;
  return std::min(neighbours(request, from), static_cast<unsigned>(rest));
}

// Of `count` lanes from number `from` on, in one line: of one lane, or of neighbours.
void note_elements(const Noting& noting, const Request& request, unsigned from, unsigned count) {
  const std::size_t offset = request.address(from) - arena.begin;
  break_up(noting.races, noting.shadow, offset);
  if (count == 1 || !note_words(noting, offset, count, request.lanes[from])) {
    for (unsigned i = from; i < from + count; ++i)
      note_lane(noting, request.address(i) - arena.begin, request.bytes, request.lanes[i]);
  }
  noting.shadow.lines[offset >> kLineShift] = static_cast<std::uint8_t>(noting.races.epoch);
}

void note_access(GlobalRaces& races, const Warp& warp, const Request& request,
                 GlobalAccess access) {
  const unsigned size = request.bytes >= 4 ? 2 : request.bytes / 2;
  const unsigned index = index_of(size, access);
  if ((races.used >> index & 1) == 0) [[unlikely]]
    start_using(races, index);
  const Key key = warp.block->race_key | CodeField::put(CodeField::kMax - kept_code(request.site)) |
                  ThreadField::put(ThreadField::kMax - warp.lanes->thread);
  const Noting noting = {races, access, size, races.shadows[index], key};
  const bool are_words = request.bytes == 4;
  LineLock lock(races);
  for (unsigned i = 0; i < request.count;) {
    const unsigned run = are_words ? words_of_line(request, i) : 1;
    const std::size_t offset = request.address(i) - arena.begin;
    lock.hold(offset);
    if (run < kWarpSize || !note_line(noting, offset)) note_elements(noting, request, i, run);
    i += run;
  }
}

// ---- launches and blocks ----

void forget_all_epochs(GlobalRaces& races) {
  for (unsigned index = 0; index < races.shadows.size(); ++index) {
    const Shadow& shadow = races.shadows[index];
    if (shadow.lines == nullptr) continue;
    const std::size_t bytes = (Arena::kPlacesBytes >> (index / kAccesses)) * sizeof(Key);
    discard_pages(shadow.of_elements.first, bytes);
    discard_pages(shadow.of_elements.second, bytes);
    discard_pages(shadow.of_whole_lines.first, kLines * sizeof(Key));
    discard_pages(shadow.of_whole_lines.second, kLines * sizeof(Key));
    discard_pages(shadow.lines, kLines);
  }
  discard_pages(races.suspected, Arena::kPlacesBytes / 4);
  discard_pages(races.fences_at_meeting, BlockField::kMax + 1);
}

void begin_epoch(GlobalRaces& races) {
  if (races.suspected == nullptr) {
    races.suspected = reserve_array<std::uint8_t>(Arena::kPlacesBytes / 4);
    races.fences_at_meeting = reserve_array<std::uint8_t>(BlockField::kMax + 1);
  }
  if (races.epoch == EpochField::kMax) {
    forget_all_epochs(races);
    races.epoch = 0;
  }
  ++races.epoch;
  races.values.begin_epoch();
  races.used = 0;
  races.suspects.clear();
  races.within = std::make_unique<RacesInBlocks>();
}

void give_key(const GlobalRaces& races, Block& block) {
  block.race_key = EpochField::put(races.epoch) | UnmetField::put(!block.met) |
                   BlockField::put(BlockField::kMax - block.number) |
                   FencesField::put(block.fences);
}

void note_fence(const GlobalRaces& races, Block& block) {
  if (block.fences == FencesField::kMax) return;
  ++block.fences;
  give_key(races, block);
}

void note_meeting(GlobalRaces& races, Block& block) {
  races.fences_at_meeting[block.number] =
      static_cast<std::uint8_t>(races.epoch << 2 | block.fences);
  block.met = true;
  give_key(races, block);
}

}  // namespace

void begin_global_races(Launch& launch) {
  const std::uint64_t blocks_per_cluster = volume(launch.config.cluster);
  if (!launch.checking || !launch.counting) return;
  if (launch.blocks <= blocks_per_cluster && launch.threads_per_block == 1) return;
  GlobalRaces& races = of_devices[static_cast<unsigned>(launch.device)];
  races.grid = {launch.config.grid, launch.config.cluster};
  races.clustered = blocks_per_cluster > 1;
  races.among_blocks = launch.blocks > blocks_per_cluster;
  launch.races = &races;
  begin_epoch(races);
}

void begin_block_of_global_races(Block& block) {
  block.fences = 0;
  block.met = false;
  block.race_key = 0;
  const GlobalRaces* const races = block.worker->launch->races;
  if (races == nullptr) return;
  if (races->among_blocks && block.number < BlockField::kMax) give_key(*races, block);
  if (block.races == nullptr) block.races = std::make_shared<BlockRaces>();
  block.races->begin_block(block);
}

void end_block_of_global_races(const Block& block) {
  GlobalRaces* const races = block.worker->launch->races;
  if (races == nullptr || block.races->found().empty()) return;
  const std::lock_guard lock(races->mutex);
  races->within->take(block.races->found());
}

void note_stored_value(std::uintptr_t place, const void* at, std::size_t bytes) {
  GlobalRaces* const races = current.launch->races;
  if (races != nullptr) races->values.note(place - arena.begin, at, bytes);
}

void note_replay_in_global_races(const Warp& warp) {
  if (warp.block->races != nullptr) warp.block->races->note_replay(warp);
}

void note_in_global_races(const Warp& warp, const Request& request) {
  const Block& block = *warp.block;
  if (block.synchronization == nullptr && block.threads > 1) block.races->note(warp, request);
  if (block.race_key == 0) return;
  GlobalRaces& races = *block.worker->launch->races;
  // Volatile accesses are taken for what programs use them as: flags, by which blocks meet.
  if (request.is_volatile) {
    note_access(races, warp, request, GlobalAccess::kAtomic);
    return note_meeting(races, *warp.block);
  }
  switch (request.kind) {
    case AccessKind::kGlobalLoad:
    case AccessKind::kAsyncCopy:
      return note_access(races, warp, request, GlobalAccess::kLoad);
    case AccessKind::kGlobalStore:
      return note_access(races, warp, request, GlobalAccess::kStore);
    case AccessKind::kGlobalAtomic:
      note_access(races, warp, request, GlobalAccess::kAtomic);
      return note_meeting(races, *warp.block);
    case AccessKind::kMeeting:
      return note_meeting(races, *warp.block);
    case AccessKind::kFence:
      return note_fence(races, *warp.block);
    default:
      return;
  }
}

// ---- judging ----

namespace {

struct Side {
  Key key;
  GlobalAccess access;
  std::uintptr_t address;
  unsigned bytes;
};

struct Race {
  Side mine;
  Side other;
  bool stores_same;  // both do, and all others there, so that it is no mistake
  // The load of the thread that stores, or of the other one: it may be of one update with the
  // store.
  std::optional<Side> load = {};
};

// What a block did is known to others when it made a fence after that, and then met them. An atomic
// operation needs no fence to be known.
bool is_made_known(const GlobalRaces& races, const Side& side) {
  if (side.access == GlobalAccess::kAtomic) return true;
  const unsigned at_meeting = races.fences_at_meeting[block_of(side.key)];
  if (at_meeting >> 2 != races.epoch) return false;
  const Key fences = FencesField::get(side.key);
  return (at_meeting & FencesField::kMax) > fences || fences == FencesField::kMax;
}

bool comes_before(const GlobalRaces& races, const Side& a, const Side& b) {
  return UnmetField::get(b.key) == 0 && is_made_known(races, a);
}

bool is_race(const GlobalRaces& races, const Side& a, const Side& b) {
  const bool overlap = a.address < b.address + b.bytes && b.address < a.address + a.bytes;
  const bool conflict = conflicts_of(a.access) & mask_of(b.access);
  return overlap && conflict && !same_agent(races, a.key, b.key) && !comes_before(races, a, b) &&
         !comes_before(races, b, a);
}

// All that is remembered of 4 bytes, stores first.
std::vector<Side> sides_of(const GlobalRaces& races, std::uintptr_t word) {
  std::vector<Side> sides;
  for (const GlobalAccess access :
       {GlobalAccess::kStore, GlobalAccess::kLoad, GlobalAccess::kAtomic}) {
    for (unsigned size = 0; size < kSizes; ++size) {
      const unsigned index = index_of(size, access);
      if ((races.used >> index & 1) == 0) continue;
      break_up(races, races.shadows[index], word - arena.begin);
      const unsigned bytes = 1u << size;
      for (std::uintptr_t address = word; address < word + 4; address += bytes) {
        const std::size_t element = (address - arena.begin) >> size;
        const FirstBlocks& blocks = races.shadows[index].of_elements;
        for (const Key key : {blocks.first[element], blocks.second[element]}) {
          if (is_current(races, key)) sides.push_back({key, access, address, bytes});
        }
      }
    }
  }
  return sides;
}

bool store_same(const Launch& launch, const Side& a, const Side& b) {
  if (a.access != GlobalAccess::kStore || b.access != GlobalAccess::kStore) return false;
  const std::uintptr_t begin = std::max(a.address, b.address);
  const std::uintptr_t end = std::min(a.address + a.bytes, b.address + b.bytes);
  return all_stored_the_same(launch, launch.races->values, begin - arena.begin, end - begin);
}

// Of a race of stores, what one of the two threads loads of the same bytes.
std::optional<Side> load_beside(const std::vector<Side>& sides, const Side& a, const Side& b) {
  const auto is_of = [](const Side& load, const Side& store) {
    return store.access == GlobalAccess::kStore && load.address == store.address &&
           block_of(load.key) == block_of(store.key) && thread_of(load.key) == thread_of(store.key);
  };
  for (const Side& side : sides) {
    if (side.access == GlobalAccess::kLoad && (is_of(side, a) || is_of(side, b))) return side;
  }
  return std::nullopt;
}

// The first mistake; if there is none, the first race of stores of the same.
std::optional<Race> race_at(const Launch& launch, std::uintptr_t word) {
  const GlobalRaces& races = *launch.races;
  const std::vector<Side> sides = sides_of(races, word);
  std::optional<Race> harmless;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t k = i + 1; k < sides.size(); ++k) {
      if (!is_race(races, sides[i], sides[k])) continue;
      const Race race = {sides[i], sides[k], store_same(launch, sides[i], sides[k]),
                         load_beside(sides, sides[i], sides[k])};
      if (!race.stores_same) return race;
      if (!harmless) harmless = race;
    }
  }
  return harmless;
}

// As a noun in a sentence.
std::string noun_of(GlobalAccess access) {
  return (access == GlobalAccess::kAtomic ? "an " : "a ") + std::string(name_of(access));
}

ThreadOfLaunch thread_of_launch(Key key) {
  return {block_of(key), thread_of(key)};
}

Place place_of(const Launch& launch, const Tally& tally, const Side& side) {
  return place_of(launch, tally, side.access, code_of(side.key));
}

// Each of the two lines may be that of an update, or of a store of other values.
bool may_be_update(const Launch& launch, const Tally& tally, const Race& race) {
  if (!race.load || race.mine.access == GlobalAccess::kAtomic ||
      race.other.access == GlobalAccess::kAtomic) {
    return false;
  }
  const Place load = place_of(launch, tally, *race.load);
  return are_on_one_line(load, place_of(launch, tally, race.mine)) &&
         are_on_one_line(load, place_of(launch, tally, race.other));
}

void report_race(const Launch& launch, const Tally& tally, const Race& race) {
  const auto who = [&](const Side& side) {
    return describe(launch.config, thread_of_launch(side.key));
  };
  report_of(launch, thread_of_launch(race.mine.key), "global-race",
            place_of(launch, tally, race.mine),
            noun_of(race.mine.access) + " races with " + noun_of(race.other.access) +
                " by another block, at " + DeviceMemory::instance().describe(race.mine.address) +
                ": no __threadfence() and atomic operation lie in between" +
                (may_be_update(launch, tally, race) ? kMayBeUpdate : "") +
                (race.stores_same ? kStoreTheSame : ""),
            {{place_of(launch, tally, race.other),
              noun_of(race.other.access) + " by " + who(race.other)}},
            race.stores_same ? Severity::kNote : Severity::kError);
}

// One race for each pair of lines: a mistake if there is one, and of these that of the lowest
// blocks, threads and addresses.
struct RaceOrder {
  static auto lines(const Race& race) {
    return std::tuple(code_of(race.mine.key), code_of(race.other.key), race.mine.access,
                      race.other.access);
  }
  static auto rank(const Race& race) {
    return std::tuple(race.stores_same, block_of(race.mine.key), thread_of(race.mine.key),
                      block_of(race.other.key), thread_of(race.other.key), race.mine.address);
  }
};

}  // namespace

void end_global_races(const Launch& launch, const Tally& tally) {
  // A launch that ended early did so at another point in each run.
  if (launch.races == nullptr || launch.error != 0) return;
  const GlobalRaces& races = *launch.races;
  using Lines = decltype(RaceOrder::lines(std::declval<Race>()));
  std::map<Lines, Race> found;
  for (const std::uintptr_t word : races.suspects) {
    const auto race = race_at(launch, word);
    if (!race) continue;
    const auto [known, is_new] = found.try_emplace(RaceOrder::lines(*race), *race);
    if (!is_new && RaceOrder::rank(*race) < RaceOrder::rank(known->second)) known->second = *race;
  }
  for (const auto& [lines, race] : found)
    report_race(launch, tally, race);
  races.within->report(launch, tally, races.values);
}

void next_phase_of_global_races(Worker& worker, unsigned blocks) {
  GlobalRaces* const races = worker.launch->races;
  if (races == nullptr) return;
  for (unsigned slot = 0; slot < blocks; ++slot)
    end_block_of_global_races(*worker.blocks[slot]);
  end_global_races(*worker.launch, worker.tally);
  begin_epoch(*races);
  for (unsigned slot = 0; slot < blocks; ++slot)
    begin_block_of_global_races(*worker.blocks[slot]);
}

}  // namespace simt

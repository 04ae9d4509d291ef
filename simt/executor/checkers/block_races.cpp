#include "simt/executor/checkers/block_races.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "simt/executor/checkers/equal_stores.h"
#include "simt/executor/checkers/stored_values.h"
#include "simt/executor/counters/tally.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/memory/device_memory.h"

namespace simt {
namespace {

// Of what a block touches between two barriers no more is remembered: 128 MB, of which so many
// lines are kept element by element.
constexpr std::size_t kMostLines = std::size_t{1} << 20;
constexpr std::uint32_t kMostApart = 1u << 16;
constexpr std::size_t kFirstLines = 256;

constexpr std::array kKinds = {GlobalAccess::kStore, GlobalAccess::kLoad, GlobalAccess::kAtomic};

constexpr bool conflict(GlobalAccess a, GlobalAccess b) {
  if (a == GlobalAccess::kStore || b == GlobalAccess::kStore) return true;
  return a != b;
}

// Those whose accesses, side by side, follow one rule in a line.
bool have_rule(const Request& request) {
  return std::has_single_bit(request.bytes) && request.bytes <= 16;
}

constexpr std::uint32_t bits(unsigned first, unsigned count) {
  return (count == 32 ? ~0u : (1u << count) - 1) << first;
}

}  // namespace

// ---- lines ----

void BlockRaces::begin_block(const Block& block) {
  block_ = block.number;
  barrier_ = block.last_barrier;
  begin_epoch();
}

void BlockRaces::begin_epoch() {
  if (++epoch_ == 0) {  // so that no line seems to be of this one
    std::fill(lines_.begin(), lines_.end(), Line{});
    epoch_ = 1;
  }
  clock_ = 1;
  synced_.fill(0);
  met_.fill(0);
  known_ = 0;
  used_elements_ = 0;
}

// The line's own, or the one that it gets. Neighbours lie side by side; arrays whose beginnings are
// a power of two apart do not get in each other's way.
inline BlockRaces::Line& BlockRaces::slot_of(std::uint32_t number) {
  std::size_t slot = number + std::size_t{number >> slot_bits_} * 0x9e3779b1u;
  while (true) {
    Line& line = lines_[slot & last_slot_];
    if (line.epoch != epoch_ || line.number == number) return line;
    ++slot;
  }
}

[[gnu::noinline]] void BlockRaces::enlarge() {
  const std::vector<Line> before =
      std::exchange(lines_, std::vector<Line>(std::max(2 * lines_.size(), kFirstLines)));
  last_slot_ = lines_.size() - 1;
  slot_bits_ = static_cast<unsigned>(std::countr_zero(lines_.size()));
  most_known_ = lines_.size() / 2;
  for (const Line& line : before) {
    if (line.epoch == epoch_) slot_of(line.number) = line;
  }
}

// Null where more is not remembered.
inline BlockRaces::Line* BlockRaces::find_line(std::size_t number) {
  if (known_ >= most_known_) [[unlikely]] {
    if (known_ >= kMostLines) return nullptr;
    enlarge();
  }
  Line& line = slot_of(static_cast<std::uint32_t>(number));
  if (line.epoch != epoch_) {
    line = {.number = static_cast<std::uint32_t>(number), .epoch = epoch_};
    ++known_;
  }
  return &line;
}

// Notes an access to these words by threads that the rule tells. False, and nothing is noted, where
// that takes more than is kept of words together.
inline bool BlockRaces::note_together(const Accessing& me, Line& line, Rule rule,
                                      std::uint32_t words) {
  Part* mine = line.parts.data();
  const Part* other = mine + 1;
  if (mine->rule != rule && mine->words() != 0) {
    if (line.is_apart()) return false;
    other = mine++;
    if (mine->rule != rule && mine->words() != 0) return false;
  }
  if ((other->words() & words) != 0) return false;
  Alike& alike = mine->of[me.kind()];
  const bool replaces = (alike.words & ~words) == 0;
  if (!replaces && (alike.code != me.code || alike.time != me.time)) return false;
  mine->rule = rule;
  alike = {.words = alike.words | words, .code = me.code, .time = me.time};
  return true;
}

// ---- elements ----

std::uint32_t BlockRaces::new_elements(unsigned shift) {
  if (used_elements_ == elements_.size()) elements_.emplace_back();
  Elements& made = elements_[used_elements_];
  made = {};
  make_smaller(made, shift);
  return used_elements_++;
}

// From words to halves or bytes, or from these to those: each is known as what it was part of.
void BlockRaces::make_smaller(Elements& elements, unsigned shift) {
  if (shift >= elements.shift) return;
  const unsigned more = elements.shift - shift;
  const unsigned count = kLineBytes >> shift;
  std::vector<Kept> smaller(std::size_t{3} * count);
  for (unsigned i = 0; i < smaller.size(); ++i)
    smaller[i] = elements.at(i / count, i % count >> more);
  elements.smaller = std::move(smaller);
  elements.shift = shift;
}

// What was kept of the line's words together.
void BlockRaces::spread(const Line& line, Elements& elements) const {
  for (const Part& part : line.parts) {
    for (unsigned kind = 0; kind < part.of.size(); ++kind) {
      const Alike& alike = part.of[kind];
      if (alike.words == 0) continue;
      elements.used[kind] = true;
      const unsigned per_word = 4u >> elements.shift;
      for (unsigned i = 0; i < kWords * per_word; ++i) {
        if ((alike.words >> i / per_word & 1) == 0) continue;
        const int thread =
            part.rule.first + ((static_cast<int>(i) << elements.shift) >> part.rule.shift);
        elements.at(kind, i).last = {alike.time, alike.code, static_cast<std::uint16_t>(thread)};
      }
    }
  }
}

// Those of the line, small enough for an access to these bytes. Null where more is not remembered.
BlockRaces::Elements* BlockRaces::elements_of(Line& line, std::size_t offset, std::size_t bytes) {
  const auto both = static_cast<unsigned>(offset | bytes);
  const auto needed = std::min(2u, static_cast<unsigned>(std::countr_zero(both)));
  if (!line.is_apart()) {
    if (used_elements_ == kMostApart) return nullptr;
    unsigned shift = needed;
    for (const Part& part : line.parts) {
      if (part.words() != 0) shift = std::min<unsigned>(shift, part.rule.shift);
    }
    const std::uint32_t made = new_elements(shift);
    spread(line, elements_[made]);
    line.take_apart(made);
  }
  Elements& elements = elements_[line.elements()];
  make_smaller(elements, needed);
  return &elements;
}

void BlockRaces::keep(Kept& kept, const Accessing& me, unsigned thread) const {
  Touch& last = kept.last;
  std::uint8_t lane = kNoLane;
  if (last.time != 0) {
    if (last.thread / kWarpSize != me.warp) {
      kept.foreign = last;
    } else if (last.time >= synced_[me.warp]) {
      lane = last.thread != thread ? static_cast<std::uint8_t>(last.thread % kWarpSize) : last.lane;
    }
  }
  last = {me.time, me.code, static_cast<std::uint16_t>(thread), lane};
}

// ---- order ----

bool BlockRaces::is_ordered(const Touch& touch, const Accessing& me) const {
  const unsigned warp = touch.thread / kWarpSize;
  const std::uint32_t met = met_[me.warp];
  if (warp != me.warp) return met > touch.time && met_[warp] > touch.time;
  return touch.time < synced_[warp] || (met != 0 && met >= synced_[warp]);
}

// One of those that race with the access of `thread`, whose number is `other`; or null. Rather one
// of another warp: what orders these orders lanes of a warp as well.
const BlockRaces::Touch* BlockRaces::race_with(const Kept& kept, const Accessing& me,
                                               unsigned thread, unsigned& other) const {
  const Touch* found = nullptr;
  for (const Touch* const touch : {&kept.last, &kept.foreign}) {
    if (touch->time == 0 || is_ordered(*touch, me)) continue;
    const bool is_foreign = touch->thread / kWarpSize != me.warp;
    const bool other_lane = touch->thread == thread && touch->lane != kNoLane;
    const unsigned who =
        other_lane ? thread / kWarpSize * kWarpSize + touch->lane : unsigned{touch->thread};
    if (who == thread || (found != nullptr && !is_foreign)) continue;
    other = who;
    found = touch;
  }
  return found;
}

void BlockRaces::find_races(const Accessing& me, Elements& elements, std::size_t line,
                            unsigned element, unsigned thread) {
  for (const GlobalAccess access : kKinds) {
    const auto kind = static_cast<unsigned>(access);
    if (!elements.used[kind] || !conflict(access, me.access)) continue;
    unsigned other = 0;
    const Touch* const touch = race_with(elements.at(kind, element), me, thread, other);
    if (touch == nullptr) continue;
    found_.add({.mine = {me.access, me.code, thread},
                .other = {access, touch->code, other},
                .block = block_,
                .offset = (line << kLineShift) + (std::size_t{element} << elements.shift),
                .bytes = 1u << elements.shift});
  }
}

void BlockRaces::note_element(const Accessing& me, Elements& elements, std::size_t line,
                              unsigned element, unsigned thread) {
  find_races(me, elements, line, element, thread);
  keep(elements.at(me.kind(), element), me, thread);
}

// ---- requests ----

// Bytes of one line, by one thread.
void BlockRaces::note_apart(const Accessing& me, Line& line, std::size_t offset, std::size_t bytes,
                            unsigned thread) {
  Elements* const elements = elements_of(line, offset, bytes);
  if (elements == nullptr) return;
  elements->used[me.kind()] = true;
  const std::size_t first = offset % kLineBytes;
  for (std::size_t i = first >> elements->shift; i < (first + bytes) >> elements->shift; ++i)
    note_element(me, *elements, line.number, static_cast<unsigned>(i), thread);
}

void BlockRaces::note_lane(const Accessing& me, std::size_t offset, std::size_t bytes,
                           unsigned thread) {
  if (bytes == 0) return;
  Line* const line = find_line(offset >> kLineShift);
  if (line == nullptr) return;
  if (me.access != GlobalAccess::kAtomic && (offset | bytes) % 4 == 0) {
    const auto first = static_cast<unsigned>(offset % kLineBytes / 4);
    const Rule rule = {static_cast<std::int16_t>(thread), kOneThread};
    if (note_together(me, *line, rule, bits(first, static_cast<unsigned>(bytes / 4)))) return;
  }
  note_apart(me, *line, offset, bytes, thread);
}

// All lanes load the same, which nobody of the block has changed.
void BlockRaces::note_broadcast(const Accessing& me, const Request& request,
                                unsigned first_thread) {
  const std::size_t offset = request.first - arena.begin;
  const unsigned lanes = request.count;
  const auto thread_of = [&](unsigned i) { return first_thread + request.lanes[i]; };
  Line* const line = find_line(offset >> kLineShift);
  Elements* const elements = line == nullptr ? nullptr : elements_of(*line, offset, request.bytes);
  if (elements == nullptr) return;
  const bool only_loads = !elements->used[static_cast<unsigned>(GlobalAccess::kStore)] &&
                          !elements->used[static_cast<unsigned>(GlobalAccess::kAtomic)];
  if (!only_loads) {
    for (unsigned i = 0; i < lanes; ++i)
      note_lane(me, offset, request.bytes, thread_of(i));
    return;
  }
  note_apart(me, *line, offset, request.bytes, thread_of(0));
  note_apart(me, *line, offset, request.bytes, thread_of(lanes - 1));
}

void BlockRaces::note_neighbours(const Accessing& me, const Request& request, unsigned from,
                                 unsigned count, unsigned first_thread) {
  const auto shift = static_cast<std::uint8_t>(std::countr_zero(request.bytes));
  std::size_t offset = request.address(from) - arena.begin;
  const std::size_t end = offset + (std::size_t{count} << shift);
  unsigned thread = first_thread + request.lanes[from];
  while (offset < end) {
    const std::size_t stop = std::min(end, (offset | (kLineBytes - 1)) + 1);
    Line* const line = find_line(offset >> kLineShift);
    if (line == nullptr) return;
    const std::size_t begin = offset % kLineBytes;
    const Rule rule = {
        static_cast<std::int16_t>(static_cast<int>(thread) - static_cast<int>(begin >> shift)),
        shift};
    const std::uint32_t words =
        bits(static_cast<unsigned>(begin / 4), static_cast<unsigned>((stop - offset) / 4));
    const bool are_whole_words = (offset | stop) % 4 == 0;
    const unsigned next = thread + static_cast<unsigned>((stop - offset) >> shift);
    if (!are_whole_words || !note_together(me, *line, rule, words)) {
      for (; thread < next; ++thread, offset += request.bytes)
        note_apart(me, *line, offset, request.bytes, thread);
    }
    thread = next;
    offset = stop;
  }
}

void BlockRaces::note_access(const Warp& warp, const Request& request, GlobalAccess access) {
  const unsigned first_thread = warp.lanes->thread;
  const Accessing me = {access, kept_code(request.site), first_thread / kWarpSize, clock_};
  const bool same = request.stride.regular && request.stride.bytes == 0 && request.count > 1;
  if (access == GlobalAccess::kLoad && same && request.bytes != 0) {
    return note_broadcast(me, request, first_thread);
  }
  const bool by_rule = access != GlobalAccess::kAtomic && have_rule(request);
  for (unsigned i = 0; i < request.count;) {
    const unsigned count = by_rule ? neighbours(request, i) : 1;
    if (count > 1) {
      note_neighbours(me, request, i, count, first_thread);
    } else {
      note_lane(me, request.address(i) - arena.begin, request.bytes,
                first_thread + request.lanes[i]);
    }
    i += count;
  }
}

void BlockRaces::look_for_barrier(const Warp& warp) {
  if (warp.block->last_barrier == barrier_) return;
  barrier_ = warp.block->last_barrier;
  begin_epoch();
}

void BlockRaces::note_replay(const Warp& warp) {
  look_for_barrier(warp);
  std::uint32_t& met = met_[warp.lanes->thread / kWarpSize];
  if (met != 0) met = ++clock_;
}

void BlockRaces::note(const Warp& warp, const Request& request) {
  look_for_barrier(warp);
  const unsigned number = warp.lanes->thread / kWarpSize;
  switch (request.kind) {
    case AccessKind::kGlobalLoad:
    case AccessKind::kAsyncCopy:
      if (!request.is_volatile) return note_access(warp, request, GlobalAccess::kLoad);
      break;
    case AccessKind::kGlobalStore:
      if (!request.is_volatile) return note_access(warp, request, GlobalAccess::kStore);
      break;
    case AccessKind::kGlobalAtomic:
      break;
    case AccessKind::kSharedAtomic:
    case AccessKind::kSharedAddition:
    case AccessKind::kMeeting:
      met_[number] = ++clock_;
      return;
    case AccessKind::kWarpSync:
      synced_[number] = ++clock_;
      return;
    default:
      return;
  }
  note_access(warp, request, GlobalAccess::kAtomic);
  met_[number] = ++clock_;
}

// ---- findings ----

RacesInBlocks::Lines RacesInBlocks::lines(const RaceInBlock& race) {
  return {race.mine.code, race.other.code, race.mine.access, race.other.access};
}

namespace {

bool are_stores(const RaceInBlock& race) {
  return race.mine.access == GlobalAccess::kStore && race.other.access == GlobalAccess::kStore;
}

auto rank(const RaceInBlock& race) {
  return std::tuple(race.block, race.mine.thread, race.other.thread, race.offset, race.bytes);
}

// The sum of two, told by the lower one.
void combine(RaceInBlock& race, const RaceInBlock& other) {
  const std::uint64_t times = race.times + other.times;
  if (rank(other) < rank(race)) race = other;
  race.times = times;
}

struct Judged {
  RaceInBlock race;
  bool stores_same;  // both do, and all others there, so that it is no mistake
};

bool has_load(const RaceInBlock& race) {
  return race.mine.access == GlobalAccess::kLoad || race.other.access == GlobalAccess::kLoad;
}

// Of a load and a store, or of stores, on one line.
bool may_be_update(const Launch& launch, const Tally& tally, const RaceInBlock& race) {
  if (!has_load(race) || race.mine.access == GlobalAccess::kAtomic ||
      race.other.access == GlobalAccess::kAtomic) {
    return false;
  }
  return are_on_one_line(place_of(launch, tally, race.mine.access, race.mine.code),
                         place_of(launch, tally, race.other.access, race.other.code));
}

void report_race(const Launch& launch, const Tally& tally, const Judged& judged) {
  const RaceInBlock& race = judged.race;
  const ThreadOfLaunch me = {race.block, race.mine.thread};
  const bool same_warp = race.mine.thread / kWarpSize == race.other.thread / kWarpSize;
  const std::string before = name_of(race.other.access);
  const std::string others =
      race.times > 1 ? "; so are " + std::to_string(race.times - 1) + " more such pairs" : "";
  report_of(launch, me, "global-race", place_of(launch, tally, race.mine.access, race.mine.code),
            name_of(race.mine.access) + (" after " + before) + ": threads " +
                std::to_string(race.other.thread) + " and " + std::to_string(race.mine.thread) +
                " of the block have no " + (same_warp ? "__syncwarp() or " : "") +
                "barrier in between, at " +
                DeviceMemory::instance().describe(arena.begin + race.offset) + others +
                (may_be_update(launch, tally, race) ? kMayBeUpdate : "") +
                (judged.stores_same ? kStoreTheSame : ""),
            {{place_of(launch, tally, race.other.access, race.other.code),
              "the " + before + " by " + describe(launch.config, {race.block, race.other.thread})}},
            judged.stores_same ? Severity::kNote : Severity::kError);
}

}  // namespace

void RacesInBlocks::add(const RaceInBlock& race) {
  const std::size_t offset = are_stores(race) ? race.offset : 0;
  const auto [known, is_new] = found_.try_emplace({lines(race), offset}, race);
  if (!is_new) combine(known->second, race);
}

void RacesInBlocks::take(RacesInBlocks& others) {
  for (const auto& [key, race] : others.found_)
    add(race);
  others.clear();
}

void RacesInBlocks::report(const Launch& launch, const Tally& tally,
                           const StoredValues& values) const {
  std::map<Lines, Judged> judged;
  for (const auto& [key, race] : found_) {
    // Where values are not noted, all threads may store one result on purpose.
    const bool noted = !are_stores(race) || noted_memory(launch, race.offset) != nullptr;
    if (!noted && race.mine.code == race.other.code) continue;
    const bool same =
        are_stores(race) && all_stored_the_same(launch, values, race.offset, race.bytes);
    const auto [known, is_new] = judged.try_emplace(lines(race), Judged{race, same});
    if (is_new) continue;
    if (known->second.stores_same == same) {
      combine(known->second.race, race);
    } else if (!same) {
      known->second = {race, same};
    }
  }
  for (const auto& [key, each] : judged)
    report_race(launch, tally, each);
}

}  // namespace simt

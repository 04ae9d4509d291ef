/// \file
/// The control-flow graph of a function, and where lanes that part in it meet again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/executor/log/access_log.h"

namespace simt {

/// A basic block of a CodeFlow.
using BlockNumber = std::uint32_t;
/// None of them.
constexpr BlockNumber kNoBlock = ~BlockNumber{0};

/// Where lanes wait for each other: at the beginning of a block, or behind the function's return.
struct MeetingPlace {
  BlockNumber block = kNoBlock;  ///< kNoBlock: the return
  /// Whether they are the same.
  bool operator==(const MeetingPlace&) const = default;
};

/// The basic blocks of a function and the ways from one to the next, also those that no lane has
/// taken. From these alone it tells where a warp's lanes meet again, as ptxas does when it puts
/// BSSY and BSYNC into the code:
///
/// - where a branch parts them, at its immediate post-dominator: the first block that all ways lead
///   through. Within a loop that is of the ways that stay in its round; they end where the next one
///   begins.
/// - where they leave a loop, at the first block behind it that all its exits lead through.
/// - in a block that several tests lead to, as the body of `if (a || b)`, if whoever does not come
///   there goes straight on to where all meet.
class CodeFlow {
 public:
  /// A block that begins with this event. The first one that is added is where the function begins.
  BlockNumber add_block(Event event);
  /// Lanes may go on from one block to the other; by that they begin so many loops, one within the
  /// other.
  void add_way(BlockNumber from, BlockNumber to, unsigned loops = 0);
  /// The function returns at the end of this block.
  void add_return(BlockNumber block) { blocks_[block].returns = true; }
  /// The block does more than to lead to others: this event, if it is that of an access.
  void add_effect(BlockNumber block, Event access) {
    blocks_[block].has_effects = true;
    accesses_.push_back(access);
  }
  /// Finds out where lanes meet, once all has been added.
  void find_meetings();

  /// How many blocks there are, with those that stand for the beginning of a loop.
  std::size_t blocks() const { return blocks_.size(); }
  /// The event that block `block` begins with; kNoEvent if it stands for the beginning of a loop.
  Event event(BlockNumber block) const { return blocks_[block].event; }
  /// All events that its accesses may have.
  const std::vector<Event>& accesses() const { return accesses_; }
  /// Where lanes meet that part at the end of a block, the last place first.
  const std::vector<MeetingPlace>& meetings_of(BlockNumber block) const {
    return blocks_[block].meetings;
  }
  /// On the way from a block to `to` the block that stands for the beginning of the first loop
  /// which begins there, or `to`.
  BlockNumber first_between(BlockNumber from, BlockNumber to) const;
  /// The one after it on the way.
  BlockNumber after(BlockNumber between) const { return blocks_[between].next[0]; }
  /// Where lanes meet again that go from one block to another, because they enter loops by that:
  /// behind these, the outermost first. `from` may be kNoBlock: they have been nowhere before.
  std::vector<MeetingPlace> loops_entered(BlockNumber from, BlockNumber to) const;
  /// The number of the innermost loop around a block, 0 if there is none.
  std::uint32_t loop_of(BlockNumber block) const { return blocks_[block].loop; }

 private:
  using Blocks = std::vector<BlockNumber>;
  struct Block {
    Event event;
    Blocks next;
    Blocks beginnings;  // of loops that begin before it, the innermost first
    bool returns = false;
    bool has_effects = false;
    bool only_returns = false;  // it and all that may follow have no effect
    std::uint32_t loop = 0;     // the innermost one around it
    std::vector<MeetingPlace> meetings;
  };
  struct Loop {
    BlockNumber header;
    std::uint32_t around;  // the number of the loop that this one lies in
    bool has_meeting = false;
    MeetingPlace meeting;  // of those that have left it
  };
  struct Round;
  struct Search;

  std::vector<Blocks> components_of(const Blocks& blocks, std::uint32_t loop) const;
  void find_loops(const Blocks& blocks, std::uint32_t loop);
  BlockNumber header_of(const Blocks& component, std::uint32_t around) const;
  BlockNumber where_all_rounds_begin(const Blocks& loop, BlockNumber entry) const;
  bool is_reached(BlockNumber from, BlockNumber to, BlockNumber past, const Blocks& within) const;
  bool has_rounds_without(const Blocks& loop, BlockNumber left_out) const;
  void find_mere_returns();
  bool is_within(std::uint32_t loop, std::uint32_t around) const;
  Round round_of(std::uint32_t loop) const;
  std::vector<std::uint32_t> ways_in(const Round& round, std::uint32_t from,
                                     bool without_mere_returns) const;
  void find_meetings_within(const Round& round);
  std::vector<bool> leading_straight_to(const Round& round, std::uint32_t place,
                                        const std::vector<std::uint32_t>& order) const;
  void find_shared_bodies(const Round& round);
  void meet_as_in_loop(BlockNumber copy);
  void find_meeting_behind(std::uint32_t loop, const Round& around);

  std::vector<Block> blocks_;
  std::vector<Event> accesses_;
  std::unordered_map<Event, BlockNumber> numbers_;
  std::vector<Loop> loops_;  // number 0 is the function
};

}  // namespace simt

/// \file
/// Which accesses of other threads of its block a thread comes after, where more than the barriers
/// of all threads orders them: objects in shared memory, by which some threads tell others what
/// they have done. Only blocks that use such objects keep this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

/// For each thread of a block a time of the worker's clock: what it did before then is known.
using ThreadTimes = std::vector<std::uint32_t>;

/// What each thread of a block knows of each other.
class ThreadOrder {
 public:
  /// Of a block of so many threads, none of which knows anything of another yet.
  explicit ThreadOrder(unsigned threads)
      : threads_(threads), known_(std::size_t{threads} * threads), latest_(threads) {}

  /// Of the other thread: what it did before this time comes before what `thread` does now.
  std::uint32_t known(unsigned thread, unsigned other) const {
    return known_[std::size_t{thread} * threads_ + other];
  }
  /// The latest of these times, of any other thread.
  std::uint32_t latest(unsigned thread) const { return latest_[thread]; }

  /// The thread comes after all that is known at these times.
  void learn(unsigned thread, const ThreadTimes& times) {
    for (unsigned other = 0; other < times.size(); ++other) {
      if (other == thread) continue;
      std::uint32_t& mine = known_[std::size_t{thread} * threads_ + other];
      mine = std::max(mine, times[other]);
      latest_[thread] = std::max(latest_[thread], mine);
    }
  }
  /// Adds to `times` what the thread knows.
  void teach(unsigned thread, ThreadTimes& times) const {
    times.resize(threads_);
    for (unsigned other = 0; other < threads_; ++other)
      times[other] = std::max(times[other], known(thread, other));
  }

 private:
  unsigned threads_;
  std::vector<std::uint32_t> known_;
  std::vector<std::uint32_t> latest_;
};

}  // namespace simt

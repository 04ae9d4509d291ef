/// \file
/// Which accesses of other threads a thread comes after, where more than the barriers of all
/// threads orders them: objects in shared memory, by which some threads tell others what they have
/// done. Only blocks that use such objects keep this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

/// Times of the worker's clock: what somebody did before then is known. First for each thread of a
/// block, then, as far as it goes, for the others that ThreadOrder counts.
using ThreadTimes = std::vector<std::uint32_t>;

/// What each thread of a block knows of each other thread; of other blocks of its cluster, each as
/// a whole; and of the asynchronous stores that barriers of the block have waited for.
class ThreadOrder {
 public:
  static constexpr unsigned kBlocks = 16;  ///< of a cluster, at most

  /// Of a block of so many threads, none of which knows anything of another yet.
  explicit ThreadOrder(unsigned threads)
      : threads_(threads), known_(threads, ThreadTimes(threads)), latest_(threads) {}

  /// Where all that another block of the cluster does stands among the times.
  unsigned of_block(unsigned rank) const { return threads_ + rank; }
  /// The same of its loads alone, and of the stores that have arrived there.
  unsigned of_loads(unsigned rank) const { return threads_ + kBlocks + rank; }
  /// Where the asynchronous stores for the block's barrier of that number stand.
  unsigned of_stores(unsigned barrier) const { return threads_ + 2 * kBlocks + barrier; }

  /// Of the other thread, or of what else has that place: what it did before this time comes before
  /// what `thread` does now.
  std::uint32_t known(unsigned thread, unsigned other) const {
    const ThreadTimes& times = known_[thread];
    return other < times.size() ? times[other] : 0;
  }
  /// The latest of these times, of any other thread.
  std::uint32_t latest(unsigned thread) const { return latest_[thread]; }

  /// The thread comes after all that is known at these times.
  void learn(unsigned thread, const ThreadTimes& times) {
    ThreadTimes& mine = known_[thread];
    if (mine.size() < times.size()) mine.resize(times.size());
    for (unsigned other = 0; other < times.size(); ++other) {
      if (other == thread) continue;
      mine[other] = std::max(mine[other], times[other]);
      if (other < threads_) latest_[thread] = std::max(latest_[thread], mine[other]);
    }
  }
  /// Adds to `times` what the thread knows.
  void teach(unsigned thread, ThreadTimes& times) const {
    times.resize(std::max(times.size(), known_[thread].size()));
    for (unsigned other = 0; other < known_[thread].size(); ++other)
      times[other] = std::max(times[other], known_[thread][other]);
  }
  /// All threads meet: what one knows of others than the block's threads, all know now. (What
  /// those did before is known to all who have met.)
  void meet() {
    ThreadTimes all;
    for (const ThreadTimes& times : known_) {
      all.resize(std::max(all.size(), times.size()));
      for (std::size_t other = threads_; other < times.size(); ++other)
        all[other] = std::max(all[other], times[other]);
    }
    if (all.size() == threads_) return;
    for (unsigned thread = 0; thread < threads_; ++thread)
      learn(thread, all);
  }

 private:
  unsigned threads_;
  std::vector<ThreadTimes> known_;  // by threads
  std::vector<std::uint32_t> latest_;
};

}  // namespace simt

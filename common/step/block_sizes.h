/// \file
/// Threads a block, by the width of a row.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace worklog {

/// The launch shape that a recorded sweep found best, as in {{1024, 128}, {kAnyWidth, 256}}: 128
/// threads for rows of up to 1024 columns, 256 for longer ones. The last entry must be for
/// kAnyWidth.
class BlockSizes {
 public:
  static constexpr std::int64_t kAnyWidth = std::numeric_limits<std::int64_t>::max();

  struct Entry {
    std::int64_t up_to_cols;
    int block_size;
  };

  BlockSizes() = default;  ///< says nothing
  BlockSizes(int block_size) : entries_{{kAnyWidth, block_size}} {}
  BlockSizes(std::initializer_list<Entry> entries) : entries_(entries) {}

  bool empty() const { return entries_.empty(); }

  /// Must not be empty.
  int for_cols(std::int64_t cols) const {
    for (const Entry& entry : entries_) {
      if (cols <= entry.up_to_cols) return entry.block_size;
    }
    return entries_.back().block_size;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace worklog

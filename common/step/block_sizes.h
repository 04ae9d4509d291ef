/// \file
/// Threads a block, by the width of a row.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace worklog {

/// The launch shape that a recorded sweep found best, as in {{1024, 128}, {kAnyWidth, 256}}: 128
/// threads for rows of up to 1024 columns, 256 for longer ones. The last entry must be for
/// kAnyWidth.
class BlockSizes {
 public:
  /// For the last entry.
  static constexpr std::int64_t kAnyWidth = std::numeric_limits<std::int64_t>::max();

  /// One block size, and up to which width it is the best.
  struct Entry {
    std::int64_t up_to_cols;  ///< columns, inclusive
    int block_size;           ///< threads: a multiple of 32, at most 1024
  };

  BlockSizes() = default;  ///< has no entry
  /// The same for every width.
  BlockSizes(int block_size) : entries_{{kAnyWidth, block_size}} {}
  /// By ascending width, the last for kAnyWidth.
  BlockSizes(std::initializer_list<Entry> entries) : entries_(entries) {}

  /// Whether it has no entry, as where a step has no size of its own for these shapes.
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

/// What a step's `block_sizes.json` says of one kernel, as StepInfo has it.
struct BlockSizeTables {
  BlockSizes block_sizes{};           ///< of all shapes that the others do not take
  BlockSizes few_rows_block_sizes{};  ///< of few rows
  BlockSizes half_block_sizes{};      ///< of a half type
};

/// CMake writes a source file of these (cmake/WorklogBlockSizes.cmake), so that a sweep changes no
/// kernel's file.
struct BlockSizesRegistration {
  /// For the step or variant of these names (see Step), whether it is registered already or not.
  BlockSizesRegistration(std::string name, std::string variant, BlockSizeTables of_step);
};

}  // namespace worklog

/// \file
/// What one rank of a problem has whose columns are split among several.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <nccl.h>

#include "common/step/scratch.h"

namespace worklog {

/// What the ranks compute together.
enum class SliceResult {
  kSoftmax,       ///< the probabilities of the slice's columns
  kLogSoftmax,    ///< their logarithms
  kCrossEntropy,  ///< a loss a row, and the gradients of the slice's logits
};

/// Arrays in which ranks leave each other messages from within a kernel, over peer memory.
///
/// A rank's array has three parts, of `words` words each, which launches use in turn: launch n uses
/// part n % 3, and empties part (n + 2) % 3, which launch n + 2 will use. Nobody writes there yet:
/// a rank is in launch n + 2 only once it has had a message of launch n + 1 from everyone, so that
/// everyone has ended launch n. A launch that gave up leaves words behind, which a later one would
/// take for its own: no more launches after that.
struct Mailboxes {
  static constexpr int kParts = 3;  ///< of a rank's array
  /// A word that has no message: every bit is 1.
  static constexpr unsigned long long kEmpty = ~0ull;

  unsigned long long* const* of_ranks = nullptr;  ///< on the device: each rank's array
  std::int64_t words = 0;                         ///< of a part: for this shape
  std::int64_t launches = 0;                      ///< before this one, of the same shape
  /// On the device: a rank that has not come, or -1; and whether the host wants no more waiting.
  int* missing = nullptr;
  /// How often a thread looks for a message before it gives up.
  long long patience = 0;

  /// The part that launch `launches + later` uses.
  std::int64_t part(int later = 0) const { return (launches + later) % kParts; }
};

/// The columns that a rank has of a problem, and what it shall put where. All ranks launch with the
/// same result, rows, types, number of all columns, widest slice and block size, and each with its
/// own slice, which may be of 0 columns.
///
/// Rows are at least 1. Results are softmax's contract of the joined row: a row with a NaN or +inf,
/// or of -inf only, gives NaN in every slice. `results` is `logits` itself or overlaps no other
/// array. A label outside 0 .. all_cols - 1 gives a NaN loss and NaN gradients: none is ignored, as
/// step 20 ignores -100, unless told otherwise, with a loss and gradients of 0. `log_sum_exps` does
/// not look at labels.
template <typename T>
struct Slice {
  SliceResult result = SliceResult::kSoftmax;  ///< what is wanted
  const T* logits = nullptr;                   ///< rows x cols
  T* results = nullptr;                  ///< rows x cols: probabilities, logarithms or gradients
  const std::int64_t* labels = nullptr;  ///< rows: columns of the joined row; for a cross-entropy
  float* losses = nullptr;               ///< rows, in every rank; for a cross-entropy
  float* log_sum_exps = nullptr;         ///< rows, in every rank; for a cross-entropy
  std::int64_t rows = 0;                 ///< 1 or more
  std::int64_t cols = 0;                 ///< of this slice
  std::int64_t first_col = 0;            ///< of this slice in the joined row
  std::int64_t all_cols = 0;             ///< of the joined row
  std::int64_t widest = 0;               ///< columns of the widest slice
  int rank = 0;                          ///< 0 .. ranks - 1
  int ranks = 1;                         ///< that share a row
  ncclComm_t communicator = nullptr;     ///< of these ranks
  Mailboxes mailboxes{};                 ///< for a step that asked for them
  int block_size = 0;                    ///< threads a block; 0: the step's own choice
  mutable Scratch scratch{};             ///< the device memory that the step asked for
};

}  // namespace worklog

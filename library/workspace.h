/// \file
/// How a call's workspace is shared out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/step/scratch.h"
#include "library/dispatcher.h"

namespace worklog::library {

/// Bytes that a call needs: the step's scratch, and of a cross-entropy the results that a step
/// makes and the caller does not ask for.
std::int64_t workspace_bytes_of(const Shape& shape, const Choice& choice);

/// An array that a call reads or writes.
struct CallersArray {
  const char* name;           ///< of the argument
  const void* data;           ///< may be null, which is for others to refuse
  std::int64_t elements;      ///< from the first to the last
  std::size_t element_bytes;  ///< of each
};

/// A caller's workspace, checked.
class CallersWorkspace {
 public:
  /// Throws a Refusal if `data` is null, not aligned, or `bytes` fewer than `needed`, which it
  /// names; nothing is looked at where 0 are needed.
  CallersWorkspace(void* data, std::size_t bytes, std::int64_t needed);

  /// Throws a Refusal of the workspace if what is needed of it shares a byte with the array.
  void require_clear_of(const CallersArray& array) const;

  /// The next `count` floats of it, aligned to 256 bytes.
  float* floats(std::int64_t count) { return rest_.take<float>(count); }
  /// What has not been taken: the step's own, whose size its registration tells.
  Scratch rest() const { return rest_; }

 private:
  const void* data_ = nullptr;
  std::int64_t bytes_ = 0;
  Scratch rest_;
};

}  // namespace worklog::library

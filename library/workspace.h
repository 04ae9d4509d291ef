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

/// A caller's workspace, checked.
class CallersWorkspace {
 public:
  /// Throws a Refusal if `data` is null, not aligned, or `bytes` fewer than `needed`, which it
  /// names; nothing is looked at where 0 are needed.
  CallersWorkspace(void* data, std::size_t bytes, std::int64_t needed);

  /// The next `count` floats of it, aligned to 256 bytes.
  float* floats(std::int64_t count) { return rest_.take<float>(count); }
  /// What has not been taken: the step's own, whose size its registration tells.
  Scratch rest() const { return rest_; }

 private:
  Scratch rest_;
};

}  // namespace worklog::library

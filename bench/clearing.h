/// \file
/// What happens to memory that is given back, and how to let it pass.
#pragma once

#include <cstdint>

namespace worklog::bench {

/// Waits where it is destroyed, until arrays that were freed just before have been cleared.
///
/// cudaFree returns at once, but then the GPU clears what was freed, beside whatever runs next: on
/// an H100 a copy took 1.15 times as long for the 11 milliseconds after 4 GiB were freed. A
/// measurement that is shorter than that would time both. Members are destroyed in reverse, so it
/// stands before the arrays.
class Clearing {
 public:
  explicit Clearing(std::int64_t bytes) : bytes_(bytes) {}
  Clearing(const Clearing&) = delete;
  Clearing& operator=(const Clearing&) = delete;
  ~Clearing();

 private:
  std::int64_t bytes_;
};

}  // namespace worklog::bench

/// \file
/// What is profiled: each step and variant at shapes where counts can go wrong, or at those that
/// the bench shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/step/dtype.h"
#include "common/step/step.h"

namespace worklog::bench {

/// The two halves of a profile. Their launches are profiled with different metrics.
enum class ProfilePart {
  kParity,    ///< small: counts, which the CPU executor must equal
  kHardware,  ///< large: what only hardware knows, such as cache hits and bytes of DRAM
};

/// "parity" or "hardware".
std::string_view name_of(ProfilePart part);

/// The inverse of name_of. Throws std::invalid_argument that names `text` and the two choices.
ProfilePart profile_part_from_name(std::string_view text);

/// A step on random logits, run once.
struct ProfileCase {
  const Step* step = nullptr;
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int k = 0;  ///< of top-k steps
};

/// In a fixed order, those of one type and shape next to each other; of one type only if given.
/// The steps must outlive them.
std::vector<ProfileCase> profile_cases(const std::vector<Step>& steps, ProfilePart part,
                                       std::optional<DType> only = {});

}  // namespace worklog::bench

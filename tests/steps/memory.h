/// \file
/// Cases that only some devices have the memory for.
#pragma once

#include <cstdint>
#include <doctest/doctest.h>

#include "common/cuda/check.h"
#include "common/step/problem_buffers.h"
#include "tests/steps/contract.h"

namespace contract {

inline std::int64_t free_device_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  worklog::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free_bytes);
}

/// What verification of the case takes, guard bands aside.
inline std::int64_t bytes_needed(const worklog::Step& step, const worklog::Case& a_case) {
  return worklog::array_lengths(step, a_case.rows, a_case.cols, a_case.k, a_case.dtype)
      .bytes(a_case.dtype);
}

/// Whether the device has the memory that the case takes. One that does not fit is named, not
/// dropped.
inline bool fits(const worklog::Step& step, const worklog::Case& a_case,
                 const worklog::VerifyOptions& options = {}) {
  constexpr std::int64_t kSpare = std::int64_t{1} << 28;
  const std::int64_t needed = bytes_needed(step, a_case);
  const std::int64_t available = free_device_bytes() - kSpare;
  if (needed <= available) return true;
  MESSAGE(describe(step, a_case, options), ": not run, needs ", needed, " bytes of ", available);
  return false;
}

/// Verifies the case with `rows`, if it fits.
inline void check_if_it_fits(const worklog::Step& step, const worklog::Case& a_case,
                             const worklog::RowSource& rows,
                             const worklog::VerifyOptions& options = {}) {
  if (fits(step, a_case, options)) check_verified(step, a_case, rows, options);
}

/// The same for the rows of an input that has a name.
inline void check_if_it_fits(const worklog::Step& step, const worklog::Case& a_case,
                             const worklog::VerifyOptions& options = {}) {
  if (step.takes<worklog::Attention>()) {
    if (!fits(step, a_case, options)) return;
    check_verdict(step, a_case, options, worklog::verify(step, a_case, options));
    return;
  }
  check_if_it_fits(
      step, a_case,
      worklog::make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols, options.seed),
      options);
}

}  // namespace contract

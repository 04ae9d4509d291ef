/// \file
/// What a check found of an exercise, for programs: as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace worklog {

/// Whether something holds, as far as the check came.
enum class Answer {
  kYes,       ///< it does
  kNo,        ///< it does not, whatever comes
  kTooEarly,  ///< nobody knows yet
};

/// Cases of one kind, such as all block sizes beside the exercise's own.
struct CheckedPart {
  std::string name;       ///< such as "block sizes"
  std::size_t cases = 0;  ///< that the check has of it
  std::size_t right = 0;  ///< those that were tried and are right
  bool wrong = false;     ///< one was tried and is wrong: the check tries no other after it

  /// Too early to say if a wrong case of another part came before all of this one were tried.
  Answer is_right() const;
};

/// One counter beside the solution's.
struct CheckedCounter {
  std::string name;              ///< as in simt/docs/counters.md, or a ratio that exercise.h names
  std::optional<double> got;     ///< none where nothing could be counted
  std::optional<double> wanted;  ///< at most; none where nothing could be counted
  /// Too early to say of a kernel that is not right and has no more than what is wanted: it may
  /// have left out work, and a launch that was ended is counted as far as it came.
  Answer is_reached = Answer::kTooEarly;
};

/// What the executor found wrong in the case that failed.
struct CheckedFinding {
  std::string kind;         ///< such as "shared-race"
  std::string message;      ///< complete
  std::string file;         ///< that it begins with; "" if it names none
  std::optional<int> line;  ///< in that file
};

/// All of it. `verdict` sums it up: "all reached", "right, not all reached", "wrong", or "ended"
/// for a program that crashed or had to be ended.
struct CheckResult {
  std::string exercise;                  ///< such as "05_warp_shuffle"
  std::string verdict;                   ///< see above
  bool right = false;                    ///< on all cases
  bool reached = false;                  ///< right, and all counters reached
  std::vector<CheckedPart> parts;        ///< in the order in which their first cases are listed
  std::string wrong_case;                ///< the first that is wrong; "" if none is
  std::string failure;                   ///< what is wrong with it
  std::vector<CheckedFinding> findings;  ///< of the case that is wrong
  std::string counted_case;              ///< such as "64 x 4096, random"
  int block_size = 0;                    ///< threads per block of that case
  std::vector<CheckedCounter> counters;  ///< those that the exercise names
};

/// "reached", "not reached" or "too early to say".
std::string_view words_of(const CheckedCounter& counter);

/// A finding of the executor, whose message may begin with "FILE:LINE: ".
CheckedFinding finding_of(const std::string& kind, const std::string& message);

/// One object; docs/pages/teaching.md lists its fields.
nlohmann::ordered_json to_json(const CheckResult& result);

}  // namespace worklog

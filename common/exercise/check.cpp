#include "common/exercise/check.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/measure/cases.h"
#include "common/measure/measure.h"
#include "common/program/table.h"
#include "simt/executor/counters.h"

namespace worklog {

namespace {

// Of a launch, in seconds. Small cases take no time: a launch that does is caught in a loop, even
// on a busy machine.
constexpr double kTimeLimit = 20.0;

double time_limit() {
  if (std::getenv("SIMT_TIME_LIMIT") == nullptr) simt::set_time_limit(kTimeLimit);
  return simt::time_limit();
}

// Of a case, for a loop in the host's code; 0: none. The executor, which can tell more about a
// launch that takes too long, comes first.
unsigned case_limit(double of_launch) {
  constexpr double kMore = 5.0;
  constexpr double kDay = 86400.0;  // longer is as good as none, and alarm() takes no double
  return of_launch > 0 ? static_cast<unsigned>(std::min(of_launch, kDay) + kMore) : 0;
}

struct Trial {
  const char* part = "";
  Case a_case;
  bool in_place = false;
  int block_size = 0;  // 0: the exercise's own
};

Case counted_case(const Exercise& solution) {
  const ExerciseInfo& info = solution.info;
  return {DType::kFloat32, info.rows, info.cols, info.k, Input::kRandom};
}

// A kernel that takes any number of threads must not be written for one.
std::vector<int> other_block_sizes(const ExerciseInfo& info) {
  constexpr int kWarpSize = 32;
  constexpr int kMostThreads = 1024;
  std::vector<int> sizes;
  if (info.fixed_block_size) return sizes;
  if (info.block_size > kWarpSize) sizes.push_back(info.block_size / 2);
  if (info.block_size < kMostThreads) sizes.push_back(info.block_size * 2);
  return sizes;
}

// "128, 256 and 512"
std::string block_sizes(const ExerciseInfo& info) {
  std::vector<int> sizes = other_block_sizes(info);
  sizes.push_back(info.block_size);
  std::ranges::sort(sizes);
  std::string text = std::to_string(sizes.front());
  for (std::size_t i = 1; i < sizes.size(); ++i)
    text += (i + 1 < sizes.size() ? ", " : " and ") + std::to_string(sizes[i]);
  return text;
}

// Widths below a warp's and a block's, and such that rows are not aligned; other block sizes; rows
// with -inf, NaN and the like, of which 18 have every kind; real ones. The smallest come first: the
// first that is wrong is the one that a learner can follow by hand.
std::vector<Trial> trials_for(const Exercise& exercise, const Exercise& solution) {
  constexpr std::int64_t kRows = 9;
  constexpr std::int64_t kWidths[] = {1, 2, 3, 5, 8, 9, 31, 33, 100, 257, 1000};
  constexpr std::int64_t kLongWidths[] = {1, 3, 31, 1000, 4097, 20000};
  constexpr std::int64_t kInputRows = 18;
  const Step& step = exercise.step;
  const ExerciseInfo& counted = solution.info;
  const bool one_row = step.takes_one_row();
  const auto a_case = [&](std::int64_t rows, std::int64_t cols, Input input) {
    const int k = static_cast<int>(std::min<std::int64_t>(counted.k, cols));
    return Case{DType::kFloat32, one_row ? 1 : rows, cols, k, input};
  };
  std::vector<Trial> trials;
  const std::span<const std::int64_t> widths =
      one_row ? std::span<const std::int64_t>(kLongWidths) : std::span<const std::int64_t>(kWidths);
  for (const std::int64_t cols : widths)
    trials.push_back({"widths", a_case(kRows, cols, Input::kRandom)});
  trials.push_back({"counted shape", counted_case(solution)});
  for (const int block_size : other_block_sizes(counted))
    trials.push_back(
        {.part = "block sizes", .a_case = counted_case(solution), .block_size = block_size});
  for (const Input input : kAllInputs) {
    if (!is_real(input)) {
      trials.push_back({"inputs", a_case(kInputRows, 7, input)});
      trials.push_back({"inputs", a_case(kInputRows, 333, input)});
    }
  }
  trials.push_back(
      {"real logits", real_case(step, DType::kFloat32, Input::kAttention, kInputRows)});
  trials.back().a_case.k = counted.k;
  if (step.keeps_columns())
    trials.push_back({"in place", a_case(kRows, 333, Input::kRandom), true});
  std::ranges::stable_sort(
      trials, {}, [](const Trial& trial) { return trial.a_case.rows * trial.a_case.cols; });
  return trials;
}

std::string describe(const Trial& trial) {
  const Case& a_case = trial.a_case;
  return std::to_string(a_case.rows) + " x " + std::to_string(a_case.cols) +
         (a_case.k > 0 ? ", k " + std::to_string(a_case.k) : "") + ", " +
         std::string(name_of(a_case.input)) + (trial.in_place ? ", in place" : "") +
         (trial.block_size > 0 ? ", in blocks of " + std::to_string(trial.block_size) + " threads"
                               : "");
}

// Every line of a message behind the same blanks.
std::string indented(const std::string& text) {
  const std::string blanks(4, ' ');
  std::string result = blanks;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += blanks;
  }
  return result;
}

// A finding of the executor and a wrong element stand in one line of the verdict: here in two.
std::string with_finding_apart(const std::string& failure) {
  const std::string finding = simt::findings().empty() ? "" : simt::findings().front().message;
  if (finding.empty() || !failure.starts_with(finding + "; ")) return failure;
  return finding + "\n" + failure.substr(finding.size() + 2);
}

bool ended_by_time_limit() {
  return std::ranges::any_of(
      simt::findings(), [](const simt::Finding& finding) { return finding.kind == "time-limit"; });
}

// What verification says of a trial; "" if all is well.
std::string failure_of(const Step& step, const Trial& trial) {
  try {
    const VerifyOptions options{.in_place = trial.in_place, .block_size = trial.block_size};
    return with_finding_apart(verify(step, trial.a_case, options).failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The parts of all trials, of which the first `right` are right, and the one after them is not.
std::vector<CheckedPart> parts_of(const std::vector<Trial>& trials, std::size_t right) {
  std::vector<CheckedPart> parts;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto known = std::ranges::find(parts, trials[i].part, &CheckedPart::name);
    CheckedPart& part =
        known == parts.end() ? parts.emplace_back(CheckedPart{.name = trials[i].part}) : *known;
    ++part.cases;
    if (i < right) ++part.right;
    if (i == right) part.wrong = true;
  }
  return parts;
}

// Notes the cases, and what is wrong with the first that is not right.
void check_results(std::ostream& out, const Exercise& exercise, const Exercise& solution,
                   Progress& progress, unsigned limit, CheckResult& result) {
  out << "Results, in blocks of " << block_sizes(solution.info) << " threads\n"
      << std::flush;  // an endless kernel may end the program
  const std::vector<Trial> trials = trials_for(exercise, solution);
  while (progress.right < trials.size() && result.failure.empty()) {
    const Trial& trial = trials[progress.right];
    progress.begin(describe(trial), limit);
    result.failure = failure_of(exercise.step, trial);
    if (result.failure.empty()) ++progress.right;
  }
  result.parts = parts_of(trials, progress.right);
  result.right = progress.right == trials.size();
  if (result.right) {
    out << "  right on all " << trials.size() << " cases, of which the last was "
        << describe(trials.back()) << "\n\n";
    return;
  }
  result.wrong_case = describe(trials[progress.right]);
  for (const simt::Finding& finding : simt::findings())
    result.findings.push_back(finding_of(finding.kind, finding.message));
  out << "  ended at case " << progress.right + 1 << " of " << trials.size()
      << "; the first that is wrong is " << result.wrong_case << ":\n"
      << indented(result.failure) << "\n\n";
}

double value_of(const Counts& counts, const std::string& name) {
  if (name == "loads_per_element") return counts.loads_per_element;
  if (name == "stores_per_element") return counts.stores_per_element;
  if (name == "sectors_per_load_request") return counts.sectors_per_load_request;
  for (const auto& [known, value] : counts.all) {
    if (known == name) return static_cast<double>(value);
  }
  throw std::runtime_error("the exercise names '" + name + "', which is no counter");
}

// Whole numbers as such, ratios to four digits.
std::string number(double value) {
  const bool is_whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4f}", value);
}

std::string remark(const CheckedCounter& counter) {
  std::string words(words_of(counter));
  if (counter.is_reached != Answer::kNo || *counter.wanted == 0.0) return words;
  const double times = *counter.got / *counter.wanted;
  return times < 1.005 ? words : words + fmt::format(": x {:.3g}", times);
}

Counts counts_of(const Exercise& exercise, const Case& a_case) {
  return measure(exercise.step, a_case).counts.value();
}

std::vector<std::string> counters_of(const ExerciseInfo& info) {
  std::vector<std::string> names;
  for (const char* name : info.counters) {
    if (name != nullptr) names.emplace_back(name);
  }
  return names;
}

// Notes what the exercise counts, beside what its solution does.
void count(const Exercise& exercise, const Exercise& solution, CheckResult& result) {
  const Case a_case = counted_case(solution);
  const Counts mine = counts_of(exercise, a_case);
  const Counts wanted = counts_of(solution, a_case);
  for (CheckedCounter& counter : result.counters) {
    counter.got = value_of(mine, counter.name);
    counter.wanted = value_of(wanted, counter.name);
    if (*counter.got > *counter.wanted)
      counter.is_reached = Answer::kNo;
    else if (result.right)
      counter.is_reached = Answer::kYes;
  }
}

void print_counters(std::ostream& out, const CheckResult& result) {
  out << "Counters, " << result.counted_case << ", fp32, in blocks of " << result.block_size
      << " threads\n";
  std::size_t widest = 0;
  for (const CheckedCounter& counter : result.counters)
    widest = std::max(widest, counter.name.size());
  const Table table(out, {{"", 0},
                          {"counter", static_cast<int>(widest)},
                          {"yours", 10, true},
                          {"at most", 10, true},
                          {"", 11}});
  table.print_header();
  for (const CheckedCounter& counter : result.counters)
    table.print_row(
        {"", counter.name, number(*counter.got), number(*counter.wanted), remark(counter)});
  out << "\n";
}

// What is known before anything has run: the name of the exercise, and what will be counted.
CheckResult empty_result(const Exercise& solution) {
  CheckResult result;
  result.exercise = solution.step.name;
  result.verdict = "wrong";
  result.counted_case = describe({.a_case = counted_case(solution)});
  result.block_size = solution.info.block_size;
  for (const std::string& name : counters_of(solution.info))
    result.counters.push_back({.name = name, .got = {}, .wanted = {}});
  return result;
}

// What surrounds the gap decides how a result is judged and a launch is shaped: the solution's.
Exercise judged_as(const Exercise& solution, const Exercise& exercise) {
  Exercise judged = exercise;
  judged.info = solution.info;
  judged.step.info = solution.step.info;
  return judged;
}

}  // namespace

CheckResult check_exercise(std::ostream& out, const Exercise& exercise, const Exercise& solution,
                           Progress& progress) {
  const Exercise judged = judged_as(solution, exercise);
  simt::set_findings_printed(false);  // verification tells the first
  const unsigned limit = case_limit(time_limit());
  CheckResult result = empty_result(solution);
  check_results(out, judged, solution, progress, limit, result);
  if (!result.right && ended_by_time_limit()) {
    out << "Not counted: a launch that does not end has no counts.\nNot right yet.\n";
    return result;
  }
  progress.begin(result.counted_case + ", counted", limit);
  count(judged, solution, result);
  print_counters(out, result);
  result.reached = std::ranges::all_of(result.counters, [](const CheckedCounter& counter) {
    return counter.is_reached == Answer::kYes;
  });
  if (result.right) result.verdict = result.reached ? "all reached" : "right, not all reached";
  // A launch that went wrong is counted as far as it came.
  if (!result.right) out << "Counts of a kernel that is not right may be too low.\n";
  out << (result.reached ? "All reached.\n"
          : result.right ? "Right, but not all counters are reached.\n"
                         : "Not right yet.\n");
  return result;
}

CheckResult result_of_ended(const Exercise& exercise, const Exercise& solution,
                            const Progress& progress, const std::string& ending) {
  CheckResult result = empty_result(solution);
  result.verdict = "ended";
  result.parts = parts_of(trials_for(judged_as(solution, exercise), solution), progress.right);
  result.wrong_case = progress.at.data();
  result.failure = ending;
  return result;
}

}  // namespace worklog

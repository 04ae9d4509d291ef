/// \file
/// The program that checks one exercise: linked with it and with its solution.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "common/exercise/check.h"
#include "common/exercise/watched.h"
#include "common/program/write_whole.h"

namespace {

using namespace worklog;

const Exercise* find(const std::string& step, const std::string& role) {
  const Exercise* found = find_exercise(step, role);
  if (found != nullptr) return found;
  throw std::runtime_error(
      "the file registers no exercise: its last line must be WORKLOG_EXERCISE(launch, ...), as in "
      "the skeleton");
}

std::string text_of(const CheckResult& result) {
  // A message may quote bytes that are no UTF-8.
  return to_json(result).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Checks the exercise, and writes what was found to the file `json`, unless that is "".
bool check(const Exercise& exercise, const Exercise& solution, const std::string& json) {
  const Watched watched = run_watched(std::cout, [&](Progress& progress) {
    const CheckResult result = check_exercise(std::cout, exercise, solution, progress);
    return WatchedVerdict{.ok = result.reached, .result = text_of(result)};
  });
  if (json.empty()) return watched.ok;
  const bool has_verdict = watched.progress.has_verdict;
  write_whole(json, has_verdict ? watched.result
                                : text_of(result_of_ended(exercise, solution, watched.progress,
                                                          watched.ending)));
  return watched.ok;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_json = argc == 5 && argv[3] == std::string("--json");
  if (argc != 3 && !has_json) {
    std::cerr << "usage: " << argv[0] << " NN_slug yours|skeleton|solution [--json FILE]\n";
    return 2;
  }
  try {
    const std::string step = argv[1];
    const Exercise* const exercise = find(step, argv[2]);
    const Exercise* const solution = find(step, "solution");
    return check(*exercise, *solution, has_json ? argv[4] : "") ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "worklog: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}

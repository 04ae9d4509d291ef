/// \file
/// The program that checks one exercise: linked with it and with its solution.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "common/exercise/check.h"
#include "common/exercise/watched.h"

namespace {

using namespace worklog;

const Exercise* find(const std::string& step, const std::string& role) {
  const Exercise* found = find_exercise(step, role);
  if (found != nullptr) return found;
  throw std::runtime_error(
      "the file registers no exercise: its last line must be WORKLOG_EXERCISE(launch, ...), as in "
      "the skeleton");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " NN_slug yours|skeleton|solution\n";
    return 2;
  }
  try {
    const std::string step = argv[1];
    const Exercise* const exercise = find(step, argv[2]);
    const Exercise* const solution = find(step, "solution");
    const bool ok = run_watched(std::cout, [&](Progress& progress) {
      return check_exercise(std::cout, *exercise, *solution, progress);
    });
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "worklog: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}

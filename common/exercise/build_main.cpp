/// \file
/// Compiles a learner's copy of an exercise, and links it with the check; prints where the program
/// is. What the compiler says of the copy goes to standard error as it is.

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "simt/run/program.h"
#include "simt/run/toolchain.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " FOLDER FILE.cu\n"
              << "FOLDER holds the toolchain.txt that CMake wrote for the exercise\n";
    return 2;
  }
  try {
    simt::run::Options options;
    options.sources = {argv[2]};
    options.standard = "c++20";  // as the steps are
    const std::filesystem::path folder = argv[1];
    const simt::run::BuiltProgram program = simt::run::build_program(
        options, simt::run::read_toolchain(folder / "toolchain.txt"), folder);
    if (program.path.empty()) return EXIT_FAILURE;
    std::cout << program.path.string() << "\n";
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "worklog: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}

/// \file
/// What `simt run` is told on its command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace simt::run {

/// What the command line asks for.
struct Options {
  std::vector<std::filesystem::path> sources;          ///< one or more, CUDA and C++
  std::vector<std::filesystem::path> include_folders;  ///< searched before the compiler's own
  std::vector<std::string> definitions;                ///< "NAME" or "NAME=VALUE"
  std::string standard = "c++17";                      ///< of C++, which is nvcc's default
  std::vector<std::string> arguments;                  ///< the program's own
  std::filesystem::path json;                          ///< empty: none is wanted
  std::filesystem::path html;                          ///< empty: none is wanted
  std::filesystem::path sarif;                         ///< the same
  std::string on;                                      ///< a device; empty: no floors are wanted
  int time_limit = 300;                                ///< seconds; 0: none
  double counted_time = 60;  ///< seconds in which all launches are counted
  bool help = false;         ///< print the usage and nothing else
};

/// `words` are those behind `simt run`. Throws std::invalid_argument with a message that names what
/// is wrong.
Options read_options(const std::vector<std::string>& words);

/// What --help prints.
std::string usage();

}  // namespace simt::run

/// \file
/// The command line of `./worklog run`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace simt::run {

struct Options {
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::string> definitions;  ///< "NAME" or "NAME=VALUE"
  std::vector<std::string> arguments;    ///< the program's own
  std::filesystem::path json;            ///< empty: none is wanted
  int time_limit = 300;                  ///< seconds; 0: none
  bool help = false;
};

/// Throws std::invalid_argument with a message that names what is wrong.
Options read_options(const std::vector<std::string>& words);

extern const char* const kUsage;

}  // namespace simt::run

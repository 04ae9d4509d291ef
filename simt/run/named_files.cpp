#include "simt/run/named_files.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace simt::run {
namespace {

namespace fs = std::filesystem;

/// Also by another path, through a link, or before there is such a file.
bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  if (fs::equivalent(a, b, failure)) return true;
  const fs::path real_a = fs::weakly_canonical(a, failure);
  return !failure && real_a == fs::weakly_canonical(b, failure) && !failure;
}

/// What takes any number of texts, such as /dev/null, may be named for several.
bool is_device(const fs::path& file) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void check_sources(const std::vector<fs::path>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(sources[i], sources[j])) continue;
      throw std::invalid_argument(sources[i].string() + ": is named twice");
    }
  }
}

void check_include_folders(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) {
      throw std::invalid_argument("-I: there is no folder " + folder.string());
    }
  }
}

}  // namespace

void check_named_files(const Options& options) {
  check_sources(options.sources);
  check_include_folders(options.include_folders);
  const std::array<std::pair<const char*, const fs::path&>, 3> outputs = {
      {{"--json", options.json}, {"--html", options.html}, {"--sarif", options.sarif}}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, file] = outputs[i];
    if (file.empty()) continue;
    for (const fs::path& source : options.sources) {
      if (!is_same_file(file, source)) continue;
      throw std::invalid_argument(std::string(option) + " would overwrite the program's source " +
                                  source.string());
    }
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [other_option, other] = outputs[j];
      if (other.empty() || is_device(file) || !is_same_file(file, other)) continue;
      throw std::invalid_argument(std::string(other_option) + " and " + option +
                                  " would both write to " + file.string());
    }
  }
}

}  // namespace simt::run

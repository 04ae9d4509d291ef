/// \file
/// The text of a step's source lines.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/step/step.h"

namespace worklog {

/// The CUDA files of a step, its variants, headers and exercise, where they stood when it was
/// built.
std::vector<std::filesystem::path> cuda_files_of(const Step& step);

/// Reads the sources of a step where they stood when it was built.
class SourceText {
 public:
  /// Of `step`, its variants and headers.
  explicit SourceText(const Step& step);

  /// Line 1 is the first. Empty if there is no such file or line any more.
  std::string line(const std::string& file, int number) const;

 private:
  std::map<std::string, std::vector<std::string>> lines_;  // by the file's name
};

}  // namespace worklog

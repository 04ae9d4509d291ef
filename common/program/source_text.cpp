#include "common/program/source_text.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace worklog {

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

bool is_kernel_source(const std::filesystem::path& path) {
  return path.extension() == ".cu" || path.extension() == ".cuh";
}

}  // namespace

SourceText::SourceText(const Step& step) {
  const auto folder = std::filesystem::path(WORKLOG_SOURCE_DIR) / "steps" / step.name;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, missing)) {
    if (is_kernel_source(entry.path())) {
      lines_[entry.path().filename().string()] = lines_of(entry.path());
    }
  }
}

std::string SourceText::line(const std::string& file, int number) const {
  const auto found = lines_.find(file);
  if (found == lines_.end()) return "";
  const auto index = static_cast<std::size_t>(number) - 1;
  return index < found->second.size() ? found->second[index] : "";
}

}  // namespace worklog

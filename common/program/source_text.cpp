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

std::vector<std::filesystem::path> cuda_files_of(const Step& step) {
  const auto folder = std::filesystem::path(WORKLOG_SOURCE_DIR) / "steps" / step.name;
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, missing)) {
    if (is_kernel_source(entry.path())) files.push_back(entry.path());
  }
  return files;
}

SourceText::SourceText(const Step& step) {
  for (const std::filesystem::path& file : cuda_files_of(step))
    lines_[file.filename().string()] = lines_of(file);
}

std::string SourceText::line(const std::string& file, int number) const {
  const auto found = lines_.find(file);
  if (found == lines_.end()) return "";
  const auto index = static_cast<std::size_t>(number) - 1;
  return index < found->second.size() ? found->second[index] : "";
}

}  // namespace worklog

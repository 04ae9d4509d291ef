#include "common/simt/run/toolchain.h"

#include <sstream>
#include <stdexcept>

#include "common/simt/run/files.h"

namespace simt::run {
namespace {

/// CMake marks flags of several words with "SHELL:"; nothing else has blanks that separate.
void append_flag(std::vector<std::string>& flags, const std::string& text) {
  constexpr std::string_view kSeveralWords = "SHELL:";
  if (text.empty()) return;
  if (!text.starts_with(kSeveralWords)) return flags.push_back(text);
  std::istringstream words(text.substr(kSeveralWords.size()));
  for (std::string word; words >> word;)
    flags.push_back(word);
}

}  // namespace

Toolchain read_toolchain(const std::filesystem::path& file) {
  Toolchain toolchain;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::string kind = line.substr(0, blank);
    const std::string text = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (kind == "compiler") toolchain.compiler = text;
    if (kind == "precompiled") toolchain.first_header = text;
    if (kind == "compile") append_flag(toolchain.compile, text);
    if (kind == "link") append_flag(toolchain.link, text);
  }
  if (toolchain.compiler.empty()) {
    throw std::runtime_error(file.string() + ": names no compiler; configure the build again");
  }
  return toolchain;
}

}  // namespace simt::run

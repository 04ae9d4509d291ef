#include "simt/run/toolchain.h"

#include <sstream>
#include <stdexcept>

#include "simt/translate/files.h"

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

std::string with_prefix(std::string text, const std::string& prefix) {
  constexpr std::string_view kPrefix = "{prefix}";
  for (std::size_t at = text.find(kPrefix); at != std::string::npos;
       at = text.find(kPrefix, at + prefix.size()))
    text.replace(at, kPrefix.size(), prefix);
  return text;
}

}  // namespace

Toolchain read_toolchain(const std::filesystem::path& file, const std::filesystem::path& prefix) {
  Toolchain toolchain;
  std::istringstream lines(with_prefix(read_file(file), prefix.string()));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::string kind = line.substr(0, blank);
    const std::string text = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (kind == "compiler") toolchain.compiler = text;
    if (kind == "precompiled") toolchain.first_header = text;
    if (kind == "compile") append_flag(toolchain.compile, text);
    if (kind == "plain_copies") toolchain.plain_copies = true;
    if (kind == "standins") toolchain.standins = text;
    if (kind == "link") append_flag(toolchain.link, text);
  }
  if (toolchain.compiler.empty() || toolchain.standins.empty()) {
    throw std::runtime_error(file.string() + ": is not complete; build or install simt again");
  }
  return toolchain;
}

}  // namespace simt::run

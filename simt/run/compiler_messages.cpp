#include "simt/run/compiler_messages.h"

#include <regex>
#include <set>
#include <sstream>

#include "simt/run/unavailable.h"

namespace simt::run {
namespace {

std::string without_colors(const std::string& text) {
  static const std::regex color("\x1b\\[[0-9;]*[mK]");
  return std::regex_replace(text, color, "");
}

/// "file:line:column: error: what", where `what` names something that is not declared; as g++ and
/// clang say it, with quotes of either kind.
const std::regex& unknown_name() {
  static const std::string name = "(?:'|\xe2\x80\x98)(?:[^'\xe2]*::)?(\\w+)(?:'|\xe2\x80\x99)";
  static const std::regex pattern(
      "(.+):(\\d+):\\d+: (?:fatal )?error: (?:" + name +
      " (?:was not declared|has not been declared|undeclared|does not name a type|"
      "is not a member of).*|"
      ".*has no member named " +
      name +
      ".*|(?:use of undeclared identifier|unknown type name|no (?:member|type) named|"
      "no template named) " +
      name + ".*|(?:implicit declaration of|call to undeclared) function " + name +
      ".*|there are no arguments to " + name + " that depend on a template parameter.*)");
  return pattern;
}

std::string matched_name(const std::smatch& match) {
  for (std::size_t group = 3; group < match.size(); ++group) {
    if (match[group].matched) return match[group].str();
  }
  return "";
}

/// Of ".*; did you mean 'name'?": name. Empty without it.
std::string suggested_name(const std::string& line) {
  static const std::regex pattern(
      ".*; did you mean (?:'|\xe2\x80\x98)([^'\xe2]+)(?:'|\xe2\x80\x99)\\?.*");
  std::smatch match;
  return std::regex_match(line, match, pattern) ? match[1].str() : "";
}

/// "file:line:column: fatal error: header: No such file or directory", and as clang says it.
const std::regex& missing_header() {
  static const std::regex pattern(
      "(.+):(\\d+):\\d+: fatal error: (?:(.+): No such file or directory|'(.+)' file not found)");
  return pattern;
}

/// The message for such a line, empty for a header that is not of CUDA.
std::string told_of_header(const std::smatch& match) {
  const std::string refusal = refusal_of_header(matched_name(match));
  if (refusal.empty()) return "";
  return match[1].str() + ":" + match[2].str() + ": error: " + refusal;
}

}  // namespace

std::vector<std::string> names_without_stand_in(const std::string& messages) {
  std::vector<std::string> missing;
  std::set<std::string> seen;
  std::istringstream lines(without_colors(messages));
  for (std::string line; std::getline(lines, line);) {
    constexpr std::size_t kLongest = 4096;  // std::regex goes deep on long lines
    std::smatch match;
    if (line.size() <= kLongest && std::regex_match(line, match, missing_header())) {
      const std::string message = told_of_header(match);
      if (!message.empty() && seen.insert(message).second) missing.push_back(message);
      continue;
    }
    if (line.size() > kLongest || !std::regex_match(line, match, unknown_name())) continue;
    const std::string name = matched_name(match);
    const std::string_view part = part_of_name(name);
    if (part.empty() || !seen.insert(name).second) continue;
    std::string message = match[1].str() + ":" + match[2].str() + ": error: '" + name +
                          "': not available on the CPU executor (" + std::string(part) + ")";
    const std::string suggested = may_be_misspelt(name) ? suggested_name(line) : "";
    if (!suggested.empty()) message += "; did you mean '" + suggested + "'?";
    missing.push_back(message);
  }
  return missing;
}

}  // namespace simt::run

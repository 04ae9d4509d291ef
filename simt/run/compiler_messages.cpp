#include "simt/run/compiler_messages.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

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

/// The namespace that the line says it is not in. Empty without one.
std::string scope_of_name(const std::string& line) {
  static const std::regex pattern(
      ".*(?:is not a member of|has not been declared in|in namespace) "
      "(?:'|\xe2\x80\x98)(?:::)?([\\w:]+)(?:'|\xe2\x80\x99).*");
  std::smatch match;
  return std::regex_match(line, match, pattern) ? match[1].str() : "";
}

/// Of ".*; did you mean 'name'?": name. Empty without it.
std::string suggested_name(const std::string& line) {
  static const std::regex pattern(
      ".*; did you mean (?:'|\xe2\x80\x98)([^'\xe2]+)(?:'|\xe2\x80\x99)\\?.*");
  std::smatch match;
  return std::regex_match(line, match, pattern) ? match[1].str() : "";
}

/// How many letters to put in, leave out, change or swap with their neighbour make the one the
/// other.
std::size_t changes_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> changes(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        changes[i][j] = i + j;
        continue;
      }
      const std::size_t is_other = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t& least = changes[i][j];
      least = std::min(
          {changes[i - 1][j] + 1, changes[i][j - 1] + 1, changes[i - 1][j - 1] + is_other});
      const bool are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) least = std::min(least, changes[i - 2][j - 2] + 1);
    }
  }
  return changes[a.size()][b.size()];
}

/// Compilers take a name that is some way off for a slip, and their own functions for CUDA's.
bool may_be_meant(const std::string& suggested, const std::string& name) {
  constexpr std::size_t kLettersOfOneSlip = 5;
  constexpr std::array<std::string_view, 4> kOfCompilers = {"__atomic_", "__builtin_", "__sync_",
                                                            "__c11_"};
  const bool is_of_compiler =
      std::any_of(kOfCompilers.begin(), kOfCompilers.end(),
                  [&](std::string_view prefix) { return suggested.starts_with(prefix); });
  return !suggested.empty() && !is_of_compiler && !part_of_name(suggested, "").empty() &&
         changes_between(suggested, name) <=
             std::max<std::size_t>(1, name.size() / kLettersOfOneSlip);
}

/// "file:line:column: error: use of deleted function", where it is the variant of a barrier's
/// function that orders no memory. clang names no variant, but no other is deleted.
const std::regex& relaxed_variant() {
  static const std::string name =
      "(mbarrier_(?:arrive|arrive_expect_tx|(?:try|test)_wait|(?:try|test)_wait_parity))";
  static const std::regex pattern(
      "(.+):(\\d+):\\d+: error: (?:use of deleted function .*cuda::ptx::" + name +
      "\\((?:cuda::ptx::)?sem_relaxed_t.*|call to deleted function '" + name + "'.*)");
  return pattern;
}

/// "file:line:column: fatal error: header: No such file or directory", and as clang says it.
const std::regex& missing_header() {
  static const std::regex pattern(
      "(.+):(\\d+):\\d+: fatal error: (?:(.+): No such file or directory|'(.+)' file not found)");
  return pattern;
}

/// What a line of the compiler's says that the executor lacks.
struct Lack {
  std::string subject;  ///< is told once; empty for none
  std::string reason;
};

/// NVIDIA's samples have a folder of headers that they all share.
bool is_of_samples(const std::string& header) {
  constexpr std::array<std::string_view, 6> kHeaders = {"helper_cuda.h",   "helper_functions.h",
                                                        "helper_image.h",  "helper_math.h",
                                                        "helper_string.h", "helper_timer.h"};
  return std::find(kHeaders.begin(), kHeaders.end(), header) != kHeaders.end();
}

Lack lack_of_header(const std::smatch& match) {
  const std::string name = matched_name(match);
  if (is_of_samples(name)) {
    return {match.str(),
            "<" + name +
                ">: no folder that was named has it; NVIDIA's samples have it in their "
                "folder Common: -I cuda-samples/Common"};
  }
  const std::string refusal = refusal_of_header(name);
  if (refusal.empty()) return {};
  return {match.str(), refusal};  // wherever it is included
}

Lack lack_of_variant(const std::smatch& match) {
  const std::string subject = "'" + matched_name(match) + "' with sem_relaxed";
  return {subject, subject + ": not available on the CPU executor (a part of <cuda/ptx>)"};
}

Lack lack_of_name(const std::smatch& match, const std::string& line) {
  const std::string name = matched_name(match);
  const std::string scope = scope_of_name(line);
  const std::string_view part = part_of_name(name, scope);
  if (part.empty()) return {};
  const std::string reason =
      "'" + name + "': not available on the CPU executor (" + std::string(part) + ")";
  const std::string suggested = may_be_misspelt(name, scope) ? suggested_name(line) : "";
  return {name,
          may_be_meant(suggested, name) ? reason + "; did you mean '" + suggested + "'?" : reason};
}

/// The match begins with the file and the line.
Lack find_lack(const std::string& line, std::smatch& match) {
  constexpr std::size_t kLongest = 4096;  // std::regex goes deep on long lines
  if (line.size() > kLongest) return {};
  if (std::regex_match(line, match, missing_header())) return lack_of_header(match);
  if (std::regex_match(line, match, relaxed_variant())) return lack_of_variant(match);
  if (std::regex_match(line, match, unknown_name())) return lack_of_name(match, line);
  return {};
}

}  // namespace

std::vector<std::string> names_without_stand_in(const std::string& messages) {
  std::vector<std::string> missing;
  std::set<std::string> seen;
  std::istringstream lines(without_colors(messages));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    const Lack lack = find_lack(line, match);
    if (lack.subject.empty()) continue;
    const std::string message = match[1].str() + ":" + match[2].str() + ": error: " + lack.reason;
    if (seen.insert(lack.subject).second) missing.push_back(message);
  }
  return missing;
}

bool lacks_only_main(const std::string& messages) {
  static const std::regex missing("(?:undefined reference to|undefined symbol:) [`']?(\\w*)");
  const std::string plain = without_colors(messages);
  const std::sregex_iterator begin(plain.begin(), plain.end(), missing);
  return begin != std::sregex_iterator() &&
         std::all_of(begin, std::sregex_iterator(),
                     [](const std::smatch& match) { return match[1] == "main"; });
}

}  // namespace simt::run

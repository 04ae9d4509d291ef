#include "simt/run/sarif.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace simt::run {
namespace {

using nlohmann::ordered_json;

/// A path as a URI has it: other bytes than these as their numbers.
std::string as_uri(const std::string& path) {
  constexpr std::string_view kAlsoPlain = "/._~-";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || kAlsoPlain.find(c) != std::string_view::npos);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

/// "file:line" in its parts; nothing of other words.
std::optional<std::pair<std::string, int>> file_and_line(const std::string& place) {
  constexpr std::size_t kMostDigits = 9;
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const std::string digits = place.substr(colon + 1);
  const bool is_number = !digits.empty() && digits.size() <= kMostDigits &&
                         std::all_of(digits.begin(), digits.end(),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!is_number || std::stoi(digits) == 0) return std::nullopt;
  return std::pair(place.substr(0, colon), std::stoi(digits));
}

/// The source of that name, as the command line named it; else the name.
std::string path_of(const std::string& file, const Options& options) {
  const auto source =
      std::find_if(options.sources.begin(), options.sources.end(),
                   [&](const auto& candidate) { return candidate.filename().string() == file; });
  return source == options.sources.end() ? file : source->string();
}

/// Null where no line is known.
ordered_json location_of(const std::string& place, const Options& options) {
  const auto at = file_and_line(place);
  if (!at) return nullptr;
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", as_uri(path_of(at->first, options))}}},
            {"region", {{"startLine", at->second}}}}}};
}

ordered_json result_of(const ordered_json& finding, const char* level, std::size_t rule,
                       const Options& options) {
  const ordered_json& lines = finding["lines"];
  ordered_json result = {{"ruleId", finding["kind"]},
                         {"ruleIndex", rule},
                         {"level", level},
                         {"message", {{"text", lines[0]["message"]}}},
                         {"locations", ordered_json::array()}};
  ordered_json location = location_of(lines[0]["place"], options);
  const std::string kernel = finding["kernel"];
  if (!kernel.empty()) location["logicalLocations"] = {{{"name", kernel}, {"kind", "function"}}};
  if (!location.is_null()) result["locations"].push_back(location);
  ordered_json related = ordered_json::array();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ordered_json note = location_of(lines[i]["place"], options);
    if (note.is_null()) continue;
    note["message"] = {{"text", lines[i]["message"]}};
    related.push_back(note);
  }
  if (!related.empty()) result["relatedLocations"] = related;
  result["occurrenceCount"] = finding["count"];
  result["properties"] = {{"launches", finding["launches"]}};
  return result;
}

}  // namespace

ordered_json to_sarif(const ordered_json& record, const Ending& ending, const Options& options,
                      const std::string& version) {
  std::vector<std::string> kinds;
  ordered_json results = ordered_json::array();
  const auto add = [&](const ordered_json& finding, const char* level) {
    const std::string kind = finding["kind"];
    const auto known = std::find(kinds.begin(), kinds.end(), kind);
    const auto rule = static_cast<std::size_t>(known - kinds.begin());
    if (known == kinds.end()) kinds.push_back(kind);
    results.push_back(result_of(finding, level, rule, options));
  };
  for (const ordered_json& finding : record["findings"])
    add(finding, "error");
  for (const ordered_json& note : record["notes"])
    add(note, "note");
  ordered_json rules = ordered_json::array();
  for (const std::string& kind : kinds)
    rules.push_back({{"id", kind}});
  const ordered_json run = {
      {"tool", {{"driver", {{"name", "simt"}, {"version", version}, {"rules", rules}}}}},
      {"invocations",
       {{{"executionSuccessful", ending.exit_code == 0}, {"exitCode", ending.exit_code}}}},
      {"results", results}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", ordered_json::array({run})}};
}

}  // namespace simt::run

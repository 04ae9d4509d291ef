#include "simt/run/player_page.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "simt/run/player_parts.h"
#include "simt/translate/files.h"

namespace simt::run {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::set<std::string> names_of_counted_files(const ordered_json& run) {
  std::set<std::string> names;
  for (const ordered_json& launch : run["launches"]) {
    for (const ordered_json& line : launch["lines"])
      names.insert(line["file"].get<std::string>());
  }
  return names;
}

bool is_source(const fs::path& file, const ordered_json& run) {
  const ordered_json& sources = run["sources"];
  return std::any_of(sources.begin(), sources.end(),
                     [&](const ordered_json& source) { return source == file.string(); });
}

/// Wherever the text has the mark.
void replace(std::string& text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

/// Text of a program may hold what ends a script.
std::string in_script(const ordered_json& run) {
  std::string text;
  for (const char c : run.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string in_html(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

ordered_json with_files(ordered_json run, const std::vector<fs::path>& files) {
  const std::set<std::string> counted = names_of_counted_files(run);
  ordered_json texts = ordered_json::array();
  std::set<std::string> taken;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (!is_source(file, run) && counted.count(name) == 0) continue;
    if (!fs::is_regular_file(file) || !taken.insert(name).second) continue;
    texts.push_back({{"name", name}, {"text", read_file(file)}});
  }
  run["files"] = std::move(texts);
  return run;
}

std::string player_page(const ordered_json& run) {
  const std::string source = run["sources"].front().get<std::string>();
  const std::string title = run.value("title", fs::path(source).filename().string());
  std::string page = kPlayerPage;
  // The record comes last: what it holds is not looked at for other marks.
  replace(page, "{{title}}", in_html(title));
  replace(page, "{{style}}", kPlayerStyle);
  replace(page, "{{script}}", kPlayerScript);
  replace(page, "{{record}}", in_script(run));
  return page;
}

}  // namespace simt::run

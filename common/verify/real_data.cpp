#include "common/verify/real_data.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace worklog {

namespace {

// The last dimension becomes the columns, all others together the rows.
Scores read_scores(const char* name) {
  const std::filesystem::path path = data_directory() / name;
  HalfArray array = read_npy(path);
  if (array.shape.empty()) throw std::runtime_error(path.string() + ": is a single number");
  Scores scores{.rows = 1, .cols = array.shape.back(), .values = std::move(array.values)};
  for (std::size_t i = 0; i + 1 < array.shape.size(); ++i)
    scores.rows *= array.shape[i];
  return scores;
}

// Throws unless the file has exactly one line for each of what the scores have `expected` of.
std::vector<std::string> read_lines(const char* name, std::int64_t expected, const char* of) {
  const std::filesystem::path path = data_directory() / name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be opened");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  if (static_cast<std::int64_t>(lines.size()) != expected) {
    throw std::runtime_error(path.string() + ": has " + std::to_string(lines.size()) +
                             " lines: must have " + std::to_string(expected) + ", one for each " +
                             of + " of search_scores.npy");
  }
  return lines;
}

std::vector<SearchEntry> read_entries() {
  std::vector<SearchEntry> entries;
  for (const std::string& line : read_lines("search_entries.txt", search_scores().cols, "column")) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      throw std::runtime_error((data_directory() / "search_entries.txt").string() + ": line " +
                               std::to_string(entries.size() + 1) + " has no tab");
    }
    entries.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return entries;
}

}  // namespace

std::filesystem::path data_directory() {
  const char* chosen = std::getenv("WORKLOG_DATA_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : WORKLOG_DATA_DIR;
}

const Scores& attention_scores() {
  static const Scores scores = read_scores("attention_scores.npy");
  return scores;
}

const Scores& search_scores() {
  static const Scores scores = read_scores("search_scores.npy");
  return scores;
}

const std::vector<std::string>& search_questions() {
  static const std::vector<std::string> questions =
      read_lines("search_queries.txt", search_scores().rows, "row");
  return questions;
}

const std::vector<SearchEntry>& search_entries() {
  static const std::vector<SearchEntry> entries = read_entries();
  return entries;
}

}  // namespace worklog

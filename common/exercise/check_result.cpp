#include "common/exercise/check_result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <regex>

namespace worklog {

namespace {

using nlohmann::ordered_json;

std::string_view words_of(Answer answer, std::string_view yes, std::string_view no) {
  switch (answer) {
    case Answer::kYes:
      return yes;
    case Answer::kNo:
      return no;
    case Answer::kTooEarly:
      break;
  }
  return "too early to say";
}

// Whole numbers as such: a counter of 64 is no 64.0.
ordered_json number(const std::optional<double>& value) {
  if (!value) return nullptr;
  const auto whole = static_cast<std::int64_t>(*value);
  if (static_cast<double>(whole) == *value) return whole;
  return *value;
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json to_json(const CheckedPart& part) {
  return {{"part", part.name},
          {"state", words_of(part.is_right(), "right", "wrong")},
          {"right", part.right},
          {"cases", part.cases}};
}

ordered_json to_json(const CheckedFinding& finding) {
  return {{"kind", finding.kind},
          {"file", text_or_null(finding.file)},
          {"line", finding.line ? ordered_json(*finding.line) : ordered_json(nullptr)},
          {"message", finding.message}};
}

ordered_json to_json(const CheckedCounter& counter) {
  return {{"counter", counter.name},
          {"got", number(counter.got)},
          {"wanted", number(counter.wanted)},
          {"state", words_of(counter)}};
}

template <typename Items>
ordered_json list_of(const Items& items) {
  ordered_json list = ordered_json::array();
  for (const auto& item : items)
    list.push_back(to_json(item));
  return list;
}

}  // namespace

Answer CheckedPart::is_right() const {
  if (wrong) return Answer::kNo;
  return right == cases ? Answer::kYes : Answer::kTooEarly;
}

std::string_view words_of(const CheckedCounter& counter) {
  return words_of(counter.is_reached, "reached", "not reached");
}

CheckedFinding finding_of(const std::string& kind, const std::string& message) {
  static const std::regex place_of_message("^([^\\n]*?):([0-9]{1,9}): ");
  CheckedFinding finding{.kind = kind, .message = message, .file = "", .line = std::nullopt};
  std::smatch place;
  if (std::regex_search(message, place, place_of_message)) {
    finding.file = place[1];
    finding.line = std::stoi(place[2]);
  }
  return finding;
}

ordered_json to_json(const CheckResult& result) {
  ordered_json first_wrong = nullptr;
  if (!result.wrong_case.empty())
    first_wrong = {{"case", result.wrong_case}, {"failure", result.failure}};
  return {{"exercise", result.exercise},
          {"verdict", result.verdict},
          {"right", result.right},
          {"reached", result.reached},
          {"parts", list_of(result.parts)},
          {"first_wrong", first_wrong},
          {"findings", list_of(result.findings)},
          {"counted", {{"case", result.counted_case}, {"block_size", result.block_size}}},
          {"counters", list_of(result.counters)}};
}

}  // namespace worklog

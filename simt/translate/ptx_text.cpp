#include "simt/translate/ptx_text.h"

#include <algorithm>

#include "simt/translate/brackets.h"

namespace simt::translate {

std::string_view without_white_space(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t";
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

std::optional<std::size_t> operand_number(std::string_view text) {
  text = without_white_space(text);
  constexpr std::size_t kMostDigits = 2;
  if (!text.starts_with('%') || text.size() < 2 || text.size() > 1 + kMostDigits)
    return std::nullopt;
  std::size_t number = 0;
  for (const char digit : text.substr(1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + static_cast<std::size_t>(digit - '0');
  }
  return number;
}

Literals literals_in(const Tokens& code, std::size_t at, std::size_t end) {
  Literals literals{"", at};
  for (; literals.end < end && code[literals.end].kind == TokenKind::kLiteral; ++literals.end) {
    const std::string_view spelled = code[literals.end].text;
    if (spelled.size() < 2 || spelled.front() != '"' || spelled.back() != '"') return {"", end};
    literals.text += spelled.substr(1, spelled.size() - 2);
  }
  for (const std::string_view escaped : {"\\n", "\\t"}) {
    for (std::size_t found = literals.text.find(escaped); found != std::string::npos;
         found = literals.text.find(escaped, found))
      literals.text.replace(found, escaped.size(), 1, ' ');
  }
  return literals;
}

std::string_view instruction_in(std::string_view text) {
  text = without_white_space(text);
  if (text.ends_with(';')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> parts_of_opcode(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', at), opcode.size());
    parts.push_back(opcode.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::optional<Operands> operands_in(const Tokens& code, std::size_t at, std::size_t end) {
  Operands operands;
  std::size_t colons = 0;
  while (at < end) {
    if (code[at].is(":") || code[at].is("::")) {
      colons += code[at++].text.size();
      continue;
    }
    if (code[at].is(",")) ++at;
    if (at >= end || code[at].kind != TokenKind::kLiteral) return std::nullopt;
    if (colons == 3 && at + 1 == end && code[at].text == "\"memory\"") {
      operands.clobbers_memory = true;
      return operands;
    }
    if (colons != 1 && colons != 2) return std::nullopt;
    const auto close = at + 1 < end ? closing_bracket(code, at + 1) : std::nullopt;
    if (!close || *close >= end || !code[at + 1].is("(")) return std::nullopt;
    auto& section = colons == 1 ? operands.outputs : operands.inputs;
    section.push_back({code[at].text, spell(code, at + 2, *close)});
    at = *close + 1;
  }
  return operands;
}

}  // namespace simt::translate

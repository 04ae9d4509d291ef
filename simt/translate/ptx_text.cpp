#include "simt/translate/ptx_text.h"

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
  if (text.size() != 2 || text[0] != '%' || text[1] < '0' || text[1] > '9') return std::nullopt;
  return static_cast<std::size_t>(text[1] - '0');
}

Literals literals_in(const Tokens& code, std::size_t at, std::size_t end) {
  Literals literals{"", at};
  for (; literals.end < end && code[literals.end].kind == TokenKind::kLiteral; ++literals.end) {
    const std::string_view spelled = code[literals.end].text;
    if (spelled.size() < 2 || spelled.front() != '"' || spelled.back() != '"') return {"", end};
    literals.text += spelled.substr(1, spelled.size() - 2);
  }
  return literals;
}

std::string_view instruction_in(std::string_view text) {
  text = without_white_space(text);
  if (text.ends_with(';')) text.remove_suffix(1);
  return text;
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

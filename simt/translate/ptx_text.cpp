#include "simt/translate/ptx_text.h"

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

std::string_view instruction_in(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"') return {};
  std::string_view text = without_white_space(literal.substr(1, literal.size() - 2));
  if (text.ends_with(';')) text.remove_suffix(1);
  return text;
}

}  // namespace simt::translate

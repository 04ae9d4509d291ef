// atomicAdd(&count[i], 1);
//
// becomes
//
// ::simt::adds_a_constant(), atomicAdd(&count[i], 1);
//
// because hardware adds what all lanes of a word add to it at once, if that is one constant and
// nobody asks for the value before.

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

bool is_one_of(const Token& token, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* const word) { return token.is(word); });
}

// Whether a statement begins behind this token. Behind a `)` one does if that closes a condition,
// and no cast; behind a `:` there may be a part of an expression.
bool begins_call_alone(const Tokens& code, std::size_t before) {
  if (is_one_of(code[before], {";", "{", "}", "else", "do"})) return true;
  if (!code[before].is(")")) return false;
  const auto open = opening_bracket(code, before);
  return open && *open > 0 && is_one_of(code[*open - 1], {"if", "constexpr", "for", "while"});
}

// Whether the last argument of the call whose brackets these are is an integer and nothing else.
bool ends_with_an_integer(const Tokens& code, std::size_t open, std::size_t close) {
  if (close < open + 4 || code[close - 1].kind != TokenKind::kNumber) return false;
  if (code[close - 1].text.find_first_not_of("0123456789uUlL") != std::string_view::npos)
    return false;
  const bool has_sign = is_one_of(code[close - 2], {"-", "+"});
  return code[close - (has_sign ? 3 : 2)].is(",");
}

}  // namespace

Changes mark_additions_without_result(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (!code[i].is("atomicAdd") || !code[i + 1].is("(")) continue;
    if (!code[i].for_device || !begins_call_alone(code, i - 1)) continue;
    const auto close = closing_bracket(code, i + 1);
    if (!close || *close + 1 == code.size() || !code[*close + 1].is(";")) continue;
    if (!ends_with_an_integer(code, i + 1, *close)) continue;
    changes.edits.push_back({code[i].offset, 0, "::simt::adds_a_constant(), "});
  }
  return changes;
}

}  // namespace simt::translate

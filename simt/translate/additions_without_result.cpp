// atomicAdd(&count[i], 1);
//
// becomes
//
// ::simt::adds_a_constant(), atomicAdd(&count[i], 1);
//
// because hardware adds what all lanes of a word add to it at once, if that is one constant and
// nobody asks for the value before.

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

bool begins_statement(const Token& before) {
  for (const char* const what : {";", "{", "}", ")", ":", "else", "do"}) {
    if (before.is(what)) return true;
  }
  return false;
}

// Whether the last argument of the call whose brackets these are is a number and nothing else.
bool ends_with_a_number(const Tokens& code, std::size_t open, std::size_t close) {
  if (close < open + 4 || code[close - 1].kind != TokenKind::kNumber) return false;
  const bool has_sign = code[close - 2].is("-") || code[close - 2].is("+");
  return code[close - (has_sign ? 3 : 2)].is(",");
}

}  // namespace

Changes mark_additions_without_result(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (!code[i].is("atomicAdd") || !code[i + 1].is("(")) continue;
    if (!code[i].for_device || !begins_statement(code[i - 1])) continue;
    const auto close = closing_bracket(code, i + 1);
    if (!close || *close + 1 == code.size() || !code[*close + 1].is(";")) continue;
    if (!ends_with_a_number(code, i + 1, *close)) continue;
    changes.edits.push_back({code[i].offset, 0, "::simt::adds_a_constant(), "});
  }
  return changes;
}

}  // namespace simt::translate

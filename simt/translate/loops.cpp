// for (int i = 0; i < 4; ++i)
//
// becomes
//
// if (::simt::loop_begins(); false) {} else for (int i = 0; i < 4; ++i)
//
// because a compiler makes one loop of one that begins with another: machine code does not tell
// then which of them goes on, and lanes wait for each other behind either. A `goto` that leads back
// makes a loop as well: of what follows its label.

#include <algorithm>
#include <string_view>
#include <vector>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

// Behind the bracket's partner at `at`; the end if there is none.
std::size_t behind_bracket(const Tokens& code, std::size_t at) {
  const auto close = closing_bracket(code, at);
  return close ? *close + 1 : code.size();
}

bool is_at(const Tokens& code, std::size_t at, std::string_view word) {
  return at < code.size() && code[at].is(word);
}

// Behind the statement that begins at `at`.
std::size_t behind_statement(const Tokens& code, std::size_t at) {
  if (is_at(code, at, "{")) return behind_bracket(code, at);
  if (is_at(code, at, "if") || is_at(code, at, "for") || is_at(code, at, "while") ||
      is_at(code, at, "switch")) {
    const bool may_have_else = code[at].is("if");
    at += is_at(code, at + 1, "constexpr") ? 2 : 1;
    if (!is_at(code, at, "(")) return code.size();
    at = behind_statement(code, behind_bracket(code, at));
    return may_have_else && is_at(code, at, "else") ? behind_statement(code, at + 1) : at;
  }
  if (is_at(code, at, "do")) at = behind_statement(code, at + 1);
  while (at < code.size() && !code[at].is(";")) {
    const bool opens = code[at].is("(") || code[at].is("{") || code[at].is("[");
    at = opens ? behind_bracket(code, at) : at + 1;
  }
  return at + 1;
}

// Whether a directive between two tokens tells g++ how to compile what follows, which must be a
// loop then.
bool is_told_how(const Token& before, const Token& loop) {
  const char* const end = before.text.data() + before.text.size();
  const std::string_view between(end, static_cast<std::size_t>(loop.text.data() - end));
  return between.find("#pragma GCC") != std::string_view::npos;
}

bool is_label(const Tokens& code, std::size_t at) {
  if (!code[at].is_word() || at + 1 == code.size() || !code[at + 1].is(":")) return false;
  if (!code[at - 1].is(";") && !code[at - 1].is("{") && !code[at - 1].is("}")) return false;
  for (std::size_t i = at + 2; i < code.size(); ++i)
    if (code[i - 1].is("goto") && code[i].is(code[at].text)) return true;
  return false;
}

}  // namespace

Changes mark_loops(const Tokens& code) {
  Changes changes;
  std::vector<std::size_t> ends;  // the `while` of each `do`
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (!code[i].for_device || !code[i].in_function) continue;
    if (code[i].is("do")) ends.push_back(behind_statement(code, i + 1));
    const bool ends_do = std::find(ends.begin(), ends.end(), i) != ends.end();
    const bool is_loop = code[i].is("for") || code[i].is("while") || code[i].is("do");
    if (is_loop && !ends_do && !is_told_how(code[i - 1], code[i]))
      changes.edits.push_back({code[i].offset, 0, "if (::simt::loop_begins(); false) {} else "});
    if (is_label(code, i)) changes.edits.push_back({code[i].offset, 0, "::simt::loop_begins(); "});
  }
  return changes;
}

}  // namespace simt::translate

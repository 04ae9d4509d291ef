// for (int i = 0; i < 4; ++i)
//
// becomes
//
// if (::simt::loop_begins(); false) {} else for (int i = 0; i < 4; ++i)
//
// because a compiler makes one loop of one that begins with another: machine code does not tell
// then which of them goes on, and lanes wait for each other behind either. A `goto` that leads back
// makes a loop as well: of what follows its label.

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

// A `while` right before a `;` ends a `do`, or has no body in which lanes could part.
bool has_no_body(const Tokens& code, std::size_t at) {
  if (!code[at].is("while") || at + 1 == code.size()) return false;
  const auto close = closing_bracket(code, at + 1);
  return close && *close + 1 < code.size() && code[*close + 1].is(";");
}

// What stands between two tokens: comments and directives, of which there is no token.
std::string_view between(const Token& before, const Token& after) {
  const char* const end = before.text.data() + before.text.size();
  return {end, static_cast<std::size_t>(after.text.data() - end)};
}

// How many directives are in a text, and how many of them are `#pragma`.
struct Directives {
  int all = 0;
  int pragmas = 0;
};

Directives directives_in(std::string_view text) {
  Directives found;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at)) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos || text[at] != '#') continue;
    at = text.find_first_not_of(" \t", at + 1);
    ++found.all;
    found.pragmas += at != std::string_view::npos && text.substr(at, 6) == "pragma";
  }
  return found;
}

// Where a mark stands, if it may: before what tells a compiler how to compile the loop, for nothing
// may come between, be it `_Pragma("unroll")` or `#pragma unroll`.
std::optional<Edit> mark_before(const Tokens& code, std::size_t loop) {
  const std::string mark = "if (::simt::loop_begins(); false) {} else ";
  std::size_t first = loop;
  while (first >= 4 && code[first - 1].is(")") && code[first - 4].is("_Pragma"))
    first -= 4;
  const Directives directives = directives_in(between(code[first - 1], code[first]));
  if (directives.pragmas == 0) return Edit{code[first].offset, 0, mark};
  if (directives.pragmas < directives.all) return std::nullopt;  // `#endif` ends its line
  return Edit{code[first - 1].end(), 0, " " + mark};
}

bool is_label(const Tokens& code, std::size_t at, const std::set<std::string_view>& targets) {
  return at + 1 < code.size() && code[at + 1].is(":") && targets.count(code[at].text) > 0 &&
         (code[at - 1].is(";") || code[at - 1].is("{") || code[at - 1].is("}"));
}

std::set<std::string_view> targets_of_goto(const Tokens& code) {
  std::set<std::string_view> targets;
  for (std::size_t i = 1; i < code.size(); ++i)
    if (code[i - 1].is("goto")) targets.insert(code[i].text);
  return targets;
}

}  // namespace

Changes mark_loops(const Tokens& code) {
  Changes changes;
  const std::set<std::string_view> targets = targets_of_goto(code);
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (!code[i].for_device || !code[i].in_function) continue;
    const bool is_loop = code[i].is("for") || code[i].is("while") || code[i].is("do");
    if (is_loop && !has_no_body(code, i)) {
      if (const std::optional<Edit> mark = mark_before(code, i)) changes.edits.push_back(*mark);
    } else if (is_label(code, i, targets)) {
      changes.edits.push_back({code[i].offset, 0, "::simt::loop_begins(); "});
    }
  }
  return changes;
}

}  // namespace simt::translate

#include "common/simt/translate/translation.h"

#include <algorithm>
#include <iterator>

#include "common/simt/translate/structure.h"

namespace simt::translate {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(Changes& to, const Changes& from) {
  append(to.edits, from.edits);
  append(to.refusals, from.refusals);
}

Tokens without_directives(const Tokens& tokens) {
  Tokens code;
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(code),
               [](const Token& token) { return token.kind != TokenKind::kDirective; });
  return code;
}

/// Of `define NAME(a, b) ...`: a and b.
std::vector<std::string_view> macro_parameters(const Tokens& words) {
  std::vector<std::string_view> parameters;
  const bool has_parameters =
      words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
  for (std::size_t i = 3; has_parameters && i < words.size() && !words[i].is(")"); ++i) {
    if (words[i].is_word()) parameters.push_back(words[i].text);
  }
  return parameters;
}

/// Launches in the bodies of macros.
Changes rewrite_macro_bodies(const Tokens& tokens) {
  Changes changes;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kDirective) continue;
    Tokens words = tokenize(token.text.substr(1));
    if (words.empty() || !words[0].is("define")) continue;
    for (Token& word : words) {
      word.offset += token.offset + 1;
      word.line += token.line - 1;
    }
    append(changes, rewrite_launches(words, macro_parameters(words)));
  }
  return changes;
}

Changes all_changes(std::string_view source) {
  Tokens tokens = without_dead_branches(tokenize(source));
  mark_function_bodies(tokens);
  const Tokens code = without_directives(tokens);
  Changes changes = rewrite_launches(code);
  append(changes, name_launched_kernels(code));
  append(changes, rewrite_shared_variables(code));
  append(changes, add_device_variables(code));
  append(changes, check_launch_bounds(code));
  append(changes, refuse_inline_ptx(code));
  append(changes, rewrite_macro_bodies(tokens));
  return changes;
}

std::string apply(std::string_view source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::string text;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    text += source.substr(at, edit.offset - at);
    text += edit.replacement;
    at = edit.offset + edit.length;
  }
  text += source.substr(at);
  return text;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

Translation translate(std::string_view source, const std::string& absolute_path) {
  Changes changes = all_changes(source);
  std::stable_sort(changes.refusals.begin(), changes.refusals.end(),
                   [](const Refusal& a, const Refusal& b) { return a.line < b.line; });
  if (!changes.refusals.empty()) return {"", changes.refusals};
  return {"#line 1 " + quoted(absolute_path) + "\n" + apply(source, std::move(changes.edits)), {}};
}

}  // namespace simt::translate

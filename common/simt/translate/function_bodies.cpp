#include <algorithm>
#include <array>

#include "common/simt/translate/brackets.h"
#include "common/simt/translate/structure.h"

namespace simt::translate {
namespace {

enum class Scope { kNamespace, kClass, kFunction };

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.is(word); });
}

bool begins_class(const Token& token) {
  constexpr std::array<std::string_view, 4> kWords = {"class", "struct", "union", "enum"};
  return is_one_of(token, kWords);
}

bool is_function_qualifier(const Token& token) {
  constexpr std::array<std::string_view, 4> kWords = {"const", "noexcept", "override", "final"};
  return is_one_of(token, kWords);
}

bool is_alignment(const Token& token) {
  constexpr std::array<std::string_view, 3> kWords = {"alignas", "__align__", "__attribute__"};
  return is_one_of(token, kWords);
}

/// Whether the declaration ends like a function's: with a parameter list and perhaps qualifiers.
bool ends_with_parameters(const Tokens& declaration) {
  std::size_t end = declaration.size();
  while (end > 0 && is_function_qualifier(declaration[end - 1]))
    --end;
  if (end == 0 || !declaration[end - 1].is(")")) return false;
  const auto open = opening_bracket(declaration, end - 1);
  return open && (*open == 0 || !is_alignment(declaration[*open - 1]));
}

std::size_t skip_template_header(const Tokens& declaration) {
  std::size_t at = 0;
  while (at + 1 < declaration.size() && declaration[at].is("template") &&
         declaration[at + 1].is("<")) {
    const auto close = closing_angle(declaration, at + 1);
    if (!close) break;
    at = *close + 1;
  }
  return at;
}

/// What a `{` after these tokens opens, outside functions.
Scope scope_after(const Tokens& declaration) {
  const std::size_t begin = skip_template_header(declaration);
  for (std::size_t i = begin; i < declaration.size(); ++i) {
    if (declaration[i].is("namespace")) return Scope::kNamespace;
    const bool class_key = begins_class(declaration[i]);
    if (class_key && !ends_with_parameters(declaration)) return Scope::kClass;
  }
  const bool linkage = declaration.size() == begin + 2 && declaration[begin].is("extern") &&
                       declaration[begin + 1].kind == TokenKind::kLiteral;
  return linkage ? Scope::kNamespace : Scope::kFunction;
}

bool is_for_device(const Tokens& declaration) {
  constexpr std::array<std::string_view, 2> kWords = {"__global__", "__device__"};
  return std::any_of(declaration.begin(), declaration.end(),
                     [&](const Token& token) { return is_one_of(token, kWords); });
}

class ScopeTracker {
 public:
  bool in_function() const { return !scopes_.empty() && scopes_.back() == Scope::kFunction; }
  bool in_class() const { return !scopes_.empty() && scopes_.back() == Scope::kClass; }
  bool in_device_function() const { return in_function() && in_device_function_; }

  void on_token(const Token& token) {
    if (token.is("{")) {
      if (!in_function()) {
        in_device_function_ = is_for_device(declaration_);
        scopes_.push_back(scope_after(declaration_));
      } else {
        scopes_.push_back(Scope::kFunction);
      }
      declaration_.clear();
    } else if (token.is("}")) {
      if (!scopes_.empty()) scopes_.pop_back();
      declaration_.clear();
    } else if (token.is(";")) {
      declaration_.clear();
    } else {
      declaration_.push_back(token);
    }
  }

  /// The branches of a conditional are alternatives: each starts in the scope in which the first
  /// one did.
  void on_directive(const Token& directive) {
    const Tokens words = tokenize(directive.text.substr(1));
    if (words.empty()) return;
    if (words[0].text.starts_with("if")) at_conditionals_.push_back(scopes_);
    if (at_conditionals_.empty()) return;
    if (words[0].text.starts_with("el")) scopes_ = at_conditionals_.back();
    if (words[0].is("endif")) at_conditionals_.pop_back();
  }

 private:
  std::vector<Scope> scopes_;
  std::vector<std::vector<Scope>> at_conditionals_;
  Tokens declaration_;  ///< since the last `;`, `{` or `}`
  bool in_device_function_ = false;
};

}  // namespace

void mark_function_bodies(Tokens& tokens) {
  ScopeTracker scopes;
  for (Token& token : tokens) {
    const bool was_in_function = scopes.in_function();
    if (token.kind == TokenKind::kDirective) {
      scopes.on_directive(token);
    } else {
      scopes.on_token(token);
    }
    token.in_function = scopes.in_function();
    token.in_class = scopes.in_class();
    token.in_device_function = scopes.in_device_function();
    token.opens_function = token.in_function && !was_in_function;
  }
}

}  // namespace simt::translate

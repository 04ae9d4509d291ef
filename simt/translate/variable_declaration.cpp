#include "simt/translate/variable_declaration.h"

#include <algorithm>
#include <array>
#include <optional>

#include "simt/translate/brackets.h"

namespace simt::translate {
namespace {

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.is(word); });
}

bool is_storage(const Token& token) {
  constexpr std::array<std::string_view, 14> kWords = {
      "extern",     "static",       "inline",          "constexpr",    "constinit",
      "__shared__", "__device__",   "__managed__",     "__constant__", "__host__",
      "__global__", "thread_local", "__forceinline__", "__noinline__"};
  return is_one_of(token, kWords);
}

bool is_qualifier(const Token& token) {
  constexpr std::array<std::string_view, 4> kWords = {"const", "volatile", "__restrict__",
                                                      "__restrict"};
  return is_one_of(token, kWords);
}

bool is_builtin_type(const Token& token) {
  constexpr std::array<std::string_view, 13> kWords = {
      "unsigned", "signed", "long", "short",    "int",      "char",   "float",
      "double",   "bool",   "void", "char16_t", "char32_t", "wchar_t"};
  return is_one_of(token, kWords);
}

bool begins_class(const Token& token) {
  constexpr std::array<std::string_view, 3> kWords = {"struct", "class", "union"};
  return is_one_of(token, kWords);
}

bool is_alignment(const Token& token) {
  return token.is("alignas") || token.is("__align__");
}

}  // namespace

VariableDeclaration::VariableDeclaration(const Tokens& code, std::size_t keyword)
    : code_(code), keyword_(keyword) {
  find_ends();
  find_defined_type();
  read_storage();
  read_type();
  read_variables();
}

bool VariableDeclaration::has(std::string_view storage) const {
  return std::find(storage_.begin(), storage_.end(), storage) != storage_.end();
}

// From the statement's first token to its `;`, or to the body of a function.
void VariableDeclaration::find_ends() {
  begin_ = keyword_;
  while (begin_ > 0 && precedes_keyword(begin_ - 1))
    --begin_;
  end_ = keyword_;
  while (end_ + 1 < code_.size() && !code_[end_].is(";")) {
    if (code_[end_].is("{") && code_[end_ - 1].is(")")) return;
    end_ = after_brackets(end_);
  }
}

bool VariableDeclaration::precedes_keyword(std::size_t at) const {
  if (code_[at].is(")")) {
    const auto open = opening_bracket(code_, at);
    return open && *open > 0 && is_alignment(code_[*open - 1]);
  }
  if (code_[at].is("]") || code_[at].is("[")) return true;  // attributes
  if (inside_alignment(at)) return true;
  return is_storage(code_[at]) || is_alignment(code_[at]) || is_qualifier(code_[at]) ||
         is_builtin_type(code_[at]) || code_[at].is("maybe_unused");
}

bool VariableDeclaration::inside_alignment(std::size_t at) const {
  for (std::size_t i = at + 1; i-- > 0;) {
    if (is_alignment(code_[i])) {
      const auto close = closing_bracket(code_, i + 1);
      return close && *close >= at;
    }
    if (code_[i].is(";") || code_[i].is("{") || code_[i].is("}")) return false;
  }
  return false;
}

std::size_t VariableDeclaration::after_brackets(std::size_t at) const {
  if (!opens_bracket(code_[at])) return at + 1;
  return std::min(closing_bracket(code_, at).value_or(code_.size() - 2), code_.size() - 2) + 1;
}

// struct alignas(16) Pair : Base { ... } a, b;
void VariableDeclaration::find_defined_type() {
  const auto word_from = [this](std::size_t at) {
    while (at < end_ && (!code_[at].is_word() || is_alignment(code_[at]))) {
      if (code_[at].is("{") || code_[at].is(":")) return end_;
      at = after_brackets(at);
    }
    return at;
  };
  for (std::size_t key = begin_; key < end_; key = after_brackets(key)) {
    if (!begins_class(code_[key])) continue;
    std::size_t open = key;
    while (open < end_ && !code_[open].is("{"))
      open = after_brackets(open);
    const auto close = open < end_ ? closing_bracket(code_, open) : std::nullopt;
    if (!close || *close >= end_) return;
    const std::size_t name = word_from(key + 1);
    const std::size_t variable = word_from(*close + 1);
    const bool named = name < open;
    const std::string_view of = named ? code_[name].text : code_[variable].text;
    defined_type_ = {key, *close, (named ? "" : "simt_type_of_") + std::string(of), named};
    return;
  }
}

// Sets aside what is not the type: storage, alignment, attributes.
void VariableDeclaration::read_storage() {
  for (std::size_t i = begin_; i < end_;) {
    if (defined_type_ && i == defined_type_->key) {
      rest_.push_back(code_[i]);
      rest_.back().kind = TokenKind::kIdentifier;
      rest_.back().text = defined_type_->name;
      i = defined_type_->end + 1;
    } else if (is_alignment(code_[i]) && code_[i + 1].is("(")) {
      const std::size_t after = after_brackets(i + 1);
      alignment_ = spell(code_, i + 1, after);
      i = after;
    } else if (code_[i].is("[") && code_[i + 1].is("[")) {
      i = after_brackets(i);
    } else {
      if (is_storage(code_[i])) {
        storage_.push_back(code_[i].text);
      } else {
        rest_.push_back(code_[i]);
      }
      ++i;
    }
  }
}

void VariableDeclaration::read_type() {
  bool complete = false;
  while (at_ < rest_.size()) {
    if (is_builtin_type(rest_[at_])) {
      complete = true;
      ++at_;
    } else if (is_qualifier(rest_[at_]) || rest_[at_].is("typename")) {
      ++at_;
    } else if (begins_class(rest_[at_])) {
      ++at_;
    } else if (!complete && (rest_[at_].is_word() || rest_[at_].is("::"))) {
      complete = true;
      skip_qualified_name();
    } else {
      break;
    }
  }
  type_ = spell(rest_, 0, at_);
}

// a::b<T>::c, or decltype(...)
void VariableDeclaration::skip_qualified_name() {
  while (at_ < rest_.size()) {
    if (rest_[at_].is("::")) ++at_;
    if (at_ < rest_.size() && rest_[at_].is("template")) ++at_;
    if (at_ < rest_.size()) ++at_;
    skip_arguments();
    if (at_ >= rest_.size() || !rest_[at_].is("::")) return;
  }
}

void VariableDeclaration::skip_arguments() {
  if (at_ >= rest_.size()) return;
  std::optional<std::size_t> close;
  if (rest_[at_].is("<")) close = closing_angle(rest_, at_);
  if (rest_[at_].is("(") && rest_[at_ - 1].is("decltype")) close = closing_bracket(rest_, at_);
  if (close) at_ = *close + 1;
}

void VariableDeclaration::read_variables() {
  while (at_ < rest_.size()) {
    std::size_t end = at_;
    while (end < rest_.size() && !rest_[end].is(",")) {
      const auto close = opens_bracket(rest_[end]) ? closing_bracket(rest_, end) : end;
      end = close.value_or(rest_.size() - 1) + 1;
    }
    read_variable(at_, end);
    at_ = end + 1;
  }
}

// The type-id is the declarator without its name.
void VariableDeclaration::read_variable(std::size_t begin, std::size_t end) {
  std::size_t name = begin;
  while (name < end && (!rest_[name].is_word() || is_qualifier(rest_[name])))
    ++name;
  if (name == end) {
    lacks_name_ = true;
    return;
  }
  const std::size_t initializer = initializer_in(name + 1, end);
  variables_.push_back(
      {.name = std::string(rest_[name].text),
       .type = type_ + spell(rest_, begin, name) + spell(rest_, name + 1, initializer),
       .initialized = initializer < end,
       .understood = is_understood(begin, name, initializer)});
}

std::size_t VariableDeclaration::initializer_in(std::size_t begin, std::size_t end) const {
  std::size_t at = begin;
  while (at < end && !rest_[at].is("=") && !rest_[at].is("{")) {
    const auto close = opens_bracket(rest_[at]) ? closing_bracket(rest_, at) : at;
    at = close.value_or(end - 1) + 1;
  }
  return at;
}

bool VariableDeclaration::is_understood(std::size_t begin, std::size_t name,
                                        std::size_t end) const {
  bool in_parentheses = false;
  for (std::size_t i = begin; i < name; ++i) {
    if (rest_[i].is("(") && rest_[i + 1].is("*")) {
      in_parentheses = true;
    } else if (!rest_[i].is("*") && !is_qualifier(rest_[i])) {
      return false;
    }
  }
  for (std::size_t i = name + 1; i < end; ++i) {
    const bool parameters = rest_[i].is("(") && in_parentheses;
    if (rest_[i].is("[") || parameters) {
      i = closing_bracket(rest_, i).value_or(end);
    } else if (!rest_[i].is(")") || !in_parentheses) {
      return false;
    }
  }
  return true;
}

}  // namespace simt::translate

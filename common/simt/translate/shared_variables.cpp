// In a function body,
//
//   __shared__ float partial[kWarps];
//
// becomes, on the same line,
//
//   static constinit const ::simt::SharedVariable simt_shared_partial{"partial",
//   sizeof(float[kWarps]),
//       alignof(float[kWarps]), {__FILE__, __LINE__}};
//   auto& partial = ::simt::shared_variable<float[kWarps]>(simt_shared_partial);
//
// The static makes the variable one per instance of a template. `extern __shared__ float tile[];`
// becomes
//
//   auto& tile = ::simt::dynamic_shared_variable<float[]>();

#include <algorithm>
#include <array>
#include <optional>

#include "common/simt/translate/brackets.h"
#include "common/simt/translate/translation.h"

namespace simt::translate {
namespace {

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.is(word); });
}

bool is_qualifier(const Token& token) {
  constexpr std::array<std::string_view, 5> kWords = {"const", "volatile", "__restrict__",
                                                      "__restrict", "__device__"};
  return is_one_of(token, kWords);
}

bool is_builtin_type(const Token& token) {
  constexpr std::array<std::string_view, 13> kWords = {
      "unsigned", "signed", "long", "short",    "int",      "char",   "float",
      "double",   "bool",   "void", "char16_t", "char32_t", "wchar_t"};
  return is_one_of(token, kWords);
}

bool is_type_prefix(const Token& token) {
  constexpr std::array<std::string_view, 4> kWords = {"typename", "struct", "class", "union"};
  return is_one_of(token, kWords);
}

bool is_alignment(const Token& token) {
  return token.is("alignas") || token.is("__align__");
}

/// One variable of a declaration.
struct Variable {
  std::string name;
  std::string type;  ///< a type-id, such as `float[kWarps]`
};

/// A `__shared__` declaration, taken apart.
class Declaration {
 public:
  /// `keyword` is the position of `__shared__`.
  Declaration(const Tokens& code, std::size_t keyword) : code_(code), keyword_(keyword) {
    find_ends();
    read_storage();
    read_type();
    read_variables();
  }

  const Token& first() const { return code_[begin_]; }
  const Token& last() const { return code_[end_]; }
  std::size_t end() const { return end_; }
  bool dynamic() const { return dynamic_; }
  const std::string& alignment() const { return alignment_; }
  const std::vector<Variable>& variables() const { return variables_; }
  /// Why the declaration cannot be translated; empty if it can.
  const std::string& refusal() const { return refusal_; }

 private:
  /// From the statement's first token to its `;`.
  void find_ends() {
    begin_ = keyword_;
    while (begin_ > 0 && precedes_shared(begin_ - 1))
      --begin_;
    end_ = keyword_;
    while (end_ + 1 < code_.size() && !code_[end_].is(";"))
      end_ = after_brackets(end_);
  }

  bool precedes_shared(std::size_t at) const {
    if (code_[at].is(")")) {
      const auto open = opening_bracket(code_, at);
      return open && *open > 0 && is_alignment(code_[*open - 1]);
    }
    if (code_[at].is("]") || code_[at].is("[")) return true;  // attributes
    if (inside_alignment(at)) return true;
    return code_[at].is("static") || code_[at].is("extern") || is_alignment(code_[at]) ||
           is_qualifier(code_[at]) || code_[at].is("maybe_unused");
  }

  bool inside_alignment(std::size_t at) const {
    for (std::size_t i = at + 1; i-- > 0;) {
      if (is_alignment(code_[i])) {
        const auto close = closing_bracket(code_, i + 1);
        return close && *close >= at;
      }
      if (code_[i].is(";") || code_[i].is("{") || code_[i].is("}")) return false;
    }
    return false;
  }

  std::size_t after_brackets(std::size_t at) const {
    if (!opens_bracket(code_[at])) return at + 1;
    return std::min(closing_bracket(code_, at).value_or(code_.size() - 2), code_.size() - 2) + 1;
  }

  /// Sets aside what is not the type: storage, alignment, attributes.
  void read_storage() {
    for (std::size_t i = begin_; i < end_;) {
      if (is_alignment(code_[i]) && code_[i + 1].is("(")) {
        const std::size_t after = after_brackets(i + 1);
        alignment_ = spell(code_, i + 1, after);
        i = after;
      } else if (code_[i].is("[") && code_[i + 1].is("[")) {
        i = after_brackets(i);
      } else {
        if (code_[i].is("extern")) dynamic_ = true;
        const bool storage = code_[i].is("extern") || code_[i].is("static") ||
                             code_[i].is("__shared__") || code_[i].is("__device__");
        if (!storage) rest_.push_back(code_[i]);
        ++i;
      }
    }
  }

  void read_type() {
    bool complete = false;
    while (at_ < rest_.size()) {
      if (is_builtin_type(rest_[at_])) {
        complete = true;
        ++at_;
      } else if (is_qualifier(rest_[at_]) || is_type_prefix(rest_[at_])) {
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

  /// a::b<T>::c, or decltype(...)
  void skip_qualified_name() {
    while (at_ < rest_.size()) {
      if (rest_[at_].is("::")) ++at_;
      if (at_ < rest_.size() && rest_[at_].is("template")) ++at_;
      if (at_ < rest_.size()) ++at_;
      skip_arguments();
      if (at_ >= rest_.size() || !rest_[at_].is("::")) return;
    }
  }

  void skip_arguments() {
    if (at_ >= rest_.size()) return;
    std::optional<std::size_t> close;
    if (rest_[at_].is("<")) close = closing_angle(rest_, at_);
    if (rest_[at_].is("(") && rest_[at_ - 1].is("decltype")) close = closing_bracket(rest_, at_);
    if (close) at_ = *close + 1;
  }

  void read_variables() {
    while (at_ < rest_.size() && refusal_.empty()) {
      std::size_t end = at_;
      while (end < rest_.size() && !rest_[end].is(",")) {
        const auto close = opens_bracket(rest_[end]) ? closing_bracket(rest_, end) : end;
        end = close.value_or(rest_.size() - 1) + 1;
      }
      read_variable(at_, end);
      at_ = end + 1;
    }
    if (variables_.empty() && refusal_.empty()) refusal_ = "__shared__ without a variable's name";
  }

  /// The type-id is the declarator without its name.
  void read_variable(std::size_t begin, std::size_t end) {
    std::size_t name = begin;
    while (name < end && (!rest_[name].is_word() || is_qualifier(rest_[name])))
      ++name;
    if (name == end) {
      refusal_ = "__shared__ without a variable's name";
      return;
    }
    for (std::size_t i = name + 1; i < end; ++i) {
      if (rest_[i].is("=") || rest_[i].is("{")) {
        refusal_ = "the __shared__ variable '" + std::string(rest_[name].text) +
                   "' has an initializer, which CUDA does not allow";
        return;
      }
      if (rest_[i].is("[")) i = closing_bracket(rest_, i).value_or(end);
    }
    const std::string before = spell(rest_, begin, name);
    const std::string after = spell(rest_, name + 1, end);
    variables_.push_back({std::string(rest_[name].text), type_ + before + after});
  }

  const Tokens& code_;
  std::size_t keyword_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;  ///< the `;`
  Tokens rest_;          ///< the type and the declarators
  std::size_t at_ = 0;   ///< in rest_
  bool dynamic_ = false;
  std::string alignment_;  ///< with its parentheses; empty if none is given
  std::string type_;
  std::vector<Variable> variables_;
  std::string refusal_;
};

std::string static_variable(const Variable& variable, const std::string& alignment) {
  const std::string description = "simt_shared_" + variable.name;
  std::string text;
  std::string aligned_type = variable.type;
  if (!alignment.empty()) {  // alignas takes a type or a number, and a struct does too
    aligned_type = "simt_aligned_" + variable.name;
    text += "struct alignas" + alignment + " " + aligned_type + " { " +
            "std::remove_all_extents_t<" + variable.type + "> element; }; ";
  }
  text += "static constinit const ::simt::SharedVariable " + description + "{\"" + variable.name +
          "\", sizeof(" + variable.type + "), alignof(" + aligned_type +
          "), {__FILE__, __LINE__}}; ";
  text += "auto& " + variable.name + " = ::simt::shared_variable<" + variable.type + ">(" +
          description + ");";
  return text;
}

std::string dynamic_variable(const Variable& variable) {
  return "auto& " + variable.name + " = ::simt::dynamic_shared_variable<" + variable.type + ">();";
}

std::string replacement(const Declaration& declaration) {
  std::string text;
  for (const Variable& variable : declaration.variables()) {
    if (!text.empty()) text += ' ';
    text += declaration.dynamic() ? dynamic_variable(variable)
                                  : static_variable(variable, declaration.alignment());
  }
  const int lines = declaration.last().line - declaration.first().line;
  return text + std::string(static_cast<std::size_t>(lines), '\n');
}

std::string outside_function(const Declaration& declaration) {
  const std::string name =
      declaration.variables().empty() ? "" : " '" + declaration.variables().front().name + "'";
  return "the __shared__ variable" + name +
         " is declared outside a function; declare it in the function that uses it";
}

}  // namespace

Changes rewrite_shared_variables(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__shared__")) continue;
    const Declaration declaration(code, i);
    const int line = code[i].line;
    if (!code[i].in_function) {
      changes.refusals.push_back({line, outside_function(declaration)});
    } else if (!declaration.refusal().empty()) {
      changes.refusals.push_back({line, declaration.refusal()});
    } else {
      const std::size_t begin = declaration.first().offset;
      changes.edits.push_back({begin, declaration.last().end() - begin, replacement(declaration)});
    }
    i = declaration.end();
  }
  return changes;
}

}  // namespace simt::translate

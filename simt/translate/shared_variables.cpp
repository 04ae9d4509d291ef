// In a function body,
//
//   __shared__ float partial[kWarps];
//
// becomes, on the same line,
//
//   static constexpr ::simt::SharedVariable simt_shared_partial{"partial",
//   sizeof(float[kWarps]),
//       alignof(float[kWarps]), {__FILE__, __LINE__}};
//   __typeof__(float[kWarps])& partial =
//       ::simt::shared_variable<float[kWarps]>(simt_shared_partial);
//
// The static makes the variable one per instance of a template. With `auto&` a compiler would not
// know, in a class template, that a variable of that class has its members. A type that the
// declaration defines comes first, under a name of ours if it has none.
// `extern __shared__ float tile[];` becomes
//
//   auto& tile = ::simt::dynamic_shared_variable<float[]>();

#include <algorithm>
#include <map>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"
#include "simt/translate/variable_declaration.h"

namespace simt::translate {
namespace {

bool is_dynamic(const VariableDeclaration& declaration) {
  return declaration.has("extern");
}

/// Why the declaration cannot be translated; empty if it can.
std::string refusal_of(const VariableDeclaration& declaration) {
  if (!declaration.last().is(";")) return "__shared__ variable without its ';'";
  if (declaration.variables().empty() || declaration.lacks_name()) {
    return "__shared__ without a variable's name";
  }
  for (const DeclaredVariable& variable : declaration.variables()) {
    if (!variable.initialized) continue;
    return "the __shared__ variable '" + variable.name +
           "' has an initializer, which CUDA does not allow";
  }
  return "";
}

/// The description of a variable that is not dynamic.
std::string described_variable(const DeclaredVariable& variable, const std::string& alignment) {
  const std::string description = "simt_shared_" + variable.name;
  std::string text;
  std::string aligned_type = variable.type;
  if (!alignment.empty()) {  // alignas takes a type or a number, and a struct does too
    aligned_type = "simt_aligned_" + variable.name;
    text += "struct alignas" + alignment + " " + aligned_type + " { " +
            "std::remove_all_extents_t<" + variable.type + "> element; }; ";
  }
  text += "static constexpr ::simt::SharedVariable " + description + "{\"" + variable.name +
          "\", sizeof(" + variable.type + "), alignof(" + aligned_type +
          "), {__FILE__, __LINE__}}; ";
  return text;
}

std::string reference_to(const DeclaredVariable& variable) {
  return "__typeof__(" + variable.type + ")& " + variable.name + " = ::simt::shared_variable<" +
         variable.type + ">(simt_shared_" + variable.name + ");";
}

std::string dynamic_variable(const DeclaredVariable& variable) {
  return "auto& " + variable.name + " = ::simt::dynamic_shared_variable<" + variable.type + ">();";
}

std::string blank_lines(const Token& from, const Token& to) {
  return std::string(static_cast<std::size_t>(to.line - from.line), '\n');
}

/// Puts `text` where the declaration stands, behind the type that it defines.
void replace(const Tokens& code, const VariableDeclaration& declaration, const std::string& text,
             Changes& changes) {
  const Token& first = declaration.first();
  const Token& last = declaration.last();
  const auto& defined = declaration.defined_type();
  if (!defined) {
    changes.edits.push_back(
        {first.offset, last.end() - first.offset, text + blank_lines(first, last)});
    return;
  }
  const Token& key = code[defined->key];
  const Token& end = code[defined->end];
  changes.edits.push_back({first.offset, key.offset - first.offset, blank_lines(first, key)});
  if (!defined->named) changes.edits.push_back({key.end(), 0, " " + defined->name});
  changes.edits.push_back(
      {end.end(), last.end() - end.end(), "; " + text + blank_lines(end, last)});
}

std::string replacement(const VariableDeclaration& declaration) {
  std::string text;
  for (const DeclaredVariable& variable : declaration.variables()) {
    if (!text.empty()) text += ' ';
    text += is_dynamic(declaration)
                ? dynamic_variable(variable)
                : described_variable(variable, declaration.alignment()) + reference_to(variable);
  }
  return text;
}

/// Whether the function whose `{` is at `open` names the variable.
bool uses(const Tokens& code, std::size_t open, std::string_view name) {
  const std::size_t close = closing_bracket(code, open).value_or(code.size());
  for (std::size_t i = open; i < close; ++i) {
    const bool member = code[i - 1].is(".") || code[i - 1].is("->") || code[i - 1].is("::");
    if (code[i].is_word() && code[i].is(name) && !member) return true;
  }
  return false;
}

/// Whether that function has a parameter, or a `__shared__` variable of its own, of this name.
bool redeclares(const Tokens& code, std::size_t open, std::string_view name) {
  std::size_t parameters = open;
  while (parameters > 0 && !code[parameters].is(")") && !code[parameters].is(";"))
    --parameters;
  const std::size_t begin = opening_bracket(code, parameters).value_or(open);
  for (std::size_t i = begin; i < open; ++i) {
    if (code[i].is(name)) return true;
  }
  const std::size_t close = closing_bracket(code, open).value_or(code.size());
  for (std::size_t i = open; i < close; ++i) {
    if (!code[i].is("__shared__")) continue;
    const VariableDeclaration declaration(code, i);
    const auto& variables = declaration.variables();
    if (std::any_of(variables.begin(), variables.end(),
                    [&](const DeclaredVariable& variable) { return variable.name == name; })) {
      return true;
    }
  }
  return false;
}

/// A variable outside functions, and where it is declared: 0 in an included file.
struct Declared {
  OutsideVariable variable;
  std::size_t at;
};

/// Each device function that names such a variable begins with a reference to the one of that name
/// that was declared last.
void refer_to(const std::vector<Declared>& variables, const Tokens& code, Changes& changes) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].opens_function || !code[i].in_device_function) continue;
    std::map<std::string_view, std::string_view> references;
    for (const auto& [variable, at] : variables) {
      if (at <= i) references[variable.name] = variable.reference;
    }
    for (const auto& [name, reference] : references) {
      if (!uses(code, i, name) || redeclares(code, i, name)) continue;
      changes.edits.push_back({code[i].end(), 0, " " + std::string(reference)});
    }
  }
}

/// A variable outside functions: what describes it stays there.
void rewrite_outside_function(const Tokens& code, const VariableDeclaration& declaration,
                              Changes& changes, std::vector<Declared>& found) {
  std::string stays;
  for (const DeclaredVariable& variable : declaration.variables()) {
    if (!is_dynamic(declaration)) {
      stays += described_variable(variable, declaration.alignment());
    }
    const std::string reference =
        is_dynamic(declaration) ? dynamic_variable(variable) : reference_to(variable);
    found.push_back({{variable.name, reference}, declaration.end()});
  }
  replace(code, declaration, stays, changes);
}

}  // namespace

Changes rewrite_shared_variables(const Tokens& code, OutsideVariables& outside) {
  Changes changes;
  std::vector<Declared> declared;
  for (const OutsideVariable& variable : outside)
    declared.push_back({variable, 0});
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__shared__")) continue;
    const VariableDeclaration declaration(code, i);
    const int line = code[i].line;
    if (const std::string refusal = refusal_of(declaration); !refusal.empty()) {
      changes.refusals.push_back({line, refusal});
    } else if (!code[i].in_function) {
      rewrite_outside_function(code, declaration, changes, declared);
    } else {
      replace(code, declaration, replacement(declaration), changes);
    }
    i = declaration.end();
  }
  refer_to(declared, code, changes);
  for (std::size_t i = outside.size(); i < declared.size(); ++i)
    outside.push_back(declared[i].variable);
  return changes;
}

Changes rewrite_shared_variables_of_macro(const Tokens& words) {
  Changes changes;
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].is("{")) ++depth;
    if (words[i].is("}")) --depth;
    if (depth == 0 || !words[i].is("__shared__")) continue;
    const VariableDeclaration declaration(words, i);
    const bool on_one_line = declaration.first().line == declaration.last().line;
    if (is_dynamic(declaration) && on_one_line && refusal_of(declaration).empty()) {
      replace(words, declaration, replacement(declaration), changes);
    }
    i = declaration.end();
  }
  return changes;
}

}  // namespace simt::translate

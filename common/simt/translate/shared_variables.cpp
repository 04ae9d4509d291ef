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

#include "common/simt/translate/brackets.h"
#include "common/simt/translate/translation.h"
#include "common/simt/translate/variable_declaration.h"

namespace simt::translate {
namespace {

bool is_dynamic(const VariableDeclaration& declaration) {
  return declaration.has("extern");
}

/// Why the declaration cannot be translated; empty if it can.
std::string refusal_of(const VariableDeclaration& declaration) {
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
  text += "static constinit const ::simt::SharedVariable " + description + "{\"" + variable.name +
          "\", sizeof(" + variable.type + "), alignof(" + aligned_type +
          "), {__FILE__, __LINE__}}; ";
  return text;
}

std::string reference_to(const DeclaredVariable& variable) {
  return "auto& " + variable.name + " = ::simt::shared_variable<" + variable.type +
         ">(simt_shared_" + variable.name + ");";
}

std::string dynamic_variable(const DeclaredVariable& variable) {
  return "auto& " + variable.name + " = ::simt::dynamic_shared_variable<" + variable.type + ">();";
}

std::string blank_lines(const VariableDeclaration& declaration) {
  const int lines = declaration.last().line - declaration.first().line;
  return std::string(static_cast<std::size_t>(lines), '\n');
}

std::string replacement(const VariableDeclaration& declaration) {
  std::string text;
  for (const DeclaredVariable& variable : declaration.variables()) {
    if (!text.empty()) text += ' ';
    text += is_dynamic(declaration)
                ? dynamic_variable(variable)
                : described_variable(variable, declaration.alignment()) + reference_to(variable);
  }
  return text + blank_lines(declaration);
}

/// Whether the function whose `{` is at `open` names the variable.
bool uses(const Tokens& code, std::size_t open, const std::string& name) {
  const std::size_t close = closing_bracket(code, open).value_or(code.size());
  for (std::size_t i = open; i < close; ++i) {
    const bool member = code[i - 1].is(".") || code[i - 1].is("->") || code[i - 1].is("::");
    if (code[i].is_word() && code[i].is(name) && !member) return true;
  }
  return false;
}

/// A variable outside functions: what describes it stays there, and each device function behind it
/// that names it begins with a reference.
void rewrite_outside_function(const Tokens& code, const VariableDeclaration& declaration,
                              Changes& changes) {
  std::string stays;
  for (const DeclaredVariable& variable : declaration.variables()) {
    if (!is_dynamic(declaration)) {
      stays += described_variable(variable, declaration.alignment());
    }
    const std::string reference =
        is_dynamic(declaration) ? dynamic_variable(variable) : reference_to(variable);
    for (std::size_t i = declaration.end(); i < code.size(); ++i) {
      if (!code[i].opens_function || !code[i].in_device_function) continue;
      if (!uses(code, i, variable.name)) continue;
      changes.edits.push_back({code[i].end(), 0, " " + reference});
    }
  }
  const std::size_t begin = declaration.first().offset;
  changes.edits.push_back(
      {begin, declaration.last().end() - begin, stays + blank_lines(declaration)});
}

}  // namespace

Changes rewrite_shared_variables(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__shared__")) continue;
    const VariableDeclaration declaration(code, i);
    const int line = code[i].line;
    if (const std::string refusal = refusal_of(declaration); !refusal.empty()) {
      changes.refusals.push_back({line, refusal});
    } else if (!code[i].in_function) {
      rewrite_outside_function(code, declaration, changes);
    } else {
      const std::size_t begin = declaration.first().offset;
      changes.edits.push_back({begin, declaration.last().end() - begin, replacement(declaration)});
    }
    i = declaration.end();
  }
  return changes;
}

}  // namespace simt::translate

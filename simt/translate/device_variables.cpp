// Outside functions,
//
//   __constant__ float mask[kWidth], scale = 1.0f;
//
// is followed, on the same line, by
//
//   static const ::simt::AddedVariable simt_added_mask{"mask", mask,
//       ::simt::DeviceVariable::kConstant};
//   static const ::simt::AddedVariable simt_added_scale{"scale", scale,
//       ::simt::DeviceVariable::kConstant};
//
// by which the executor knows what the variables' addresses are. What may be no definition of
// variables is left alone: their traffic goes uncounted.

#include <algorithm>

#include "simt/translate/translation.h"
#include "simt/translate/variable_declaration.h"

namespace simt::translate {
namespace {

bool is_memory(const Token& token) {
  return token.is("__device__") || token.is("__managed__") || token.is("__constant__");
}

bool begins_statement(const Tokens& code, std::size_t at) {
  return at == 0 || code[at - 1].is(";") || code[at - 1].is("{") || code[at - 1].is("}");
}

bool defines_variables(const Tokens& code, const VariableDeclaration& declaration) {
  if (!begins_statement(code, declaration.begin()) || !declaration.last().is(";")) return false;
  for (const std::string_view word : {"extern", "__shared__", "__global__", "thread_local"}) {
    if (declaration.has(word)) return false;
  }
  const auto& variables = declaration.variables();
  return !variables.empty() && !declaration.lacks_name() &&
         std::all_of(variables.begin(), variables.end(),
                     [](const DeclaredVariable& variable) { return variable.understood; });
}

std::string memory_of(const VariableDeclaration& declaration) {
  if (declaration.has("__constant__")) return "kConstant";
  return declaration.has("__managed__") ? "kManaged" : "kDevice";
}

std::string added(const VariableDeclaration& declaration) {
  std::string text;
  for (const DeclaredVariable& variable : declaration.variables()) {
    text += " static const ::simt::AddedVariable simt_added_" + variable.name + "{\"" +
            variable.name + "\", " + variable.name +
            ", ::simt::DeviceVariable::" + memory_of(declaration) + "};";
  }
  return text;
}

}  // namespace

Changes add_device_variables(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_memory(code[i]) || code[i].in_function || code[i].in_class) continue;
    const VariableDeclaration declaration(code, i);
    if (!defines_variables(code, declaration)) continue;
    changes.edits.push_back({declaration.last().end(), 0, added(declaration)});
    i = declaration.end();
  }
  return changes;
}

}  // namespace simt::translate

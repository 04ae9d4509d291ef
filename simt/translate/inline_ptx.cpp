#include <algorithm>
#include <array>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

bool is_asm(const Token& token) {
  return token.is("asm") || token.is("__asm__") || token.is("__asm");
}

bool is_asm_qualifier(const Token& token) {
  return token.is("volatile") || token.is("__volatile__") || token.is("goto") || token.is("inline");
}

/// Whether some literal names a type as PTX does, and no assembler of a CPU.
bool looks_like_ptx(const Tokens& code, std::size_t open) {
  constexpr std::array<std::string_view, 10> kTypes = {".u16", ".u32", ".u64", ".s16", ".s32",
                                                       ".s64", ".b32", ".b64", ".f32", ".pred"};
  const std::size_t close = closing_bracket(code, open).value_or(code.size());
  return std::any_of(code.begin() + static_cast<std::ptrdiff_t>(open),
                     code.begin() + static_cast<std::ptrdiff_t>(close), [&](const Token& token) {
                       return token.kind == TokenKind::kLiteral &&
                              std::any_of(kTypes.begin(), kTypes.end(), [&](std::string_view type) {
                                return token.text.find(type) != std::string_view::npos;
                              });
                     });
}

}  // namespace

Changes refuse_inline_ptx(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_asm(code[i])) continue;
    std::size_t after = i + 1;
    while (after < code.size() && is_asm_qualifier(code[after]))
      ++after;
    if (after == code.size() || !code[after].is("(")) continue;
    if (!code[i].in_device_function && !looks_like_ptx(code, after)) continue;
    changes.refusals.push_back(
        {code[i].line,
         "inline PTX ('" + spell(code, i, after) +
             "') cannot run on a CPU; give a C++ alternative under #ifdef SIMT_EXECUTOR"});
  }
  return changes;
}

}  // namespace simt::translate

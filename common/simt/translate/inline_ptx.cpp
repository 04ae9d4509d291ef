#include "common/simt/translate/translation.h"

namespace simt::translate {
namespace {

bool is_asm(const Token& token) {
  return token.is("asm") || token.is("__asm__") || token.is("__asm");
}

bool is_asm_qualifier(const Token& token) {
  return token.is("volatile") || token.is("__volatile__") || token.is("goto") || token.is("inline");
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
    changes.refusals.push_back(
        {code[i].line,
         "inline PTX ('" + spell(code, i, after) +
             "') cannot run on a CPU; give a C++ alternative under #ifdef WORKLOG_SIMT"});
  }
  return changes;
}

}  // namespace simt::translate

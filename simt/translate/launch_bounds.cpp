// __global__ void __launch_bounds__(256) kernel(float* x) { ... }
//
// keeps its words, and its body begins with
//
// ::simt::check_launch_bounds(256);

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

/// The `{` of the function that is declared at `at`, or the end if it is only declared.
std::size_t body_of(const Tokens& code, std::size_t at) {
  while (at < code.size() && !code[at].opens_function) {
    if (code[at].is(";")) return code.size();
    ++at;
  }
  return at;
}

}  // namespace

Changes check_launch_bounds(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].is("__launch_bounds__") || !code[i + 1].is("(")) continue;
    const auto close = closing_bracket(code, i + 1);
    if (!close) continue;
    const std::size_t body = body_of(code, *close);
    if (body == code.size()) continue;
    changes.edits.push_back(
        {code[body].end(), 0,
         " ::simt::check_launch_bounds" + spell(code, i + 1, *close + 1) + ";"});
  }
  return changes;
}

}  // namespace simt::translate

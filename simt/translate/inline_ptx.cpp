#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "simt/translate/async_copy_ptx.h"
#include "simt/translate/brackets.h"
#include "simt/translate/matrix_ptx.h"
#include "simt/translate/memory_ptx.h"
#include "simt/translate/ptx_text.h"
#include "simt/translate/register_ptx.h"
#include "simt/translate/shared_address_ptx.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

bool is_asm(const Token& token) {
  return token.is("asm") || token.is("__asm__") || token.is("__asm");
}

bool is_asm_qualifier(const Token& token) {
  return token.is("volatile") || token.is("__volatile__") || token.is("goto") || token.is("inline");
}

/// Whether some literal names a type or a scope as PTX does, and no assembler of a CPU.
bool looks_like_ptx(const Tokens& code, std::size_t open) {
  constexpr std::array<std::string_view, 20> kTypes = {
      ".u16",   ".u32", ".u64",    ".s16",      ".s32",     ".s64",    ".b32",
      ".b64",   ".f32", ".pred",   ".sync",     ".shared",  ".global", "membar.",
      "fence.", "bar.", "griddep", "nanosleep", "barrier.", "cp.async"};
  const std::size_t close = closing_bracket(code, open).value_or(code.size());
  return std::any_of(code.begin() + static_cast<std::ptrdiff_t>(open),
                     code.begin() + static_cast<std::ptrdiff_t>(close), [&](const Token& token) {
                       return token.kind == TokenKind::kLiteral &&
                              std::any_of(kTypes.begin(), kTypes.end(), [&](std::string_view type) {
                                return token.text.find(type) != std::string_view::npos;
                              });
                     });
}

/// What cuda_standin/ptx.h has as a function: an output, and behind it so many inputs, all of one
/// kind.
struct Known {
  std::string_view opcode;
  std::size_t inputs;
  char kind = 'f';  ///< 'f' for floats, 'r' for integers of 32 bits
};
constexpr std::array<Known, 17> kKnown = {{{"ex2.approx.f32", 1},
                                           {"ex2.approx.ftz.f32", 1},
                                           {"lg2.approx.f32", 1},
                                           {"lg2.approx.ftz.f32", 1},
                                           {"rcp.approx.f32", 1},
                                           {"rcp.approx.ftz.f32", 1},
                                           {"sqrt.approx.f32", 1},
                                           {"sqrt.approx.ftz.f32", 1},
                                           {"rsqrt.approx.f32", 1},
                                           {"rsqrt.approx.ftz.f32", 1},
                                           {"tanh.approx.f32", 1},
                                           {"min.NaN.f32", 2},
                                           {"max.NaN.f32", 2},
                                           {"min.ftz.f32", 2},
                                           {"max.ftz.f32", 2},
                                           {"fma.rn.ftz.f32", 3},
                                           {"vabsdiff4.u32.u32.u32.add", 3, 'r'}}};

/// Instructions without operands that cuda_standin/ptx.h has as functions.
constexpr std::array<std::string_view, 10> kBarriers = {
    "barrier.cluster.arrive",         "barrier.cluster.arrive.aligned",
    "barrier.cluster.arrive.release", "barrier.cluster.arrive.release.aligned",
    "barrier.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed.aligned",
    "barrier.cluster.wait",           "barrier.cluster.wait.aligned",
    "barrier.cluster.wait.acquire",   "barrier.cluster.wait.acquire.aligned"};

/// The numbers in `%0, %1, %2`; nothing if it is anything else.
std::optional<std::vector<std::size_t>> numbers_in(std::string_view text) {
  std::vector<std::size_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto number = operand_number(text.substr(at, end - at));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    at = end + 1;
  }
  return numbers;
}

/// Whether it has one output, and inputs of that kind.
bool are_of_kind(const Operands& operands, char kind) {
  const std::string input = {'"', kind, '"'};
  const std::string output = {'"', '=', kind, '"'};
  return operands.outputs.size() == 1 && operands.outputs[0].constraint == output &&
         !operands.clobbers_memory &&
         std::all_of(operands.inputs.begin(), operands.inputs.end(),
                     [&](const Operand& each) { return each.constraint == input; });
}

/// The name that cuda_standin/ptx.h has for an instruction.
std::string function_of(std::string_view opcode) {
  std::string name = "::simt::ptx::" + std::string(opcode);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

/// Whether compilers must not move accesses of memory across it. A relaxed arrival orders none.
bool orders_memory(std::string_view barrier) {
  return barrier.find(".relaxed") == std::string_view::npos;
}

/// The call of a function that is an instruction: `opcode %0, %1, ...;`.
std::optional<std::string> call_of_known(std::string_view instruction, const Operands& operands) {
  const std::size_t space = std::min(instruction.find(' '), instruction.size());
  const std::string_view opcode = instruction.substr(0, space);
  const auto* const known = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& candidate) {
    return candidate.opcode == opcode;
  });
  if (known == kKnown.end() || !are_of_kind(operands, known->kind)) return std::nullopt;
  const auto numbers = numbers_in(instruction.substr(space));
  if (!numbers || numbers->size() != 1 + known->inputs) return std::nullopt;
  std::string call = function_of(opcode);
  std::string separator = "(";
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const std::size_t number = (*numbers)[i];
    if (number >= operands.count() || (i == 0) != (number == 0)) return std::nullopt;
    call += separator + operands.at(number).text;
    separator = ", ";
  }
  return call + ")";
}

/// The C++ that an `asm` with its `(` at `open` and its `)` at `close` is.
std::optional<std::string> as_call(const Tokens& code, std::size_t open, std::size_t close) {
  const Literals literals = literals_in(code, open + 1, close);
  const std::string_view instruction = instruction_in(literals.text);
  const auto operands = operands_in(code, literals.end, close);
  if (!operands) return std::nullopt;
  if (std::find(kBarriers.begin(), kBarriers.end(), instruction) != kBarriers.end()) {
    if (operands->count() != 0 || (orders_memory(instruction) && !operands->clobbers_memory))
      return std::nullopt;
    return function_of(instruction) + "()";
  }
  if (auto access = call_of_memory_access(instruction, *operands)) return access;
  if (auto assignment = assignment_of_register(instruction, *operands)) return assignment;
  if (auto address = assignment_of_shared_address(instruction, *operands)) return address;
  if (auto copy = call_of_async_copy(instruction, *operands)) return copy;
  if (auto matrix = call_of_matrix_instruction(instruction, *operands)) return matrix;
  return call_of_known(instruction, *operands);
}

constexpr char kWhyRefused[] =
    "cannot run on a CPU, but for single instructions that simt/docs/run.md names under \"What is "
    "refused\"; give a C++ alternative under #ifdef SIMT_EXECUTOR";

/// That, and of some instructions the reason.
std::string why_refused(const Tokens& code, std::size_t open, std::size_t close) {
  const Literals literals = literals_in(code, open + 1, close);
  const std::string_view reason = why_matrix_instruction_is_refused(instruction_in(literals.text));
  return kWhyRefused + (reason.empty() ? "" : " (" + std::string(reason) + ")");
}

/// So that what follows in the macro's body, or behind it, keeps its line.
std::string continued(const Tokens& words, std::size_t from, std::size_t to) {
  std::string lines;
  for (int line = words[from].line; line < words[to].line; ++line)
    lines += "\\\n";
  return lines;
}

/// What the compiler takes for an error at the line that uses the macro.
std::string error_where_used(std::string_view macro, const std::string& why) {
  const std::string message = "inline PTX in the macro '" + std::string(macro) + "' " + why;
  return "_Pragma(" + translate::quoted("GCC error " + translate::quoted(message)) + ")";
}

}  // namespace

Changes rewrite_inline_ptx_of_macro(const Tokens& words) {
  Changes changes;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!is_asm(words[i])) continue;
    std::size_t after = i + 1;
    while (after < words.size() && is_asm_qualifier(words[after]))
      ++after;
    if (after == words.size() || !words[after].is("(") || !looks_like_ptx(words, after)) continue;
    const auto close = closing_bracket(words, after);
    if (!close) continue;
    const std::string replacement =
        as_call(words, after, *close)
            .value_or(error_where_used(words[1].text, why_refused(words, after, *close)));
    changes.edits.push_back({words[i].offset, words[*close].end() - words[i].offset,
                             replacement + continued(words, i, *close)});
  }
  return changes;
}

Changes rewrite_inline_ptx(const Tokens& code) {
  Changes changes;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_asm(code[i])) continue;
    std::size_t after = i + 1;
    while (after < code.size() && is_asm_qualifier(code[after]))
      ++after;
    if (after == code.size() || !code[after].is("(")) continue;
    if (!code[i].in_device_function && !looks_like_ptx(code, after)) continue;
    const std::size_t close = closing_bracket(code, after).value_or(after);
    if (const auto call = as_call(code, after, close)) {
      const auto lines = static_cast<std::size_t>(code[close].line - code[i].line);
      changes.edits.push_back(
          {code[i].offset, code[close].end() - code[i].offset, *call + std::string(lines, '\n')});
      continue;
    }
    changes.refusals.push_back({code[i].line, "inline PTX ('" + spell(code, i, after) + "') " +
                                                  why_refused(code, after, close)});
  }
  return changes;
}

}  // namespace simt::translate

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "simt/translate/brackets.h"
#include "simt/translate/memory_ptx.h"
#include "simt/translate/ptx_text.h"
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
  constexpr std::array<std::string_view, 19> kTypes = {
      ".u16",   ".u32", ".u64",    ".s16",      ".s32",    ".s64",    ".b32",
      ".b64",   ".f32", ".pred",   ".sync",     ".shared", ".global", "membar.",
      "fence.", "bar.", "griddep", "nanosleep", "barrier."};
  const std::size_t close = closing_bracket(code, open).value_or(code.size());
  return std::any_of(code.begin() + static_cast<std::ptrdiff_t>(open),
                     code.begin() + static_cast<std::ptrdiff_t>(close), [&](const Token& token) {
                       return token.kind == TokenKind::kLiteral &&
                              std::any_of(kTypes.begin(), kTypes.end(), [&](std::string_view type) {
                                return token.text.find(type) != std::string_view::npos;
                              });
                     });
}

/// What cuda_standin/ptx.h has as a function: an output, and behind it so many inputs.
struct Known {
  std::string_view opcode;
  std::size_t inputs;
};
constexpr std::array<Known, 16> kKnown = {{{"ex2.approx.f32", 1},
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
                                           {"fma.rn.ftz.f32", 3}}};

/// Instructions without operands that cuda_standin/ptx.h has as functions.
constexpr std::array<std::string_view, 10> kBarriers = {
    "barrier.cluster.arrive",         "barrier.cluster.arrive.aligned",
    "barrier.cluster.arrive.release", "barrier.cluster.arrive.release.aligned",
    "barrier.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed.aligned",
    "barrier.cluster.wait",           "barrier.cluster.wait.aligned",
    "barrier.cluster.wait.acquire",   "barrier.cluster.wait.acquire.aligned"};

/// An `asm` of one instruction whose operands are all of the statement: `opcode %0, %1, ...;`.
struct Instruction {
  std::string opcode;
  std::vector<std::size_t>
      operands;  ///< numbers of the statement's own, in the instruction's order
};

/// Of a string literal's spelling; nothing if it is anything else than one known instruction.
std::optional<Instruction> known_instruction(std::string_view literal) {
  const std::string_view text = instruction_in(literal);
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  Instruction instruction{std::string(text.substr(0, space)), {}};
  const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& candidate) {
    return candidate.opcode == instruction.opcode;
  });
  if (known == kKnown.end()) return std::nullopt;
  for (std::size_t at = space; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto number = operand_number(text.substr(at, end - at));
    if (!number) return std::nullopt;
    instruction.operands.push_back(*number);
    at = end + 1;
  }
  if (instruction.operands.size() != 1 + known->inputs) return std::nullopt;
  return instruction;
}

/// What stands in the brackets of `: "=f"(y) : "f"(x), "f"(z)`, from `at` to `end`: one float that
/// is written, and behind it those that are read.
std::optional<std::vector<std::string>> spelled_operands(const Tokens& code, std::size_t at,
                                                         std::size_t end) {
  std::vector<std::string> operands;
  while (at < end) {
    const bool separated = code[at].is(operands.size() < 2 ? ":" : ",");
    const std::string_view constraint = operands.empty() ? "\"=f\"" : "\"f\"";
    if (!separated || at + 2 >= end || code[at + 1].kind != TokenKind::kLiteral ||
        code[at + 1].text != constraint || !code[at + 2].is("(")) {
      return std::nullopt;
    }
    const auto close = closing_bracket(code, at + 2);
    if (!close || *close >= end) return std::nullopt;
    operands.push_back(spell(code, at + 3, *close));
    at = *close + 1;
  }
  return operands;
}

/// The name that cuda_standin/ptx.h has for an instruction.
std::string function_of(std::string_view opcode) {
  std::string name = "::simt::ptx::" + std::string(opcode);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

/// Whether the tokens from `at` to `end` say that memory is overwritten, and nothing else:
/// `::: "memory"`.
bool clobbers_memory(const Tokens& code, std::size_t at, std::size_t end) {
  int colons = 0;
  for (; at < end && code[at].kind != TokenKind::kLiteral; ++at) {
    if (!code[at].is(":") && !code[at].is("::")) return false;
    colons += static_cast<int>(code[at].text.size());
  }
  return colons == 3 && at + 1 == end && code[at].text == "\"memory\"";
}

/// Whether compilers must not move accesses of memory across it. A relaxed arrival orders none.
bool orders_memory(std::string_view barrier) {
  return barrier.find(".relaxed") == std::string_view::npos;
}

/// The call of cuda_standin/ptx.h that an `asm` with its `(` at `open` and its `)` at `close` is.
std::optional<std::string> as_call(const Tokens& code, std::size_t open, std::size_t close) {
  if (open + 1 >= close || code[open + 1].kind != TokenKind::kLiteral) return std::nullopt;
  const std::string_view barrier = instruction_in(code[open + 1].text);
  if (std::find(kBarriers.begin(), kBarriers.end(), barrier) != kBarriers.end()) {
    const bool has_nothing_else = open + 2 == close && !orders_memory(barrier);
    if (!has_nothing_else && !clobbers_memory(code, open + 2, close)) return std::nullopt;
    return function_of(barrier) + "()";
  }
  if (auto access = call_of_memory_access(code, open, close)) return access;
  const auto instruction = known_instruction(code[open + 1].text);
  const auto operands = spelled_operands(code, open + 2, close);
  if (!instruction || !operands) return std::nullopt;
  std::string call = function_of(instruction->opcode);
  std::string separator = "(";
  for (std::size_t i = 0; i < instruction->operands.size(); ++i) {
    const std::size_t number = instruction->operands[i];
    if (number >= operands->size() || (i == 0) != (number == 0)) return std::nullopt;
    call += separator + (*operands)[number];
    separator = ", ";
  }
  return call + ")";
}

constexpr char kWhyRefused[] =
    "cannot run on a CPU, but for single instructions that the documentation "
    "names; give a C++ alternative under #ifdef SIMT_EXECUTOR";

/// So that what follows in the macro's body, or behind it, keeps its line.
std::string continued(const Tokens& words, std::size_t from, std::size_t to) {
  std::string lines;
  for (int line = words[from].line; line < words[to].line; ++line)
    lines += "\\\n";
  return lines;
}

/// What the compiler takes for an error at the line that uses the macro.
std::string error_where_used(std::string_view macro) {
  const std::string message = "inline PTX in the macro '" + std::string(macro) + "' " + kWhyRefused;
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
        as_call(words, after, *close).value_or(error_where_used(words[1].text));
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
    changes.refusals.push_back(
        {code[i].line, "inline PTX ('" + spell(code, i, after) + "') " + kWhyRefused});
  }
  return changes;
}

}  // namespace simt::translate

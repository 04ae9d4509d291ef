#include "simt/translate/memory_ptx.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "simt/translate/brackets.h"
#include "simt/translate/ptx_text.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

/// `"=r"(value)`
struct Operand {
  std::string_view constraint;
  std::string text;
};

/// What an `asm` has behind its instruction.
struct Operands {
  std::vector<Operand> outputs;
  std::vector<Operand> inputs;
};

/// `: "=r"(a) : "l"(b), "r"(c) : "memory"` from `at` to `end`; nothing if it is anything else.
std::optional<Operands> operands_in(const Tokens& code, std::size_t at, std::size_t end) {
  Operands operands;
  std::size_t colons = 0;
  while (at < end) {
    if (code[at].is(":") || code[at].is("::")) {
      colons += code[at++].text.size();
      continue;
    }
    if (code[at].is(",")) ++at;
    if (at >= end || code[at].kind != TokenKind::kLiteral) return std::nullopt;
    if (colons == 3 && at + 1 == end && code[at].text == "\"memory\"") return operands;
    if (colons != 1 && colons != 2) return std::nullopt;
    const auto close = at + 1 < end ? closing_bracket(code, at + 1) : std::nullopt;
    if (!close || *close >= end || !code[at + 1].is("(")) return std::nullopt;
    auto& section = colons == 1 ? operands.outputs : operands.inputs;
    section.push_back({code[at].text, spell(code, at + 2, *close)});
    at = *close + 1;
  }
  return operands;
}

/// The types of PTX, by their names: how many bytes they have, and which constraint an operand has.
struct Type {
  std::string_view name;
  int bytes;
  std::string_view constraint;  ///< of an input
};
constexpr std::array<Type, 8> kTypes = {{{"b32", 4, "\"r\""},
                                         {"u32", 4, "\"r\""},
                                         {"s32", 4, "\"r\""},
                                         {"f32", 4, "\"f\""},
                                         {"b64", 8, "\"l\""},
                                         {"u64", 8, "\"l\""},
                                         {"s64", 8, "\"l\""},
                                         {"f64", 8, "\"d\""}}};

std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', at), opcode.size());
    parts.push_back(opcode.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// `ld.acquire.gpu.global.u32`
struct Opcode {
  bool loads;
  std::string_view order;  ///< "relaxed", "acquire", "release" or "volatile"
  std::string_view scope;  ///< empty of a volatile one
  Type type;
};

std::optional<Opcode> opcode_in(std::string_view text) {
  const auto is_one_of = [](std::string_view word, auto... words) {
    return ((word == words) || ...);
  };
  const std::vector<std::string_view> parts = parts_of(text);
  std::size_t at = 0;
  const auto next = [&] { return at < parts.size() ? parts[at] : std::string_view(); };
  const bool loads = next() == "ld";
  if (!loads && next() != "st") return std::nullopt;
  ++at;
  const std::string_view order = next();
  if (!is_one_of(order, "relaxed", "volatile", loads ? "acquire" : "release")) return std::nullopt;
  ++at;
  const std::string_view scope = order == "volatile" ? "" : next();
  if (!is_one_of(scope, "", "cta", "cluster", "gpu", "sys")) return std::nullopt;
  if (order != "volatile") ++at;
  if (next() == "global") ++at;
  const auto* const type = std::find_if(kTypes.begin(), kTypes.end(),
                                        [&](const Type& each) { return each.name == next(); });
  if (type == kTypes.end() || at + 1 != parts.size()) return std::nullopt;
  return Opcode{loads, order, scope, *type};
}

/// Whether it is `[%N]`.
bool is_address(std::string_view text, std::size_t operand) {
  text = without_white_space(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  return operand_number(text.substr(1, text.size() - 2)) == operand;
}

}  // namespace

std::optional<std::string> call_of_memory_access(const Tokens& code, std::size_t open,
                                                 std::size_t close) {
  const std::string_view text = instruction_in(code[open + 1].text);
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::size_t comma = std::min(text.find(',', space), text.size());
  const auto opcode = opcode_in(text.substr(0, space));
  const auto operands = operands_in(code, open + 2, close);
  if (!opcode || !operands || comma == text.size()) return std::nullopt;
  const std::string_view first = text.substr(space, comma - space);
  const std::string_view second = text.substr(comma + 1);
  const std::string output = "\"=" + std::string(opcode->type.constraint.substr(1));

  const bool fits = opcode->loads ? operands->outputs.size() == 1 && operands->inputs.size() == 1 &&
                                        operands->outputs[0].constraint == output &&
                                        operand_number(first) == 0 && is_address(second, 1)
                                  : operands->outputs.empty() && operands->inputs.size() == 2 &&
                                        operands->inputs[1].constraint == opcode->type.constraint &&
                                        is_address(first, 0) && operand_number(second) == 1;
  if (!fits || operands->inputs[0].constraint != "\"l\"") return std::nullopt;
  const Operand& value = opcode->loads ? operands->outputs[0] : operands->inputs[1];
  std::string call = std::string("::simt::ptx::") + (opcode->loads ? "load_" : "store_") +
                     std::string(opcode->order) + "<" + std::to_string(opcode->type.bytes);
  if (opcode->order == "release") {
    const bool beyond_cluster = opcode->scope == "gpu" || opcode->scope == "sys";
    call += beyond_cluster ? ", true" : ", false";
  }
  return call + ">(" + operands->inputs[0].text + ", " + value.text + ")";
}

}  // namespace simt::translate

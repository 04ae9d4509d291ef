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
  bool clobbers_memory = false;  ///< whether it says so
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
    if (colons == 3 && at + 1 == end && code[at].text == "\"memory\"") {
      operands.clobbers_memory = true;
      return operands;
    }
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

/// `ld.acquire.gpu.global.u32`, or `ld.global.nc.L2::256B.v4.u32`
struct Opcode {
  bool loads;
  std::string_view order;  ///< "plain", "relaxed", "acquire", "release" or "volatile"
  std::string_view scope;  ///< empty of a plain or volatile one
  std::size_t values;      ///< 1, 2 or 4 side by side
  Type type;
};

bool is_one_of(std::string_view word, auto... words) {
  return ((word == words) || ...);
}

/// What a plain access may say besides: advice to the caches, which does not change its result.
bool is_advice(std::string_view word, bool loads) {
  if (is_one_of(word, "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                "L1::evict_last", "L1::no_allocate", "cg", "cs")) {
    return true;
  }
  return loads ? is_one_of(word, "nc", "ca", "lu", "cv", "L2::64B", "L2::128B", "L2::256B")
               : is_one_of(word, "wb", "wt");
}

std::optional<Opcode> opcode_in(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text);
  std::size_t at = 0;
  const auto next = [&] { return at < parts.size() ? parts[at] : std::string_view(); };
  const bool loads = next() == "ld";
  if (!loads && next() != "st") return std::nullopt;
  ++at;
  Opcode opcode = {loads, "plain", "", 1, {}};
  if (is_one_of(next(), "relaxed", "volatile", loads ? "acquire" : "release")) {
    opcode.order = parts[at++];
    if (opcode.order != "volatile") {
      opcode.scope = next();
      if (!is_one_of(opcode.scope, "cta", "cluster", "gpu", "sys")) return std::nullopt;
      ++at;
    }
  }
  const bool is_global = next() == "global";
  if (is_global) ++at;
  if (opcode.order == "plain") {
    while (is_advice(next(), loads)) {
      if (next() == "nc" && !is_global) return std::nullopt;  // PTX has it of global memory alone
      ++at;
    }
    if (is_one_of(next(), "v2", "v4")) opcode.values = parts[at++] == "v2" ? 2 : 4;
  }
  const auto* const type = std::find_if(kTypes.begin(), kTypes.end(),
                                        [&](const Type& each) { return each.name == next(); });
  constexpr std::size_t kMostBytes = 16;
  if (type == kTypes.end() || at + 1 != parts.size()) return std::nullopt;
  if (opcode.values * static_cast<std::size_t>(type->bytes) > kMostBytes) return std::nullopt;
  opcode.type = *type;
  return opcode;
}

/// Whether it is `[%N]`.
bool is_address(std::string_view text, std::size_t operand) {
  text = without_white_space(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  return operand_number(text.substr(1, text.size() - 2)) == operand;
}

/// Whether it names so many operands from number `first` on: `%1`, or `{%0, %1}`.
bool are_values(std::string_view text, std::size_t first, std::size_t count) {
  text = without_white_space(text);
  if (count > 1) {
    if (!text.starts_with('{') || !text.ends_with('}')) return false;
    text = text.substr(1, text.size() - 2);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t comma = i + 1 < count ? text.find(',') : text.size();
    if (comma == std::string_view::npos) return false;
    if (operand_number(without_white_space(text.substr(0, comma))) != first + i) return false;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

/// What an instruction has behind its opcode: an address, and values.
struct Parts {
  std::string_view address;
  std::string_view values;
};

/// Splits `%0, [%1]` or `[%0], {%1, %2}` at the comma beside its address.
std::optional<Parts> parts_in(std::string_view text, bool loads) {
  const std::size_t comma = loads ? text.rfind(',') : text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, comma);
  const std::string_view behind = text.substr(comma + 1);
  return loads ? Parts{behind, before} : Parts{before, behind};
}

/// Whether an `asm` has the operands that its instruction asks for.
bool fit(const Operands& operands, const Opcode& opcode, const Parts& parts) {
  const std::string constraint = opcode.loads
                                     ? "\"=" + std::string(opcode.type.constraint.substr(1))
                                     : std::string(opcode.type.constraint);
  const auto have_it = [&](auto begin, auto end) {
    return std::all_of(begin, end,
                       [&](const Operand& each) { return each.constraint == constraint; });
  };
  const auto& inputs = operands.inputs;
  if (inputs.empty() || inputs[0].constraint != "\"l\"") return false;
  if (opcode.loads) {
    return operands.outputs.size() == opcode.values && inputs.size() == 1 &&
           have_it(operands.outputs.begin(), operands.outputs.end()) &&
           are_values(parts.values, 0, opcode.values) && is_address(parts.address, opcode.values);
  }
  // Compilers may move accesses of memory across a store that does not say what it overwrites.
  if (opcode.order == "plain" && !operands.clobbers_memory) return false;
  return operands.outputs.empty() && inputs.size() == 1 + opcode.values &&
         have_it(inputs.begin() + 1, inputs.end()) && is_address(parts.address, 0) &&
         are_values(parts.values, 1, opcode.values);
}

}  // namespace

std::optional<std::string> call_of_memory_access(const Tokens& code, std::size_t open,
                                                 std::size_t close) {
  const std::string_view text = instruction_in(code[open + 1].text);
  const std::size_t space = std::min(text.find(' '), text.size());
  const auto opcode = opcode_in(text.substr(0, space));
  const auto operands = operands_in(code, open + 2, close);
  if (!opcode || !operands) return std::nullopt;
  const auto parts = parts_in(text.substr(space), opcode->loads);
  if (!parts || !fit(*operands, *opcode, *parts)) return std::nullopt;
  std::string call = std::string("::simt::ptx::") + (opcode->loads ? "load_" : "store_") +
                     std::string(opcode->order) + "<" + std::to_string(opcode->type.bytes);
  if (opcode->order == "release") {
    const bool beyond_cluster = opcode->scope == "gpu" || opcode->scope == "sys";
    call += beyond_cluster ? ", true" : ", false";
  }
  call += ">(" + operands->inputs[0].text;
  const auto& values = opcode->loads ? operands->outputs : operands->inputs;
  for (std::size_t i = opcode->loads ? 0 : 1; i < values.size(); ++i) {
    call += ", " + values[i].text;
  }
  return call + ")";
}

}  // namespace simt::translate

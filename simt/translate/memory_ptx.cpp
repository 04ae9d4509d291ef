#include "simt/translate/memory_ptx.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "simt/translate/ptx_text.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

/// The types of PTX, by their names: how many bytes they have, and which constraint an operand has.
struct Type {
  std::string_view name;
  int bytes;
  std::string_view constraint;  ///< of an input
};
constexpr std::array<Type, 14> kTypes = {{{"b8", 1, "\"h\""},
                                          {"u8", 1, "\"h\""},
                                          {"s8", 1, "\"h\""},
                                          {"b16", 2, "\"h\""},
                                          {"u16", 2, "\"h\""},
                                          {"s16", 2, "\"h\""},
                                          {"b32", 4, "\"r\""},
                                          {"u32", 4, "\"r\""},
                                          {"s32", 4, "\"r\""},
                                          {"f32", 4, "\"f\""},
                                          {"b64", 8, "\"l\""},
                                          {"u64", 8, "\"l\""},
                                          {"s64", 8, "\"l\""},
                                          {"f64", 8, "\"d\""}}};

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
  const std::vector<std::string_view> parts = parts_of_opcode(text);
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

/// Whether an operand of that constraint has room for it: registers may be wider than small types.
bool takes(const Type& type, std::string_view constraint) {
  return constraint == type.constraint || (type.bytes < 4 && constraint == "\"r\"");
}

/// Where an instruction's operands stand among those of its `asm`.
struct Numbers {
  std::size_t address;
  std::size_t first_value;  ///< the others follow it
};

/// Nothing if the `asm` has not the operands that its instruction asks for.
std::optional<Numbers> numbers_of(const Operands& operands, const Opcode& opcode,
                                  const Parts& parts) {
  if (operands.count() != opcode.values + 1) return std::nullopt;
  if (operands.outputs.size() != (opcode.loads ? opcode.values : 0)) return std::nullopt;
  // Compilers may move accesses of memory across a store that does not say what it overwrites.
  if (!opcode.loads && opcode.order == "plain" && !operands.clobbers_memory) return std::nullopt;
  const bool address_is_last = opcode.loads || is_address(parts.address, opcode.values);
  const Numbers numbers = {address_is_last ? opcode.values : 0,
                           address_is_last ? std::size_t{0} : 1};
  if (!is_address(parts.address, numbers.address) ||
      !are_values(parts.values, numbers.first_value, opcode.values) ||
      operands.at(numbers.address).constraint != "\"l\"") {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < opcode.values; ++i) {
    std::string constraint(operands.at(numbers.first_value + i).constraint);
    const bool is_output = constraint.starts_with("\"=");
    if (is_output) constraint.erase(1, 1);
    if (is_output != opcode.loads || !takes(opcode.type, constraint)) return std::nullopt;
  }
  return numbers;
}

/// The type of C++ that has as many bytes as a small one of PTX, and its sign.
std::string small_type(const Type& type) {
  const bool has_sign = type.name.starts_with('s');
  if (type.bytes == 1) return has_sign ? "signed char" : "unsigned char";
  return has_sign ? "short" : "unsigned short";
}

/// Of a call that lacks its last argument, a value of less than 4 bytes: a register is wider.
std::optional<std::string> with_small_value(const std::string& call, const Opcode& opcode,
                                            const Operands& operands, const Numbers& numbers) {
  if (opcode.values != 1) return std::nullopt;
  const std::string& value = operands.at(numbers.first_value).text;
  const std::string type = small_type(opcode.type);
  if (!opcode.loads) return call + ", static_cast<" + type + ">(" + value + "))";
  return "::simt::ptx::extended<" + type + ">(" + value + ", [&](auto& small) { " + call +
         ", small); })";
}

}  // namespace

std::optional<std::string> call_of_memory_access(std::string_view text, const Operands& operands) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const auto opcode = opcode_in(text.substr(0, space));
  if (!opcode) return std::nullopt;
  const auto parts = parts_in(text.substr(space), opcode->loads);
  if (!parts) return std::nullopt;
  const auto numbers = numbers_of(operands, *opcode, *parts);
  if (!numbers) return std::nullopt;
  std::string call = std::string("::simt::ptx::") + (opcode->loads ? "load_" : "store_") +
                     std::string(opcode->order) + "<" + std::to_string(opcode->type.bytes);
  if (opcode->order == "release") {
    const bool beyond_cluster = opcode->scope == "gpu" || opcode->scope == "sys";
    call += beyond_cluster ? ", true" : ", false";
  }
  call += ">(" + operands.at(numbers->address).text;
  if (opcode->type.bytes < 4) return with_small_value(call, *opcode, operands, *numbers);
  for (std::size_t i = 0; i < opcode->values; ++i)
    call += ", " + operands.at(numbers->first_value + i).text;
  return call + ")";
}

}  // namespace simt::translate

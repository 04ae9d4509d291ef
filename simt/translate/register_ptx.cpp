#include "simt/translate/register_ptx.h"

#include <algorithm>
#include <array>

namespace simt::translate {
namespace {

/// One that `mov` reads into a register of so many bits.
struct SpecialRegister {
  std::string_view name;
  int bits;
};
constexpr std::array<SpecialRegister, 21> kRegisters = {
    {{"laneid", 32},      {"lanemask_eq", 32}, {"lanemask_le", 32}, {"lanemask_lt", 32},
     {"lanemask_ge", 32}, {"lanemask_gt", 32}, {"tid.x", 32},       {"tid.y", 32},
     {"tid.z", 32},       {"ntid.x", 32},      {"ntid.y", 32},      {"ntid.z", 32},
     {"ctaid.x", 32},     {"ctaid.y", 32},     {"ctaid.z", 32},     {"nctaid.x", 32},
     {"nctaid.y", 32},    {"nctaid.z", 32},    {"clock", 32},       {"clock64", 64},
     {"globaltimer", 64}}};

/// The bits of `mov.u32` and its kind; 0 of another instruction.
int bits_of(std::string_view opcode) {
  for (const std::string_view type : {"b", "u", "s"}) {
    if (opcode == "mov." + std::string(type) + "32") return 32;
    if (opcode == "mov." + std::string(type) + "64") return 64;
  }
  return 0;
}

/// The name behind `%%`, or behind `%` where the compiler takes that for no operand.
std::string_view register_in(std::string_view text) {
  text = without_white_space(text);
  if (!text.starts_with('%')) return {};
  return text.substr(text.starts_with("%%") ? 2 : 1);
}

}  // namespace

std::optional<std::string> assignment_of_register(std::string_view instruction,
                                                  const Operands& operands) {
  const std::size_t space = std::min(instruction.find(' '), instruction.size());
  const std::size_t comma = std::min(instruction.find(',', space), instruction.size() - 1);
  const int bits = bits_of(instruction.substr(0, space));
  const std::string_view name = register_in(instruction.substr(comma + 1));
  const auto* const known = std::find_if(
      kRegisters.begin(), kRegisters.end(),
      [&](const SpecialRegister& each) { return each.name == name && each.bits == bits; });
  const std::string_view constraint = bits == 64 ? "\"=l\"" : "\"=r\"";
  const bool fits = known != kRegisters.end() && operands.outputs.size() == 1 &&
                    operands.inputs.empty() && operands.outputs[0].constraint == constraint &&
                    operand_number(instruction.substr(space, comma - space)) == 0;
  if (!fits) return std::nullopt;
  std::string function = "::simt::ptx::" + std::string(name);
  std::replace(function.begin(), function.end(), '.', '_');
  return "(" + operands.outputs[0].text + ") = " + function + "()";
}

}  // namespace simt::translate

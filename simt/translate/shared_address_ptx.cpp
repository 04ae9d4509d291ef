#include "simt/translate/shared_address_ptx.h"

#include <algorithm>

namespace simt::translate {
namespace {

/// Whether the text begins so; then that is taken away.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The block in braces, without white space.
bool is_known_block(std::string_view text) {
  if (!take(text, "{.reg.u64")) return false;
  const std::string name(text.substr(0, text.find(';')));
  return take(text, name + ";cvta.to.shared.u64" + name + ",%1;cvt.u32.u64%0," + name + ";}") &&
         !name.empty() && (text.empty() || text == ";");
}

}  // namespace

std::optional<std::string> assignment_of_shared_address(std::string_view text,
                                                        const Operands& operands) {
  std::string packed(text);
  packed.erase(std::remove_if(packed.begin(), packed.end(),
                              [](char each) { return each == ' ' || each == '\t'; }),
               packed.end());
  const bool is_block = is_known_block(packed);
  const bool is_instruction = packed == "cvta.to.shared.u64%0,%1";
  const std::string_view output = is_block ? "\"=r\"" : "\"=l\"";
  if ((!is_block && !is_instruction) || operands.outputs.size() != 1 ||
      operands.inputs.size() != 1 || operands.outputs[0].constraint != output ||
      operands.inputs[0].constraint != "\"l\"") {
    return std::nullopt;
  }
  return "(" + operands.outputs[0].text + ") = ::simt::ptx::shared_address(" +
         operands.inputs[0].text + ")";
}

}  // namespace simt::translate

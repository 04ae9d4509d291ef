/// \file
/// The text of an `asm`: its instruction, and the operands behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/translate/token.h"

namespace simt::translate {

/// Without blanks and tabs at both ends.
std::string_view without_white_space(std::string_view text);

/// The N of `%N`, of one digit or two.
std::optional<std::size_t> operand_number(std::string_view text);

/// Some literals that follow each other, which are one to a compiler.
struct Literals {
  std::string text;  ///< what they spell, between the quotes; "\n" and "\t" are spaces in it
  std::size_t end;   ///< the token behind them
};
/// Those from token `at` on, before token `end`. Empty if there is none, or another than "...".
Literals literals_in(const Tokens& code, std::size_t at, std::size_t end);

/// The one instruction that an `asm` has, without its semicolon.
std::string_view instruction_in(std::string_view text);

/// "ld", "global" and "u32" of `ld.global.u32`.
std::vector<std::string_view> parts_of_opcode(std::string_view opcode);

/// `"=r"(value)`
struct Operand {
  std::string_view constraint;  ///< with its quotes
  std::string text;             ///< in the parentheses
};

/// What an `asm` has behind its instruction.
struct Operands {
  std::vector<Operand> outputs;  ///< in their order
  std::vector<Operand> inputs;   ///< in theirs, whose numbers follow
  bool clobbers_memory = false;  ///< whether it says so

  /// Of both.
  std::size_t count() const { return outputs.size() + inputs.size(); }
  /// Number N of the statement; there is one.
  const Operand& at(std::size_t number) const {
    return number < outputs.size() ? outputs[number] : inputs[number - outputs.size()];
  }
};

/// `: "=r"(a) : "l"(b), "r"(c) : "memory"` from `at` to `end`; nothing if it is anything else.
std::optional<Operands> operands_in(const Tokens& code, std::size_t at, std::size_t end);

}  // namespace simt::translate

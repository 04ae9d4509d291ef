/// \file
/// The text of an `asm`'s instruction.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace simt::translate {

/// Without blanks and tabs at both ends.
std::string_view without_white_space(std::string_view text);

/// The N of `%N`, of one digit.
std::optional<std::size_t> operand_number(std::string_view text);

/// The one instruction that a string literal's spelling holds, without its semicolon.
std::string_view instruction_in(std::string_view literal);

}  // namespace simt::translate

/// \file
/// Which bracket closes which.
#pragma once

#include <cstddef>
#include <optional>

#include "simt/translate/token.h"

namespace simt::translate {

/// The position of the `)`, `]` or `}` that closes the bracket at `open`.
std::optional<std::size_t> closing_bracket(const Tokens& tokens, std::size_t open);

/// The position of the `(`, `[` or `{` that the bracket at `close` closes.
std::optional<std::size_t> opening_bracket(const Tokens& tokens, std::size_t close);

/// The position of the `>` that closes the template argument list that begins at `open`, which is a
/// `<`.
std::optional<std::size_t> closing_angle(const Tokens& tokens, std::size_t open);

/// The position of the `<` that begins the template argument list that ends at `close`, which is a
/// `>`.
std::optional<std::size_t> opening_angle(const Tokens& tokens, std::size_t close);

/// Whether it is `(`, `[` or `{`.
bool opens_bracket(const Token& token);
/// Whether it is `)`, `]` or `}`.
bool closes_bracket(const Token& token);

}  // namespace simt::translate

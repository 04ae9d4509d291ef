#include "simt/translate/brackets.h"

namespace simt::translate {

bool opens_bracket(const Token& token) {
  return token.is("(") || token.is("[") || token.is("{");
}

bool closes_bracket(const Token& token) {
  return token.is(")") || token.is("]") || token.is("}");
}

std::optional<std::size_t> closing_bracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (opens_bracket(tokens[i])) ++depth;
    if (closes_bracket(tokens[i]) && --depth == 0) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> opening_bracket(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (closes_bracket(tokens[i])) ++depth;
    if (opens_bracket(tokens[i]) && --depth == 0) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> closing_angle(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (opens_bracket(tokens[i])) {
      const auto close = closing_bracket(tokens, i);
      if (!close) return std::nullopt;
      i = *close;  // a comparison inside brackets is no angle
    } else if (closes_bracket(tokens[i]) || tokens[i].is(";")) {
      return std::nullopt;
    } else if (tokens[i].is("<")) {
      ++depth;
    } else if (tokens[i].is(">") && --depth == 0) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> opening_angle(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (closes_bracket(tokens[i])) {
      const auto open = opening_bracket(tokens, i);
      if (!open) return std::nullopt;
      i = *open;
    } else if (opens_bracket(tokens[i]) || tokens[i].is(";")) {
      return std::nullopt;
    } else if (tokens[i].is(">")) {
      ++depth;
    } else if (tokens[i].is("<") && --depth == 0) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace simt::translate

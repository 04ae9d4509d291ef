/// \file
/// CUDA source cut into tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simt::translate {

/// What a token is.
enum class TokenKind {
  kIdentifier,   ///< keywords included
  kNumber,       ///< as the preprocessor sees one
  kLiteral,      ///< a string or a character, raw and prefixed ones included
  kPunctuation,  ///< one character; but `::`, `->`, `<=`, `>=`, `==`, `!=`, which are not brackets,
                 ///< stay whole
  kDirective,    ///< a preprocessor line with its continuation lines
};

/// Who runs code: nvcc compiles it once for each.
enum class Side {
  kHost,    ///< the program itself
  kDevice,  ///< kernels and what they call
};

/// A word, a number, a literal, a sign or a directive.
struct Token {
  TokenKind kind;         ///< what it is
  std::string_view text;  ///< points into the source
  std::size_t offset;     ///< of the first character in the source
  int line;               ///< of the first character, from 1
  // Set by mark_functions():
  bool in_function = false;         ///< whether it stands in a function's body
  bool in_class = false;            ///< of which it is a member, and in no function
  bool in_device_function = false;  ///< of one that is __global__ or __device__
  bool opens_function = false;      ///< the `{` of the outermost body
  bool for_host = true;             ///< whether it is compiled as the host runs it
  bool for_device = false;          ///< whether it is compiled as the device runs it

  /// Behind its last character in the source.
  std::size_t end() const { return offset + text.size(); }
  /// Whether it is this word or sign, and not a literal that looks like one.
  bool is(std::string_view what) const { return text == what && kind != TokenKind::kLiteral; }
  /// Whether it is an identifier or a keyword.
  bool is_word() const { return kind == TokenKind::kIdentifier; }
};

using Tokens = std::vector<Token>;  ///< in the order of the source

/// All tokens of `source`. Comments and white space are left out. Never fails: a literal that is
/// not closed ends with its line.
Tokens tokenize(std::string_view source);

/// The tokens [begin, end) as text for people: one space where there was white space or a comment,
/// else none.
std::string spell(const Tokens& tokens, std::size_t begin, std::size_t end);

}  // namespace simt::translate

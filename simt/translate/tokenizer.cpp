#include <algorithm>
#include <array>
#include <cctype>

#include "simt/translate/token.h"

namespace simt::translate {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_literal_prefix(std::string_view word) {
  constexpr std::array<std::string_view, 9> kPrefixes = {"R",  "L",  "u",  "U",  "u8",
                                                         "LR", "uR", "UR", "u8R"};
  return std::find(kPrefixes.begin(), kPrefixes.end(), word) != kPrefixes.end();
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  Tokens run() {
    while (true) {
      skip_blanks_and_comments();
      if (at_ == source_.size()) return tokens_;
      begin_token();
      const TokenKind kind = read_token();
      const std::string_view text = source_.substr(token_begin_, at_ - token_begin_);
      tokens_.push_back({kind, text, token_begin_, token_line_});
      line_starts_ = false;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  bool done() const { return at_ >= source_.size(); }

  void advance(std::size_t count = 1) {
    for (; count > 0 && !done(); --count) {
      if (source_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  void begin_token() {
    token_begin_ = at_;
    token_line_ = line_;
  }

  void skip_blanks_and_comments() {
    while (!done()) {
      if (sees("//")) {
        skip_to_line_end();
      } else if (sees("/*")) {
        skip_block_comment();
      } else if (peek() == '\n') {
        advance();
        line_starts_ = true;
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0 || at_continuation()) {
        advance(at_continuation() ? 2 : 1);
      } else {
        return;
      }
    }
  }

  bool at_continuation() const { return sees("\\\n"); }

  /// Stops before the line feed, unless a backslash continues the line.
  void skip_to_line_end() {
    while (!done() && peek() != '\n')
      advance(at_continuation() ? 2 : 1);
  }

  void skip_block_comment() {
    advance(2);
    while (!done() && !sees("*/"))
      advance();
    advance(2);
  }

  TokenKind read_token() {
    const char c = peek();
    if (c == '#' && line_starts_) return read_directive();
    if (starts_word(c)) return read_word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (c == '"' || c == '\'') return read_literal();
    return read_punctuation();
  }

  TokenKind read_directive() {
    while (!done() && peek() != '\n' && !sees("//")) {
      if (sees("/*")) {
        skip_block_comment();
      } else if (peek() == '"' || peek() == '\'') {
        read_literal();
      } else {
        advance(at_continuation() ? 2 : 1);
      }
    }
    return TokenKind::kDirective;
  }

  TokenKind read_word() {
    while (continues_word(peek()))
      advance();
    const std::string_view word = source_.substr(token_begin_, at_ - token_begin_);
    const bool quoted = peek() == '"' || (peek() == '\'' && word.back() != 'R');
    if (!quoted || !is_literal_prefix(word)) return TokenKind::kIdentifier;
    return word.back() == 'R' ? read_raw_string() : read_literal();
  }

  /// A preprocessing number: digit separators, exponents with a sign, suffixes.
  TokenKind read_number() {
    while (true) {
      const bool exponent = std::string_view("eEpP").find(peek()) != std::string_view::npos;
      if (exponent && (peek(1) == '+' || peek(1) == '-')) {
        advance(2);
      } else if (continues_word(peek()) || peek() == '.') {
        advance();
      } else if (peek() == '\'' && continues_word(peek(1))) {
        advance(2);
      } else {
        return TokenKind::kNumber;
      }
    }
  }

  TokenKind read_literal() {
    const char quote = peek();
    advance();
    while (!done() && peek() != quote && peek() != '\n')
      advance(peek() == '\\' ? 2 : 1);
    if (peek() == quote) advance();
    return TokenKind::kLiteral;
  }

  /// R"delimiter( ... )delimiter"
  TokenKind read_raw_string() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return read_literal();
    const std::string closing = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t close = source_.find(closing, open);
    const std::size_t end =
        std::min(source_.size(), close) == source_.size() ? source_.size() : close + closing.size();
    advance(end - at_);
    return TokenKind::kLiteral;
  }

  TokenKind read_punctuation() {
    constexpr std::array<std::string_view, 6> kWhole = {"::", "->", "<=", ">=", "==", "!="};
    const bool pair = std::any_of(kWhole.begin(), kWhole.end(),
                                  [this](std::string_view text) { return sees(text); });
    advance(pair ? 2 : 1);
    return TokenKind::kPunctuation;
  }

  std::string_view source_;
  Tokens tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starts_ = true;  ///< only blanks and comments since the last line feed
  std::size_t token_begin_ = 0;
  int token_line_ = 1;
};

}  // namespace

Tokens tokenize(std::string_view source) {
  return Tokenizer(source).run();
}

std::string spell(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && tokens[i - 1].end() != tokens[i].offset) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace simt::translate

#include "simt/translate/conditions.h"

#include <cstdlib>
#include <string>

namespace simt::translate {
namespace {

/// A number that may not be known.
using Value = std::optional<long long>;

Value number(std::optional<bool> truth) {
  return truth ? Value(*truth ? 1 : 0) : std::nullopt;
}

/// C's grammar of constant expressions, without arithmetic: that is not known.
class Evaluator {
 public:
  Evaluator(const Tokens& words, std::size_t at, Side side) : words_(words), at_(at), side_(side) {}

  Value evaluate() {
    const Value value = disjunction();
    return at_ == words_.size() ? value : std::nullopt;
  }

 private:
  bool sees(std::string_view text) const { return at_ < words_.size() && words_[at_].is(text); }
  bool skip(std::string_view text) {
    if (!sees(text)) return false;
    ++at_;
    return true;
  }
  /// `&&` or `||`, of which each character is a token.
  bool skip_twice(std::string_view text) {
    if (!sees(text) || at_ + 1 == words_.size() || !words_[at_ + 1].is(text)) return false;
    at_ += 2;
    return true;
  }

  Value disjunction() {
    Value value = conjunction();
    while (skip_twice("|")) {
      const Value other = conjunction();
      if ((value && *value != 0) || (other && *other != 0)) {
        value = 1;
      } else {
        value = value && other ? Value(0) : std::nullopt;
      }
    }
    return value;
  }

  Value conjunction() {
    Value value = comparison();
    while (skip_twice("&")) {
      const Value other = comparison();
      if (value == 0 || other == 0) {
        value = 0;
      } else {
        value = value && other ? Value(1) : std::nullopt;
      }
    }
    return value;
  }

  Value comparison() {
    const Value left = operand();
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!skip(sign)) continue;
      const Value right = operand();
      return left && right ? number(compare(sign, *left, *right)) : std::nullopt;
    }
    return left;
  }

  static bool compare(std::string_view sign, long long left, long long right) {
    if (sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "<=") return left <= right;
    if (sign == ">=") return left >= right;
    return sign == "<" ? left < right : left > right;
  }

  Value operand() {
    if (++operands_ > kMostOperands) return give_up();
    if (skip("!")) {
      const Value value = operand();
      return value ? Value(*value == 0) : std::nullopt;
    }
    if (skip("(")) {
      const Value value = disjunction();
      return skip(")") ? value : give_up();
    }
    if (skip("defined")) return definition();
    if (at_ == words_.size()) return std::nullopt;
    const Token& word = words_[at_++];
    if (word.kind == TokenKind::kNumber) return literal(std::string(word.text));
    return word.is_word() ? value_of(word) : give_up();
  }

  Value definition() {
    const bool in_parentheses = skip("(");
    if (at_ == words_.size()) return std::nullopt;
    const Value value = number(is_defined(words_[at_++], side_));
    return !in_parentheses || skip(")") ? value : give_up();
  }

  static Value literal(const std::string& text) {
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 0);
    const std::string_view suffix = end;
    return suffix.find_first_not_of("uUlL") == std::string_view::npos ? Value(value) : std::nullopt;
  }

  Value value_of(const Token& name) const {
    const auto defined = is_defined(name, side_);
    if (!defined) return std::nullopt;
    if (!*defined) return 0;
    return name.is("__CUDA_ARCH__") ? kArchitecture : 1;
  }

  Value give_up() {
    at_ = words_.size();
    return std::nullopt;
  }

  static constexpr int kMostOperands = 1000;  // each may lie in another

  const Tokens& words_;
  std::size_t at_;
  Side side_;
  int operands_ = 0;
};

}  // namespace

std::optional<bool> is_defined(const Token& name, Side side) {
  if (name.is("SIMT_EXECUTOR")) return true;
  if (name.is("__CUDA_ARCH__")) return side == Side::kDevice;
  return std::nullopt;
}

std::optional<bool> condition_holds(const Tokens& words, std::size_t begin, Side side) {
  const Value value = Evaluator(words, begin, side).evaluate();
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

}  // namespace simt::translate

#include <optional>

#include "common/simt/translate/structure.h"

namespace simt::translate {
namespace {

std::optional<bool> is_defined(const Token& name) {
  if (name.is("WORKLOG_SIMT")) return true;
  if (name.is("__CUDA_ARCH__")) return false;
  return std::nullopt;
}

std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional<bool>(!*value) : std::nullopt;
}

/// Whether the condition words[begin..] holds, where that is known.
std::optional<bool> condition(const Tokens& words, std::size_t begin) {
  const std::size_t count = words.size() - begin;
  if (count == 1 && words[begin].is("0")) return false;
  if (count == 1 && words[begin].is("1")) return true;
  if (count == 4 && words[begin].is("defined") && words[begin + 1].is("(")) {
    return is_defined(words[begin + 2]);
  }
  if (count == 2 && words[begin].is("defined")) return is_defined(words[begin + 1]);
  if (count > 1 && words[begin].is("!")) return negated(condition(words, begin + 1));
  return std::nullopt;
}

/// A #if that is open.
struct Conditional {
  bool enclosing_live;
  bool live;                  ///< the present branch
  std::optional<bool> taken;  ///< whether an earlier branch was compiled, where that is known
};

class BranchTracker {
 public:
  bool live() const { return open_.empty() || open_.back().live; }

  void on_directive(const Token& directive) {
    const Tokens words = tokenize(directive.text.substr(1));
    if (words.empty()) return;
    if (words[0].is("if")) begin(condition(words, 1));
    if (words[0].is("ifdef") && words.size() > 1) begin(is_defined(words[1]));
    if (words[0].is("ifndef") && words.size() > 1) begin(negated(is_defined(words[1])));
    if (open_.empty()) return;
    if (words[0].is("elif")) next_branch(condition(words, 1));
    if (words[0].is("else")) next_branch(true);
    if (words[0].is("endif")) open_.pop_back();
  }

 private:
  void begin(std::optional<bool> holds) {
    open_.push_back({live(), live() && holds.value_or(true), holds});
  }

  void next_branch(std::optional<bool> holds) {
    Conditional& conditional = open_.back();
    const bool excluded = conditional.taken.value_or(false) || !holds.value_or(true);
    conditional.live = conditional.enclosing_live && !excluded;
    if (conditional.taken == false) conditional.taken = holds;
  }

  std::vector<Conditional> open_;
};

}  // namespace

Tokens without_dead_branches(const Tokens& tokens) {
  Tokens live;
  BranchTracker branches;
  for (const Token& token : tokens) {
    const bool was_live = branches.live();
    const bool directive = token.kind == TokenKind::kDirective;
    if (directive) branches.on_directive(token);
    if (was_live || (directive && branches.live())) live.push_back(token);
  }
  return live;
}

}  // namespace simt::translate

#include <optional>
#include <vector>

#include "simt/translate/conditions.h"
#include "simt/translate/structure.h"

namespace simt::translate {
namespace {

std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional<bool>(!*value) : std::nullopt;
}

/// A #if that is open.
struct Conditional {
  bool enclosing_live;
  bool live;                  ///< the present branch
  std::optional<bool> taken;  ///< whether an earlier branch was compiled, where that is known
};

/// Which branches are compiled for one side.
class BranchTracker {
 public:
  explicit BranchTracker(Side side) : side_(side) {}

  bool live() const { return open_.empty() || open_.back().live; }

  void on_directive(const Tokens& words) {
    if (words[0].is("if")) begin(condition_holds(words, 1, side_));
    if (words[0].is("ifdef") && words.size() > 1) begin(is_defined(words[1], side_));
    if (words[0].is("ifndef") && words.size() > 1) begin(negated(is_defined(words[1], side_)));
    if (open_.empty()) return;
    if (words[0].is("elif")) next_branch(condition_holds(words, 1, side_));
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
    if (conditional.taken == false || holds == true) conditional.taken = holds;
  }

  Side side_;
  std::vector<Conditional> open_;
};

/// Leaves out the tokens that `is_wanted`, which is given a token and whether its branch is live
/// for the host and for the device, does not want.
template <typename IsWanted>
Tokens filtered(const Tokens& tokens, IsWanted is_wanted) {
  Tokens wanted;
  BranchTracker host(Side::kHost);
  BranchTracker device(Side::kDevice);
  for (const Token& token : tokens) {
    bool is_live = is_wanted(token, host.live(), device.live());
    if (token.kind == TokenKind::kDirective) {
      const Tokens words = tokenize(token.text.substr(1));
      if (!words.empty()) {
        host.on_directive(words);
        device.on_directive(words);
      }
      is_live = is_live || is_wanted(token, host.live(), device.live());
    }
    if (is_live) wanted.push_back(token);
  }
  return wanted;
}

}  // namespace

Tokens without_dead_branches(const Tokens& tokens) {
  return filtered(tokens, [](const Token&, bool live_on_host, bool live_on_device) {
    return live_on_host || live_on_device;
  });
}

Tokens without_branches_of_other_side(const Tokens& tokens) {
  return filtered(tokens, [](const Token& token, bool live_on_host, bool live_on_device) {
    return (token.for_host && live_on_host) || (token.for_device && live_on_device);
  });
}

}  // namespace simt::translate

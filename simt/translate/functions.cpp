#include <algorithm>
#include <array>

#include "simt/translate/brackets.h"
#include "simt/translate/conditions.h"
#include "simt/translate/structure.h"

namespace simt::translate {
namespace {

enum class Scope { kNamespace, kClass, kFunction };

constexpr std::size_t kNone = ~std::size_t{0};

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.is(word); });
}

bool begins_class(const Token& token) {
  constexpr std::array<std::string_view, 4> kWords = {"class", "struct", "union", "enum"};
  return is_one_of(token, kWords);
}

bool is_function_qualifier(const Token& token) {
  constexpr std::array<std::string_view, 4> kWords = {"const", "noexcept", "override", "final"};
  return is_one_of(token, kWords);
}

bool is_alignment(const Token& token) {
  constexpr std::array<std::string_view, 3> kWords = {"alignas", "__align__", "__attribute__"};
  return is_one_of(token, kWords);
}

/// Whether the declaration ends like a function's: with a parameter list and perhaps qualifiers.
bool ends_with_parameters(const Tokens& declaration) {
  std::size_t end = declaration.size();
  while (end > 0 && is_function_qualifier(declaration[end - 1]))
    --end;
  if (end == 0 || !declaration[end - 1].is(")")) return false;
  const auto open = opening_bracket(declaration, end - 1);
  return open && (*open == 0 || !is_alignment(declaration[*open - 1]));
}

std::size_t skip_template_header(const Tokens& declaration) {
  std::size_t at = 0;
  while (at + 1 < declaration.size() && declaration[at].is("template") &&
         declaration[at + 1].is("<")) {
    const auto close = closing_angle(declaration, at + 1);
    if (!close) break;
    at = *close + 1;
  }
  return at;
}

/// What a `{` after these tokens opens, outside functions.
Scope scope_after(const Tokens& declaration) {
  const std::size_t begin = skip_template_header(declaration);
  for (std::size_t i = begin; i < declaration.size(); ++i) {
    if (declaration[i].is("namespace")) return Scope::kNamespace;
    const bool class_key = begins_class(declaration[i]);
    if (class_key && !ends_with_parameters(declaration)) return Scope::kClass;
  }
  const bool linkage = declaration.size() == begin + 2 && declaration[begin].is("extern") &&
                       declaration[begin + 1].kind == TokenKind::kLiteral;
  return linkage ? Scope::kNamespace : Scope::kFunction;
}

bool has(const Tokens& tokens, std::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return token.is(word); });
}

bool is_for_device(const Tokens& declaration) {
  return has(declaration, "__global__") || has(declaration, "__device__");
}

bool is_for_host(const Tokens& declaration) {
  return has(declaration, "__host__") || !is_for_device(declaration);
}

/// One of the branches of a #if: bodies that begin in one and end in another are no ranges.
struct Branch {
  std::size_t conditional;
  unsigned number;
  bool operator==(const Branch&) const = default;
};

/// Walks over all tokens, and knows where it is.
class ScopeTracker {
 public:
  explicit ScopeTracker(std::vector<SidedRange>& ranges) : ranges_(ranges) {}

  bool in_function() const { return !scopes_.empty() && scopes_.back().kind == Scope::kFunction; }
  bool in_class() const { return !scopes_.empty() && scopes_.back().kind == Scope::kClass; }
  bool in_device_function() const { return in_function() && scopes_.back().for_device; }
  /// The index of the innermost range; kNone outside functions.
  std::size_t range() const { return scopes_.empty() ? kNone : scopes_.back().range; }

  void on_token(const Token& token, std::size_t at) {
    if (token.is("{")) {
      open(at);
      declaration_.clear();
    } else if (token.is("}")) {
      if (!scopes_.empty()) close(at);
      declaration_.clear();
    } else if (token.is(";")) {
      declaration_.clear();
    } else {
      declaration_.push_back(token);
    }
  }

  /// The branches of a conditional are alternatives: each starts in the scope in which the first
  /// one did.
  void on_directive(const Tokens& words) {
    if (words[0].text.starts_with("if")) {
      at_conditionals_.push_back(scopes_);
      branches_.push_back({conditionals_++, 0});
    }
    if (at_conditionals_.empty()) return;
    if (words[0].text.starts_with("el")) {
      scopes_ = at_conditionals_.back();
      ++branches_.back().number;
    }
    if (words[0].is("endif")) {
      at_conditionals_.pop_back();
      branches_.pop_back();
    }
  }

 private:
  struct OpenScope {
    Scope kind;
    bool for_device;
    std::size_t range;             ///< that it is in
    bool begins_range;             ///< with its `{`
    std::vector<Branch> branches;  ///< in which that stands
  };

  void open(std::size_t at) {
    const bool inside = in_function();
    const Scope kind = inside ? Scope::kFunction : scope_after(declaration_);
    // In a function: a lambda, or a member of a local class.
    const bool begins = inside ? is_for_device(declaration_) : kind == Scope::kFunction;
    if (!begins) {
      scopes_.push_back({kind, in_device_function(), range(), false, {}});
      return;
    }
    const bool for_device = is_for_device(declaration_);
    scopes_.push_back({kind, for_device, ranges_.size(), true, branches_});
    ranges_.push_back({at + 1, kNone, is_for_host(declaration_), for_device, false, false, true});
  }

  void close(std::size_t at) {
    const OpenScope& scope = scopes_.back();
    if (scope.begins_range && scope.branches == branches_) ranges_[scope.range].end = at;
    scopes_.pop_back();
  }

  std::vector<SidedRange>& ranges_;
  std::vector<OpenScope> scopes_;
  std::vector<std::vector<OpenScope>> at_conditionals_;
  std::vector<Branch> branches_;
  std::size_t conditionals_ = 0;
  Tokens declaration_;  ///< since the last `;`, `{` or `}`
};

/// Conditionals outside functions, from #if to #endif, that come to something else on the other
/// side.
class ArchitectureConditionals {
 public:
  explicit ArchitectureConditionals(std::vector<SidedRange>& ranges) : ranges_(ranges) {}

  void on_directive(const Tokens& words, std::size_t at, bool in_function) {
    const bool begins = words[0].text.starts_with("if");
    if (begins) ++depth_;
    if (begin_ == kNone && begins && !in_function) {
      begin_ = at;
      begin_depth_ = depth_;
      differs_ = false;
    }
    if (begin_ != kNone && (begins || words[0].is("elif"))) differs_ |= differs(words);
    if (!words[0].is("endif") || depth_ == 0) return;
    if (begin_ != kNone && depth_ == begin_depth_) {
      if (differs_) ranges_.push_back({begin_, at + 1, false, true, true, true, false});
      begin_ = kNone;
    }
    --depth_;
  }

 private:
  static bool differs(const Tokens& words) {
    if (!has(words, "__CUDA_ARCH__")) return false;
    if (!words[0].is("if") && !words[0].is("elif")) return true;
    const auto on_host = condition_holds(words, 1, Side::kHost);
    const auto on_device = condition_holds(words, 1, Side::kDevice);
    return !on_host || !on_device || *on_host != *on_device;
  }

  std::vector<SidedRange>& ranges_;
  int depth_ = 0;
  std::size_t begin_ = kNone;
  int begin_depth_ = 0;
  bool differs_ = false;
};

void set_sides(Tokens& tokens, const SidedRange& range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    tokens[i].for_host = range.for_host;
    tokens[i].for_device = range.for_device;
  }
}

}  // namespace

std::vector<SidedRange> mark_functions(Tokens& tokens) {
  std::vector<SidedRange> ranges;
  std::vector<SidedRange> conditionals;
  ScopeTracker scopes(ranges);
  ArchitectureConditionals architecture(conditionals);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    const bool was_in_function = scopes.in_function();
    Tokens words;  // of a directive
    if (token.kind != TokenKind::kDirective) {
      scopes.on_token(token, i);
    } else if (words = tokenize(token.text.substr(1)); !words.empty()) {
      architecture.on_directive(words, i, was_in_function);
      scopes.on_directive(words);
    }
    token.in_function = scopes.in_function();
    token.in_class = scopes.in_class();
    token.in_device_function = scopes.in_device_function();
    token.opens_function = token.in_function && !was_in_function;
    if (!token.in_function) continue;
    SidedRange& range = ranges[scopes.range()];
    range.has_conditional |= !words.empty() && words[0].text.starts_with("if");
    range.asks_architecture |= token.is("__CUDA_ARCH__") || has(words, "__CUDA_ARCH__");
  }
  // Some macro may say that it is for the device as well.
  for (SidedRange& range : ranges)
    range.for_device |= range.asks_architecture;
  ranges.insert(ranges.end(), conditionals.begin(), conditionals.end());
  std::erase_if(ranges, [](const SidedRange& range) { return range.end == kNone; });
  std::sort(ranges.begin(), ranges.end(),
            [](const SidedRange& a, const SidedRange& b) { return a.begin < b.begin; });
  for (const SidedRange& range : ranges)
    set_sides(tokens, range);
  return ranges;
}

}  // namespace simt::translate

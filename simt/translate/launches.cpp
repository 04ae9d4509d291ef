// kernel<T><<<grid, block, bytes, stream>>>(arguments)
//
// becomes, without a character of the original moved to another line,
//
// ::simt::launcher("kernel<T>", [&](auto... arguments) { kernel<T>(arguments...); },
// [&](auto of) -> decltype(of(kernel<T>)) { return of(kernel<T>); }, grid, block, bytes, stream)
// (arguments)
//
// and of the arguments NULL becomes nullptr: copied as what it is, a number, it would be no pointer
// any more.
//
// The second function tells the kernel's address where that can be told, by which attributes that
// were set for it are found.

#include <algorithm>
#include <map>
#include <optional>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

/// Whether tokens[at, at + count) are all `text` and touch each other.
bool is_run(const Tokens& tokens, std::size_t at, std::size_t count, std::string_view text) {
  if (at + count > tokens.size()) return false;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!tokens[i].is(text) || tokens[i].offset != tokens[at].offset + (i - at)) return false;
  }
  return true;
}

std::size_t run_length(const Tokens& tokens, std::size_t at, std::string_view text) {
  std::size_t length = 0;
  while (is_run(tokens, at, length + 1, text))
    ++length;
  return length;
}

/// How the three brackets around a configuration are written.
enum class Brackets {
  kTogether,  ///< `<<<` and `>>>`
  kApart,     ///< `<< <` and `>> >`, as formatters for C++ leave them
};

/// Those of the launch whose first `<` is at `at`, if it is one.
std::optional<Brackets> begins_launch(const Tokens& tokens, std::size_t at) {
  if (at > 0 && is_run(tokens, at - 1, 2, "<")) return std::nullopt;
  const std::size_t length = run_length(tokens, at, "<");
  if (length == 3) return Brackets::kTogether;
  const bool apart =
      length == 2 && run_length(tokens, at + 2, "<") == 1 && tokens[at + 2].line == tokens[at].line;
  const bool names_operator = at > 0 && tokens[at - 1].is("operator");  // operator<< <T>
  return apart && !names_operator ? std::optional(Brackets::kApart) : std::nullopt;
}

/// How many `>` from `at` on may close a configuration.
std::size_t closing_length(const Tokens& tokens, std::size_t at, Brackets brackets) {
  const std::size_t length = run_length(tokens, at, ">");
  if (brackets == Brackets::kTogether) return length;
  return length + run_length(tokens, at + length, ">");
}

/// Where the `>>>` begins that closes the configuration whose first token is at `begin`.
///
/// A `<` in the configuration may be a bracket or a comparison, which only the compiler can tell.
/// Taken as a bracket, it may claim the `>>>` for itself, as f<g<h<int>>>(x) does; then the search
/// goes on, and if it finds no other, this was the one.
std::optional<std::size_t> find_configuration_end(const Tokens& tokens, std::size_t begin,
                                                  Brackets brackets) {
  std::optional<std::size_t> claimed;
  std::size_t open = 0;
  std::size_t i = begin;
  while (i < tokens.size() && !tokens[i].is(";") && !closes_bracket(tokens[i])) {
    if (opens_bracket(tokens[i])) {
      const auto close = closing_bracket(tokens, i);
      if (!close) return claimed;
      i = *close + 1;
    } else if (tokens[i].is("<")) {
      const std::size_t length = run_length(tokens, i, "<");
      if (length == 1 && tokens[i - 1].is_word()) ++open;  // `<<` shifts, `4 <` compares
      i += length;
    } else if (tokens[i].is(">")) {
      const std::size_t length = closing_length(tokens, i, brackets);
      const std::size_t after = i + length;
      if (length >= 3 && after < tokens.size() && tokens[after].is("(")) {
        if (open < length) return after - 3;
        claimed = after - 3;
      }
      open -= open < length ? open : length;
      i = after;
    } else {
      ++i;
    }
  }
  return claimed;
}

bool is_connector(const Token& token) {
  return token.is("::") || token.is(".") || token.is("->") || token.is("template");
}

/// The first token of the expression that names the kernel and ends before `end`: `a::b<T>`,
/// `table[i]`, `(*pointer)`, `object.kernel`.
std::optional<std::size_t> find_callee(const Tokens& tokens, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0) {
    std::optional<std::size_t> part = begin - 1;
    if (tokens[begin - 1].is(">")) {
      part = opening_angle(tokens, begin - 1);
    } else if (closes_bracket(tokens[begin - 1])) {
      part = opening_bracket(tokens, begin - 1);
    } else if (!tokens[begin - 1].is_word()) {
      return std::nullopt;
    }
    if (!part) return std::nullopt;
    const bool needs_name = tokens[begin - 1].is(">") || tokens[begin - 1].is("]");
    begin = *part;
    if (needs_name) continue;
    while (begin > 0 && is_connector(tokens[begin - 1]))
      --begin;
    const bool continues = begin < *part && begin > 0 &&
                           (tokens[begin - 1].is_word() || tokens[begin - 1].is(">") ||
                            closes_bracket(tokens[begin - 1]));
    const bool keyword_before = begin > 0 && tokens[begin].is("::") &&
                                (tokens[begin - 1].is("return") || tokens[begin - 1].is("else") ||
                                 tokens[begin - 1].is("do") || tokens[begin - 1].is(")"));
    if (!continues || keyword_before) return begin;
  }
  return std::nullopt;
}

/// The arguments of __cluster_dims__, with their parentheses, by the name of the kernel.
std::map<std::string_view, std::string> find_cluster_shapes(const Tokens& code) {
  std::map<std::string_view, std::string> shapes;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].is("__cluster_dims__") || !code[i + 1].is("(")) continue;
    const std::size_t close = closing_bracket(code, i + 1).value_or(i + 1);
    std::size_t name = close + 1;
    while (name + 1 < code.size() && !code[name + 1].is("(") && !code[name].is(";"))
      ++name;
    // Where the launch bounds stand between, what has the parenthesis is no name yet.
    if (name + 1 < code.size() && code[name].is("__launch_bounds__"))
      name = closing_bracket(code, name + 1).value_or(name) + 1;
    if (name < code.size()) shapes[code[name].text] = spell(code, i + 1, close + 1);
  }
  return shapes;
}

/// The name of the kernel in tokens[begin, end), without its namespace and template arguments.
std::string_view kernel_name(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::size_t last = end - 1;
  if (tokens[last].is(">")) last = opening_angle(tokens, last).value_or(begin + 1) - 1;
  return last >= begin ? tokens[last].text : std::string_view();
}

/// The arguments between the parenthesis at `open` and its other one that are NULL alone.
std::vector<Edit> null_pointers(const Tokens& code, std::size_t open) {
  std::vector<Edit> edits;
  const std::size_t close = closing_bracket(code, open).value_or(open);
  for (std::size_t i = open + 1; i < close; ++i) {
    const bool alone = (code[i - 1].is("(") || code[i - 1].is(",")) &&
                       (code[i + 1].is(",") || code[i + 1].is(")"));
    const bool of_the_launch = i == open + 1 || code[i - 1].is(",");
    if (code[i].is("NULL") && alone && of_the_launch)
      edits.push_back({code[i].offset, code[i].text.size(), "nullptr"});
    if (opens_bracket(code[i])) i = closing_bracket(code, i).value_or(close);
  }
  return edits;
}

}  // namespace

Changes rewrite_launches(const Tokens& code, const std::vector<std::string_view>& parameters) {
  Changes changes;
  const auto cluster_shapes = find_cluster_shapes(code);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto brackets = begins_launch(code, i);
    if (!brackets) continue;
    const auto callee = find_callee(code, i);
    const auto close = find_configuration_end(code, i + 3, *brackets);
    if (!callee || *callee == i) {
      changes.refusals.push_back({code[i].line, "launch without a kernel before '<<<'"});
    } else if (!close) {
      changes.refusals.push_back({code[i].line, "launch '<<<' without its '>>>('"});
    } else {
      const std::string spelled = spell(code, *callee, i);
      const bool passed =
          std::find(parameters.begin(), parameters.end(), spelled) != parameters.end();
      const std::string name = passed ? "#" + spelled : quoted(spelled);
      std::string call = "(arguments...); }, [&](auto of) -> decltype(of(";
      call.append(spelled).append(")) { return of(").append(spelled).append("); }, ");
      changes.edits.push_back(
          {code[*callee].offset, 0, "::simt::launcher(" + name + ", [&](auto... arguments) { "});
      changes.edits.push_back({code[i].offset, code[i + 2].end() - code[i].offset, call});
      const auto shape = cluster_shapes.find(kernel_name(code, *callee, i));
      const std::string clusters =
          shape == cluster_shapes.end() ? "" : ".in_clusters" + shape->second;
      changes.edits.push_back(
          {code[*close].offset, code[*close + 2].end() - code[*close].offset, ")" + clusters});
      for (Edit& edit : null_pointers(code, *close + 3))
        changes.edits.push_back(std::move(edit));
      i += 2;
    }
  }
  return changes;
}

}  // namespace simt::translate

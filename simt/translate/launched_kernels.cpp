// cudaLaunchKernelEx(&config, kernel<T>, arguments)
//
// becomes, on the same line,
//
// cudaLaunchKernelEx(&config, ::simt::named_kernel("kernel<T>", kernel<T>), arguments)
//
// A cast of the kernel to `void*` is dropped, because it would hide its parameters. So it is for
// the kernel of a graph's node, in a file that names cudaKernelNodeParams or cudaGraphNodeParams:
//
// parameters.func = (void*)kernel;

#include <algorithm>
#include <array>
#include <optional>

#include "simt/translate/brackets.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

/// A function that launches, and which of its arguments is the kernel.
struct LaunchFunction {
  std::string_view name;
  std::size_t kernel;
};
constexpr std::array kLaunchFunctions = {LaunchFunction{"cudaLaunchKernelEx", 1},
                                         LaunchFunction{"cudaLaunchKernel", 0},
                                         LaunchFunction{"cudaLaunchCooperativeKernel", 0}};

/// A range of tokens.
struct Range {
  std::size_t begin;
  std::size_t end;
};

std::optional<std::size_t> end_of_argument(const Tokens& code, std::size_t at, std::size_t close) {
  while (at < close && !code[at].is(",")) {
    std::optional<std::size_t> last = at;
    if (opens_bracket(code[at])) last = closing_bracket(code, at);
    if (code[at].is("<")) last = closing_angle(code, at);
    if (!last) return std::nullopt;
    at = *last + 1;
  }
  return at;
}

/// Argument number `index` of the call whose `(` is at `open`.
std::optional<Range> find_argument(const Tokens& code, std::size_t open, std::size_t index) {
  const auto close = closing_bracket(code, open);
  if (!close) return std::nullopt;
  std::size_t begin = open + 1;
  for (;; --index) {
    const auto end = end_of_argument(code, begin, *close);
    if (!end || *end == begin) return std::nullopt;
    if (index == 0) return Range{begin, *end};
    if (*end == *close) return std::nullopt;
    begin = *end + 1;
  }
}

/// Without `(void*)`, `(const void*)`, reinterpret_cast<void*>( ) and the like.
Range without_cast(const Tokens& code, Range range) {
  const auto names_void = [&](std::size_t open, std::size_t close) {
    bool found = false;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (!code[i].is("void") && !code[i].is("const") && !code[i].is("*")) return false;
      found = found || code[i].is("void");
    }
    return found;
  };
  if (code[range.begin].is("(")) {
    const auto close = closing_bracket(code, range.begin);
    if (close && *close + 1 < range.end && names_void(range.begin, *close)) {
      return {*close + 1, range.end};
    }
  }
  const bool named_cast =
      code[range.begin].is("reinterpret_cast") || code[range.begin].is("static_cast");
  if (named_cast && range.begin + 1 < range.end && code[range.begin + 1].is("<")) {
    const auto close = closing_angle(code, range.begin + 1);
    if (close && names_void(range.begin + 1, *close) && *close + 1 < range.end) {
      return {*close + 2, range.end - 1};
    }
  }
  return range;
}

/// The line feeds between two tokens, which no edit may drop.
std::string line_feeds(const Token& from, const Token& to) {
  return std::string(static_cast<std::size_t>(to.line - from.line), '\n');
}

void name_kernel(const Tokens& code, Range range, Changes& changes) {
  const Range kernel = without_cast(code, range);
  if (kernel.begin >= kernel.end) return;
  const Token& first = code[range.begin];
  const Token& last = code[range.end - 1];
  const std::size_t kernel_begin = code[kernel.begin].offset;
  const std::size_t kernel_end = code[kernel.end - 1].end();
  std::string name = spell(code, kernel.begin, kernel.end);
  if (name.starts_with('&')) name.erase(0, 1);
  changes.edits.push_back(
      {first.offset, kernel_begin - first.offset,
       "::simt::named_kernel(" + quoted(name) + ", " + line_feeds(first, code[kernel.begin])});
  changes.edits.push_back(
      {kernel_end, last.end() - kernel_end, line_feeds(code[kernel.end - 1], last) + ")"});
}

/// What lies between a `=` and the `;` behind it, if it is a kernel: with a cast, or a name alone.
void name_kernels_of_nodes(const Tokens& code, Changes& changes) {
  const bool has_nodes = std::any_of(code.begin(), code.end(), [](const Token& token) {
    return token.is("cudaKernelNodeParams") || token.is("cudaGraphNodeParams");
  });
  for (std::size_t i = 1; has_nodes && i + 2 < code.size(); ++i) {
    const bool is_member = code[i - 1].is(".") || code[i - 1].is("->");
    if (!code[i].in_function || !is_member || !code[i].is("func") || !code[i + 1].is("=")) continue;
    std::size_t end = i + 2;
    while (end < code.size() && !code[end].is(";"))
      ++end;
    const Range range{i + 2, end};
    const bool has_cast = without_cast(code, range).begin != range.begin;
    if (range.begin < end && has_cast) name_kernel(code, range, changes);
  }
}

}  // namespace

Changes name_launched_kernels(const Tokens& code) {
  Changes changes;
  name_kernels_of_nodes(code, changes);
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    for (const LaunchFunction& function : kLaunchFunctions) {
      if (!code[i].in_function || !code[i].is(function.name) || !code[i + 1].is("(")) continue;
      const auto argument = find_argument(code, i + 1, function.kernel);
      if (argument) name_kernel(code, *argument, changes);
    }
  }
  return changes;
}

}  // namespace simt::translate

#include "simt/translate/translation.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "simt/translate/structure.h"

namespace simt::translate {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(Changes& to, const Changes& from) {
  append(to.edits, from.edits);
  append(to.refusals, from.refusals);
}

Tokens without_directives(const Tokens& tokens) {
  Tokens code;
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(code),
               [](const Token& token) { return token.kind != TokenKind::kDirective; });
  return code;
}

/// Of `define NAME(a, b) ...`: a and b.
std::vector<std::string_view> macro_parameters(const Tokens& words) {
  std::vector<std::string_view> parameters;
  const bool has_parameters =
      words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
  for (std::size_t i = 3; has_parameters && i < words.size() && !words[i].is(")"); ++i) {
    if (words[i].is_word()) parameters.push_back(words[i].text);
  }
  return parameters;
}

/// Launches, dynamic shared memory and inline PTX in the bodies of macros.
Changes rewrite_macro_bodies(const Tokens& tokens) {
  Changes changes;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kDirective) continue;
    Tokens words = tokenize(token.text.substr(1));
    if (words.empty() || !words[0].is("define")) continue;
    for (Token& word : words) {
      word.offset += token.offset + 1;
      word.line += token.line - 1;
    }
    append(changes, rewrite_launches(words, macro_parameters(words)));
    append(changes, rewrite_shared_variables_of_macro(words));
    append(changes, rewrite_inline_ptx_of_macro(words));
  }
  return changes;
}

Changes all_changes(const Tokens& tokens, OutsideVariables& outside) {
  const Tokens code = without_directives(tokens);
  Changes changes = rewrite_launches(code);
  append(changes, name_launched_kernels(code));
  append(changes, rewrite_shared_variables(code, outside));
  append(changes, add_device_variables(code));
  append(changes, check_launch_bounds(code));
  append(changes, mark_additions_without_result(code));
  append(changes, mark_loops(code));
  append(changes, rewrite_inline_ptx(code));
  append(changes, rewrite_macro_bodies(tokens));
  return changes;
}

std::ptrdiff_t line_feeds(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// The first of what the rewriters do not expect: one construct inside another, such as a launch in
/// the declaration of a `__shared__` variable, or a literal over several lines in one.
std::optional<Refusal> find_misfit(std::string_view source, const std::vector<Edit>& edits,
                                   const std::vector<Region>& regions) {
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    const std::size_t end = edit.offset + edit.length;
    const int line = 1 + static_cast<int>(line_feeds(source.substr(0, edit.offset)));
    const bool cut = std::any_of(regions.begin(), regions.end(), [&](const Region& region) {
      return (edit.offset < region.begin && region.begin < end) ||
             (edit.offset < region.end && region.end < end);
    });
    if (edit.offset < at || cut) return Refusal{line, "one of CUDA's constructs inside another"};
    if (line_feeds(source.substr(edit.offset, edit.length)) != line_feeds(edit.replacement)) {
      return Refusal{line, "a literal over several lines in one of CUDA's constructs"};
    }
    at = end;
  }
  return std::nullopt;
}

/// A source with its edits and regions, both in their order.
class Editor {
 public:
  Editor(std::string_view source, const std::vector<Edit>& edits,
         const std::vector<Region>& regions)
      : source_(source), edits_(edits), regions_(regions) {}

  std::string all() const { return text(0, source_.size() + 1, 0); }

 private:
  /// What becomes of [begin, end), with the regions from number `region` on.
  std::string text(std::size_t begin, std::size_t end, std::size_t region) const {
    std::string text;
    std::size_t at = begin;
    for (; region < regions_.size() && regions_[region].begin < end; ++region) {
      const Region& next = regions_[region];
      if (next.begin < at) continue;  // inside the one before
      text += edited(at, next.begin) + next.opening + this->text(next.begin, next.end, region + 1);
      if (!next.between.empty()) {
        text += next.between + this->text(next.begin, next.end, region + 1);
      }
      text += next.closing;
      at = next.end;
    }
    return text + edited(at, end);
  }

  /// Without regions. An edit at `end` belongs to what follows.
  std::string edited(std::size_t begin, std::size_t end) const {
    std::string text;
    std::size_t at = begin;
    auto edit = std::lower_bound(edits_.begin(), edits_.end(), begin,
                                 [](const Edit& a, std::size_t to) { return a.offset < to; });
    for (; edit != edits_.end() && edit->offset < end; ++edit) {
      text += source_.substr(at, edit->offset - at);
      text += edit->replacement;
      at = edit->offset + edit->length;
    }
    return text + std::string(source_.substr(at, std::min(end, source_.size()) - at));
  }

  std::string_view source_;
  const std::vector<Edit>& edits_;
  const std::vector<Region>& regions_;
};

}  // namespace

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

std::string_view without_byte_order_mark(std::string_view source) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return source.starts_with(kMark) ? source.substr(kMark.size()) : source;
}

Translation translate(std::string_view source, const std::string& absolute_path,
                      OutsideVariables outside) {
  source = without_byte_order_mark(source);
  Tokens tokens = without_dead_branches(tokenize(source));
  const std::vector<SidedRange> ranges = mark_functions(tokens);
  Changes changes = all_changes(without_branches_of_other_side(tokens), outside);
  const std::vector<Region> regions = regions_of_sides(tokens, ranges, absolute_path);
  std::stable_sort(changes.edits.begin(), changes.edits.end(),
                   [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  const auto misfit = find_misfit(source, changes.edits, regions);
  if (misfit) changes.refusals.push_back(*misfit);
  std::stable_sort(changes.refusals.begin(), changes.refusals.end(),
                   [](const Refusal& a, const Refusal& b) { return a.line < b.line; });
  if (!changes.refusals.empty()) return {"", changes.refusals, {}, {}};
  const std::string text = Editor(source, changes.edits, regions).all();
  return {"#line 1 " + quoted(absolute_path) + "\n" + text,
          {},
          remarks_on_sides(tokens, ranges),
          std::move(outside)};
}

}  // namespace simt::translate

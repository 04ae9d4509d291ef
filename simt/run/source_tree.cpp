#include "simt/run/source_tree.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "simt/run/library_headers.h"
#include "simt/run/unavailable.h"
#include "simt/translate/files.h"
#include "simt/translate/structure.h"

namespace simt::run {
namespace {

namespace fs = std::filesystem;

std::optional<IncludeDirective> read_include(const translate::Token& directive) {
  const std::string_view text = directive.text;
  std::size_t at = text.find_first_not_of(" \t", 1);
  if (at == std::string_view::npos || !text.substr(at).starts_with("include")) return std::nullopt;
  at = text.find_first_of("<\"", at);
  if (at == std::string_view::npos) return std::nullopt;
  const char closing = text[at] == '<' ? '>' : '"';
  const std::size_t end = text.find(closing, at + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return IncludeDirective{std::string(text.substr(at + 1, end - at - 1)), closing == '"',
                          directive.line};
}

/// The directive's name, without the # and the space around it.
std::string_view name_of(const translate::Token& directive) {
  const std::string_view text = directive.text;
  const std::size_t begin = text.find_first_not_of(" \t", 1);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", begin) - begin);
}

/// By how much more conditions hold behind the directive than before it.
int conditions_added(const translate::Token& directive) {
  const std::string_view name = name_of(directive);
  if (name == "if" || name == "ifdef" || name == "ifndef") return 1;
  return name == "endif" ? -1 : 0;
}

std::string at(const fs::path& file, int line) {
  return file.string() + ":" + std::to_string(line);
}

/// The first of the folders that has the file.
std::optional<fs::path> folder_with(const std::string& name, const std::vector<fs::path>& folders) {
  const auto folder = std::find_if(folders.begin(), folders.end(), [&](const fs::path& from) {
    return fs::is_regular_file(from / name);
  });
  if (folder == folders.end()) return std::nullopt;
  return *folder;
}

bool is_text(const std::string& content) {
  return content.find('\0') == std::string::npos;
}

}  // namespace

bool is_host_source(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".c";
}

fs::path SourceTree::mirrored(const fs::path& folder) const {
  return root_ / fs::absolute(folder).lexically_normal().relative_path();
}

fs::path SourceTree::add(const fs::path& file) {
  fs::path copy = mirrored(file);
  if (!outside_.try_emplace(copy).second) return copy;
  const fs::path system_folder = system_folder_of(file);
  if (system_folder.empty()) {
    originals_.push_back(file);
  } else {
    system_copies_.insert(mirrored(system_folder));
    // It may have been included from beside it, where the compiler would not look for a stand-in.
    const fs::path standin = standins_ / fs::relative(file, system_folder);
    if (fs::exists(standin)) {
      write_if_changed(copy, "#include " + translate::quoted(standin.string()) + "\n");
      return copy;
    }
  }
  std::string source = read_file(file);
  if (!is_text(source)) throw std::runtime_error(file.string() + ": is not a text file");
  const fs::path absolute = fs::absolute(file).lexically_normal();
  if (!system_folder.empty()) source = for_host_compiler(std::move(source));
  std::string text = "#line 1 " + translate::quoted(absolute.string()) + "\n";
  text += translate::without_byte_order_mark(source);
  translate::OutsideVariables outside = add_included(file, source);
  if (!is_host_source(file)) {
    translate::Translation translation =
        translate::translate(source, absolute.string(), std::move(outside));
    for (const translate::Refusal& refusal : translation.refusals)
      refuse(file, refusal);
    for (const translate::Remark& remark : translation.remarks)
      if (system_folder.empty())
        remarks_.push_back(at(file, remark.line) + ": note: " + remark.message);
    text = std::move(translation.text);
    if (!system_folder.empty()) text = with_names_of_library(std::move(text));
    outside_[copy] = std::move(translation.outside);
  }
  // What a compiler finds there itself it takes without warnings.
  if (!system_folder.empty()) text.insert(0, "#pragma GCC system_header\n");
  write_if_changed(copy, text);
  return copy;
}

translate::OutsideVariables SourceTree::add_included(const fs::path& by, const std::string& text) {
  translate::OutsideVariables outside;
  int conditions = 0;  // around what follows
  for (const translate::Token& token :
       translate::without_dead_branches(translate::tokenize(text))) {
    if (token.kind != translate::TokenKind::kDirective) continue;
    conditions += conditions_added(token);
    const auto include = read_include(token);
    if (!include) continue;
    const std::optional<fs::path> folder = folder_of(*include, by.parent_path());
    if (folder) {
      if (folder == standins_ || include->name.starts_with("thrust/")) continue;
      const fs::path copy = add((*folder / include->name).lexically_normal());
      outside.insert(outside.end(), outside_[copy].begin(), outside_[copy].end());
      continue;
    }
    const std::string refusal = refusal_of_header(include->name);
    // Under a condition only the compiler knows whether it is needed, and says so if it is.
    if (!refusal.empty() && conditions == 0) refuse(by, {include->line, refusal});
  }
  return outside;
}

std::optional<fs::path> SourceTree::folder_of(const IncludeDirective& include,
                                              const fs::path& beside) const {
  // In the compiler's order.
  if (include.quoted && folder_with(include.name, {beside})) return beside;
  std::vector<fs::path> folders = include_folders_;
  if (is_of_library_that_runs(include.name)) {
    folders.insert(folders.end(), system_folders().begin(), system_folders().end());
    // Stand-ins for some of a library's headers need the others.
    if (!folder_with(include.name, folders)) return std::nullopt;
  }
  folders.insert(folders.begin(), standins_);
  return folder_with(include.name, folders);
}

void SourceTree::refuse(const fs::path& file, const translate::Refusal& refusal) {
  refusals_.push_back(at(file, refusal.line) + ": error: " + refusal.message);
}

}  // namespace simt::run

#include "simt/run/library_headers.h"

#include <algorithm>

#include "simt/translate/brackets.h"
#include "simt/translate/structure.h"
#include "simt/translate/token.h"

namespace simt::run {
namespace {

using translate::SidedRange;
using translate::Token;
using translate::TokenKind;
using translate::Tokens;

/// The first token of the declaration whose body begins there.
std::size_t begin_of_declaration(const Tokens& tokens, std::size_t body) {
  const auto ends_another = [&](const Token& token) {
    return token.is("}") || token.is("{") || token.is(";") || token.kind == TokenKind::kDirective;
  };
  std::size_t at = body - 1;  // the brace
  while (at > 0 && !ends_another(tokens[at - 1]))
    --at;
  return at;
}

bool is_in_ptx(const Tokens& tokens, const SidedRange& body) {
  return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(body.begin),
                     tokens.begin() + static_cast<std::ptrdiff_t>(body.end),
                     [](const Token& token) { return token.is("asm"); });
}

/// Line feeds stay, so that what follows keeps its lines.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(begin),
      text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
}

void blank_functions_in_ptx(std::string& source, Tokens& tokens) {
  for (const SidedRange& body : translate::mark_functions(tokens)) {
    if (!body.is_function || !is_in_ptx(tokens, body)) continue;
    const std::size_t begin = begin_of_declaration(tokens, body.begin);
    blank(source, tokens[begin].offset, tokens[body.end].end());
  }
}

/// Whether `typedef Name<...> Name` begins there.
bool defines_namesake(const Tokens& tokens, std::size_t at) {
  if (!tokens[at].is("typedef") || at + 2 >= tokens.size() || !tokens[at + 2].is("<")) return false;
  const auto close = translate::closing_angle(tokens, at + 2);
  return close && *close + 1 < tokens.size() && tokens[*close + 1].is(tokens[at + 1].text);
}

/// The kernel's name in `doit(name, ...)` or `doit(passes.name<Types>, ...)`.
std::string kernel_launched_at(const Tokens& tokens, std::size_t at) {
  if (!tokens[at].is("doit") || at + 1 >= tokens.size() || !tokens[at + 1].is("(")) return "";
  std::string name;
  for (std::size_t i = at + 2; i < tokens.size(); ++i) {
    if (tokens[i].is(",") || tokens[i].is("<") || tokens[i].is(")")) break;
    if (tokens[i].is_word()) name = tokens[i].text;
  }
  return name;
}

void add_names(std::string& source, const Tokens& tokens) {
  for (std::size_t at = tokens.size(); at-- > 0;) {  // from behind, where offsets still hold
    if (defines_namesake(tokens, at)) source.insert(tokens[at + 1].offset, "::cub::");
    const std::string kernel = kernel_launched_at(tokens, at);
    if (!kernel.empty()) source.insert(tokens[at + 1].end(), "\"cub::" + kernel + "\", ");
  }
}

}  // namespace

const std::vector<std::filesystem::path>& system_folders() {
  static const std::vector<std::filesystem::path> folders = {"/usr/local/include", "/usr/include"};
  return folders;
}

std::filesystem::path system_folder_of(const std::filesystem::path& file) {
  for (const std::filesystem::path& folder : system_folders()) {
    if (file.string().starts_with(folder.string() + "/")) return folder;
  }
  return {};
}

std::string for_host_compiler(std::string source) {
  const std::string original = source;  // which the tokens are parts of
  Tokens tokens = translate::tokenize(original);
  if (source.find("asm") != std::string::npos) blank_functions_in_ptx(source, tokens);
  add_names(source, tokens);
  return source;
}

std::string with_names_of_library(std::string translation) {
  constexpr std::string_view kLaunch = "::simt::launcher(\"";
  constexpr std::string_view kLibrary = "cub::";
  for (std::size_t at = translation.find(kLaunch); at != std::string::npos;
       at = translation.find(kLaunch, at + kLaunch.size()))
    translation.insert(at + kLaunch.size(), kLibrary);
  return translation;
}

}  // namespace simt::run

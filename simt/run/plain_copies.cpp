#include "simt/run/plain_copies.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace simt::run {
namespace {

using Names = std::unordered_set<std::string_view>;

bool is_of_symbol(char c) {
  return c == '_' || c == '.' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A line's first word, and what stands behind it: "\tcall\tf" or "\t.type\tf, @function".
struct Statement {
  std::string_view word;
  std::string_view operands;
};

Statement statement_of(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::size_t operands = std::min(line.find_first_not_of(" \t", end), line.size());
  return {line.substr(0, end), line.substr(operands)};
}

std::string_view first_symbol(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_symbol);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// What a line defines, empty for none: "f:".
std::string_view label_of(std::string_view line) {
  const std::string_view symbol = first_symbol(line);
  const bool is_label = !symbol.empty() && line.substr(symbol.size()) == ":";
  return is_label ? symbol : std::string_view();
}

/// The function that begins with a line ".type f, @function"; empty for none.
std::string_view function_of(const Statement& statement) {
  const bool is_one = statement.word == ".type" && statement.operands.ends_with("@function");
  return is_one ? first_symbol(statement.operands) : std::string_view();
}

/// Whether a line says in which section those after it lie.
bool is_section(std::string_view word) {
  return word == ".text" || word == ".data" || word == ".bss" || word == ".section";
}

/// Whether a line says who else knows a function.
bool is_binding(std::string_view word) {
  return word == ".globl" || word == ".weak" || word == ".hidden";
}

bool is_code(const Statement& section) {
  return section.word == ".text" ||
         (section.word == ".section" && section.operands.starts_with(".text"));
}

/// What runs once, and not in a kernel: `main`, and what initializes static objects.
bool is_startup(const Statement& section) {
  return section.operands.starts_with(".text.startup") ||
         section.operands.starts_with(".text.exit");
}

/// The group of sections of which a program keeps one, as a section's flags name it:
/// `"axG",@progbits,f,comdat`. Empty for none.
std::string_view group_of(const Statement& section) {
  constexpr std::string_view kEnd = ",comdat";
  std::string_view text = section.operands;
  if (!text.ends_with(kEnd)) return {};
  text.remove_suffix(kEnd.size());
  return text.substr(text.rfind(',') + 1);
}

std::string section(std::string_view name, std::string_view flags, std::string_view group) {
  std::string text = "\t.section\t" + std::string(name) + ",\"" + std::string(flags);
  if (group.empty()) return text + "\",@progbits\n";
  return text + "G\",@progbits," + std::string(group) + ",comdat\n";
}

/// What the compiler calls before each plain access and in each basic block.
bool is_hook(std::string_view symbol) {
  constexpr std::string_view kAccess = "__tsan_";
  if (symbol == "__sanitizer_cov_trace_pc") return true;
  if (!symbol.starts_with(kAccess)) return false;
  symbol.remove_prefix(kAccess.size());
  return symbol.starts_with("read") || symbol.starts_with("write") ||
         symbol.starts_with("unaligned_") || symbol.starts_with("vptr_");
}

/// The function that an instruction calls or jumps to: "call f", "jmp f@PLT", "call
/// *f@GOTPCREL(%rip)". Empty for another instruction, or an address that is not known.
std::string_view callee_of(const Statement& statement) {
  if (statement.word != "call" && !statement.word.starts_with('j')) return {};
  std::string_view target = statement.operands;
  if (target.starts_with('*')) target.remove_prefix(1);
  const std::string_view symbol = first_symbol(target);
  const std::string_view rest = target.substr(symbol.size());
  const bool direct =
      target.size() == statement.operands.size() && (rest.empty() || rest == "@PLT");
  return direct || rest == "@GOTPCREL(%rip)" ? symbol : std::string_view();
}

/// A function's lines, and what lies in the sections beside it: its table of jumps, say.
struct Function {
  std::string_view name;
  std::size_t begin;  ///< the first line of what precedes its line of `.type`
  std::size_t end;    ///< behind its line of `.size`, and those of its parts
  Statement section;  ///< in which it begins
  Statement last;     ///< in which it ends
};

class Copier {
 public:
  explicit Copier(const std::string& assembly) : lines_(lines_of(assembly)) {
    find_functions();
    find_names();
  }

  std::string copied() {
    std::size_t line = 0;
    for (const Function& function : functions_) {
      for (; line < function.end; ++line)
        add(lines_[line]);
      add_copy(function);
    }
    for (; line < lines_.size(); ++line)
      add(lines_[line]);
    return std::move(text_);
  }

 private:
  void find_functions() {
    Statement section = {".text", ""};
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Statement statement = statement_of(lines_[i]);
      if (is_section(statement.word)) section = statement;
      const std::string_view name = function_of(statement);
      if (name.empty() || !is_code(section)) continue;
      Function function = {name, begin_of_function(i), end_of_function(i), section, section};
      for (; i < function.end; ++i) {
        const Statement inside = statement_of(lines_[i]);
        if (is_section(inside.word)) section = function.last = inside;
      }
      --i;
      if (!is_startup(function.section)) functions_.push_back(function);
    }
  }

  /// Labels of its parts come before it.
  std::size_t begin_of_function(std::size_t line) const {
    while (line > 0) {
      const Statement before = statement_of(lines_[line - 1]);
      const bool precedes = !label_of(lines_[line - 1]).empty() || is_section(before.word) ||
                            is_binding(before.word) || before.word == ".p2align";
      if (!precedes) break;
      --line;
    }
    return line;
  }

  /// The parts of a function, such as those that rarely run, have sizes and sections of their own.
  std::size_t end_of_function(std::size_t line) const {
    std::size_t open = 0;
    for (; line < lines_.size(); ++line) {
      const Statement statement = statement_of(lines_[line]);
      if (!function_of(statement).empty()) ++open;
      if (statement.word == ".size" && --open == 0) return line + 1;
    }
    return line;
  }

  void find_names() {
    for (const std::string_view line : lines_) {
      const Statement statement = statement_of(line);
      if (statement.word == ".globl" || statement.word == ".weak")
        global_.insert(statement.operands);
    }
    for (const Function& function : functions_) {
      for (std::size_t i = function.begin; i < function.end; ++i) {
        const std::string_view name = function_of(statement_of(lines_[i]));
        if (!name.empty()) copies_[name] = name;
      }
    }
    for (const std::string_view line : lines_)
      find_second_name(statement_of(line));
  }

  /// ".set g,f" for constructors that are the same.
  void find_second_name(const Statement& statement) {
    if (statement.word != ".set") return;
    const std::string_view name = first_symbol(statement.operands);
    const auto copied = copies_.find(statement.operands.substr(name.size() + 1));
    if (copied != copies_.end()) copies_[name] = copied->second;
  }

  void add(std::string_view line) { text_.append(line) += '\n'; }

  void add_copy(const Function& function) {
    labels_ = labels_in(function);
    group_ = group_of(function.section);
    add_section(function.section);
    text_ += "\t.p2align 4\n";
    for (std::size_t i = function.begin; i < function.end; ++i)
      add_copied_line(lines_[i]);
    add_section(function.section);
    const std::string end = ".Lend_of_" + std::string(function.name) + ".plain";
    add(end + ":");
    add_entry(function.name, end);
    add_section(function.last);
  }

  void add_section(const Statement& section) {
    add("\t" + std::string(section.word) + "\t" + std::string(section.operands));
  }

  Names labels_in(const Function& function) const {
    Names labels;
    for (std::size_t i = function.begin; i < function.end; ++i)
      labels.insert(label_of(lines_[i]));
    labels.erase("");
    return labels;
  }

  void add_copied_line(std::string_view line) {
    const Statement statement = statement_of(line);
    // A copy has its own binding, and files of the source are named once.
    if (is_binding(statement.word) || statement.word == ".file") return;
    if (is_section(statement.word)) return add(line);
    const std::string_view callee = callee_of(statement);
    if (is_hook(callee) && statement.word == "call") return;
    if (is_hook(callee) && statement.word == "jmp") return add("\tret");  // a call at the very end
    const auto copy = copies_.find(callee);
    if (copy != copies_.end()) {
      return add("\t" + std::string(statement.word) + "\t" + std::string(copy->second) + ".plain");
    }
    if (const std::string_view name = function_of(statement); global_.contains(name)) {
      const std::string copied = std::string(name) + ".plain";
      text_ += "\t.weak\t" + copied + "\n\t.hidden\t" + copied + "\n";
    }
    const bool defines =
        statement.word == ".type" || statement.word == ".size" || copies_.contains(label_of(line));
    add_renamed(line, defines);
  }

  /// With the labels of the copy, and where it is defined its name.
  void add_renamed(std::string_view line, bool defines) {
    while (!line.empty()) {
      const std::string_view symbol = first_symbol(line);
      text_.append(symbol);
      if (labels_.contains(symbol) && (defines || !copies_.contains(symbol))) text_ += ".plain";
      line.remove_prefix(symbol.size());
      const auto next = std::find_if(line.begin(), line.end(), is_of_symbol);
      const auto between = static_cast<std::size_t>(next - line.begin());
      text_.append(line.substr(0, between));
      line.remove_prefix(between);
    }
    text_ += '\n';
  }

  /// Where the function lies, and where its copy begins and ends, each as seen from the place that
  /// says so: this needs nobody who writes addresses when the program starts.
  void add_entry(std::string_view name, const std::string& end) {
    const std::string of = std::string(name);
    text_ += section("simt_plain_copies", "a", group_) + "\t.balign 4\n";
    for (const std::string& place : {of, of + ".plain", end})
      text_ += "\t.long\t" + place + "-.\n";
  }

  std::vector<std::string_view> lines_;
  std::vector<Function> functions_;
  Names global_;
  std::unordered_map<std::string_view, std::string_view> copies_;  // of what, and whose copy it is
  Names labels_;            // that the function defines which is copied
  std::string_view group_;  // of that function
  std::string text_;
};

}  // namespace

std::string with_plain_copies(const std::string& assembly) {
  return Copier(assembly).copied();
}

}  // namespace simt::run

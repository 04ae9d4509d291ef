#include "simt/run/program.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iostream>
#include <regex>
#include <string_view>
#include <thread>

#include "simt/run/compiler_messages.h"
#include "simt/run/plain_copies.h"
#include "simt/run/process.h"
#include "simt/run/source_tree.h"
#include "simt/run/toolchain.h"
#include "simt/translate/files.h"

namespace simt::run {
namespace {

namespace fs = std::filesystem;

/// FNV-1a: short names for long ones.
std::string hash(const std::string& text) {
  std::uint64_t value = 14695981039346656037u;
  for (const char c : text)
    value = (value ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:x}", value);
}

std::string joined(const Command& command) {
  std::string text;
  for (const std::string& word : command)
    text += word + "\n";
  return text;
}

/// The files that a compiler named in its dependency file: "object: file file \\\n file".
std::vector<fs::path> read_dependencies(const fs::path& file) {
  std::vector<fs::path> paths;
  std::string path;
  const std::string text = read_file(file);
  const auto end_path = [&] {
    if (!path.empty()) paths.emplace_back(path);
    path.clear();
  };
  for (std::size_t i = text.find(": ") + 1; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\' && (next == ' ' || next == '#' || next == '\n')) {
      ++i;
      if (next == '\n') {
        end_path();
      } else {
        path += next;
      }
    } else if (text[i] == ' ' || text[i] == '\n') {
      end_path();
    } else {
      path += text[i];
    }
  }
  end_path();
  return paths;
}

/// Something that a command makes of files.
struct Product {
  fs::path path;
  Command command;  ///< its last word is where the command shall write
  std::vector<fs::path> made_of;

  fs::path command_file() const { return path.string() + ".command"; }
  fs::path partial() const { return command.back(); }

  bool is_fresh() const {
    std::error_code failure;
    const auto made = fs::last_write_time(path, failure);
    if (failure || !fs::exists(command_file())) return false;
    if (read_file(command_file()) != joined(lasting_words())) return false;
    return std::all_of(made_of.begin(), made_of.end(), [&](const fs::path& source) {
      const auto changed = fs::last_write_time(source, failure);
      return !failure && changed <= made;
    });
  }

  void keep() const {
    fs::rename(partial(), path);
    write_file(command_file(), joined(lasting_words()));
  }

 private:
  Command lasting_words() const { return {command.begin(), command.end() - 1}; }
};

/// The rest is C++.
bool is_c_source(const fs::path& source) {
  return source.extension() == ".c";
}

/// C that is as old as CUDA may call functions that it does not declare. Whoever includes CUDA's
/// headers means to have them declared.
std::string flag_for_undeclared(const fs::path& source) {
  static const std::regex cuda("#\\s*include\\s*[<\"]cuda");
  const bool declares = std::regex_search(read_file(source), cuda);
  return declares ? "-Werror=implicit-function-declaration"
                  : "-Wno-error=implicit-function-declaration";
}

/// A compiler would have hundreds of lines to say about a file that is no program.
void refuse_other_files(const fs::path& source) {
  if (!fs::is_regular_file(source)) return;  // which the reader has an error for
  if (source.extension() == ".cu" || is_host_source(source)) return;
  throw std::runtime_error(source.string() +
                           ": is neither CUDA (.cu) nor C++ (.cpp, .cc, .cxx, .c)");
}

/// A compiler is given absolute paths; whoever reads its messages shall find the names that were
/// typed, and those of headers beside these.
std::string with_names_as_typed(std::string said, const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    const std::string absolute = fs::absolute(file).lexically_normal().string();
    const std::string typed = file.string();
    constexpr std::string_view kBefore = " \n'\"mK";  // with the ends of what colors text
    std::size_t at = absolute == typed ? std::string::npos : said.find(absolute);
    while (at != std::string::npos) {
      const bool is_whole = (at == 0 || kBefore.find(said[at - 1]) != std::string_view::npos) &&
                            said.compare(at + absolute.size(), 1, ":") == 0;
      if (is_whole) said.replace(at, absolute.size(), typed);
      at = said.find(absolute, at + (is_whole ? typed.size() : absolute.size()));
    }
  }
  return said;
}

/// What a compiler has to say, unless all is that the executor lacks what the program asks for.
void tell(const Outcome& outcome, const std::vector<fs::path>& files) {
  const std::string said = with_names_as_typed(outcome.said, files);
  if (!outcome.succeeded && lacks_only_main(said)) {
    std::cerr << "simt run: error: none of the files that were named has a function main\n";
    return;
  }
  const std::vector<std::string> missing =
      outcome.succeeded ? std::vector<std::string>{} : names_without_stand_in(said);
  if (missing.empty()) std::cerr << said;
  for (const std::string& message : missing)
    std::cerr << message << '\n';
}

/// Headers of another CUDA do not go together with the stand-ins.
std::vector<fs::path> without_other_cudas(std::vector<fs::path> folders) {
  std::erase_if(folders,
                [](const fs::path& folder) { return fs::exists(folder / "cuda_runtime.h"); });
  return folders;
}

class Builder {
 public:
  Builder(const Options& options, const Toolchain& toolchain, const fs::path& folder)
      : options_(options),
        folder_(folder),
        toolchain_(toolchain),
        include_folders_(without_other_cudas(options.include_folders)),
        tree_(folder / "translated", toolchain.standins, include_folders_) {}

  BuiltProgram build() {
    std::vector<fs::path> translated;
    translated.reserve(options_.sources.size());
    for (const fs::path& source : options_.sources) {
      refuse_other_files(source);
      translated.push_back(tree_.add(source));
    }
    for (const auto* messages : {&tree_.remarks(), &tree_.refusals()})
      for (const std::string& message : *messages)
        std::cerr << message << '\n';
    if (!tree_.refusals().empty()) return {};
    choose_program();
    std::vector<Product> compiled;
    compiled.reserve(translated.size());
    for (std::size_t i = 0; i < translated.size(); ++i)
      compiled.push_back(compiled_of(i, translated[i]));
    if (!make(compiled)) return {};
    std::vector<Product> objects;
    objects.reserve(compiled.size());
    for (const Product& product : compiled)
      objects.push_back(is_assembly(product) ? assembled_of(product) : product);
    if (!make(objects) || !make({program_of(objects)})) return {};
    return {program_, tree_.originals()};
  }

 private:
  /// One folder for each list of sources and options.
  void choose_program() {
    std::string key;
    for (const fs::path& source : options_.sources)
      key += fs::absolute(source).string() + '\n';
    for (const Command& words :
         {Command{toolchain_.compiler}, toolchain_.compile, toolchain_.link, flags()})
      for (const std::string& word : words)
        key += word + '\n';
    const std::string name = options_.sources.front().stem().string();
    program_ = folder_ / "programs" / (name + "-" + hash(key)) / name;
    fs::create_directories(program_.parent_path());
  }

  /// The stand-in headers are of C++17: what is older is compiled as that.
  std::string standard() const {
    const bool older = options_.standard == "c++11" || options_.standard == "c++14";
    return "-std=gnu" + (older ? "++17" : options_.standard.substr(1));
  }

  /// Whether a source asks for OpenMP, for which nvcc's users pass -Xcompiler -fopenmp.
  bool uses_openmp() const {
    return std::any_of(options_.sources.begin(), options_.sources.end(), [](const auto& source) {
      const std::string text = read_file(source);
      return text.find("#pragma omp") != std::string::npos ||
             text.find("<omp.h>") != std::string::npos;
    });
  }

  Command flags() const {
    Command flags = {standard()};
    if (uses_openmp()) flags.emplace_back("-fopenmp");
    for (const fs::path& include : include_folders_) {
      flags.push_back("-I" + tree_.mirrored(include).string());
      flags.push_back("-I" + fs::absolute(include).string());
    }
    for (const fs::path& folder : tree_.system_copies())
      flags.push_back("-I" + folder.string());
    for (const std::string& definition : options_.definitions)
      flags.push_back("-D" + definition);
    return flags;
  }

  /// Where the program's own macros are defined: behind the executor's headers, whose names they
  /// may hit. Those that the C library's headers ask for come first, by the command line.
  fs::path definitions_file() const {
    fs::path file = program_.string() + ".definitions.h";
    std::string text;
    for (const std::string& definition : options_.definitions) {
      if (!is_for_headers(definition)) text += "#define " + directive_of(definition) + "\n";
    }
    write_if_changed(file, text);
    return file;
  }

  static bool is_for_headers(const std::string& definition) {
    return definition.starts_with('_') || definition.substr(0, definition.find('=')) == "NDEBUG";
  }

  /// "NAME=VALUE" as behind #define; without a value it is 1, as compilers have it.
  static std::string directive_of(const std::string& definition) {
    const std::size_t sign = definition.find('=');
    if (sign == std::string::npos) return definition + " 1";
    return definition.substr(0, sign) + " " + definition.substr(sign + 1);
  }

  static bool is_assembly(const Product& product) { return product.path.extension() == ".s"; }

  /// A source as an object, or as assembly if it is to get plain copies of its functions.
  Product compiled_of(std::size_t number, const fs::path& translated) const {
    const fs::path& source = options_.sources[number];
    const bool copied = toolchain_.plain_copies && !is_host_source(source);
    const fs::path object =
        program_.string() + "." + std::to_string(number) + (copied ? ".s" : ".o");
    const fs::path dependencies = object.string() + ".d";
    Command command = {toolchain_.compiler};
    command.insert(command.end(), toolchain_.compile.begin(), toolchain_.compile.end());
    Command own = flags();
    if (!is_host_source(source)) {
      std::erase_if(own, [](const std::string& word) {
        return word.starts_with("-D") && !is_for_headers(word.substr(2));
      });
      // What nvcc does for such files, too.
      const std::string definitions = definitions_file().string();
      for (const char* word : {"-include", toolchain_.first_header.c_str(), "-include",
                               definitions.c_str(), "-D__CUDACC__=1", "-D__NVCC__=1"})
        own.emplace_back(word);
      if (!tree_.system_copies().empty()) {
        for (const char* word : {"-include", "simt/include/cuda_standin/cub.h"})
          own.emplace_back(word);
      }
    }
    command.insert(command.end(), own.begin(), own.end());
    const bool is_c = is_c_source(source);
    if (is_c) {
      std::erase_if(command, [](const auto& word) { return word.starts_with("-std="); });
      command.push_back(flag_for_undeclared(source));
    }
    for (const std::string& word :
         {std::string("-MD"), std::string("-MF"), dependencies.string(), std::string("-x"),
          std::string(is_c ? "c" : "c++"), std::string(copied ? "-S" : "-c"), translated.string(),
          std::string("-o"), partial_of(object).string()})
      command.push_back(word);
    std::vector<fs::path> made_of = {translated};
    if (fs::exists(dependencies)) made_of = read_dependencies(dependencies);
    // The compiler does not list what a precompiled header was made of.
    for (const char* ending : {".gch", ".pch"}) {
      const fs::path precompiled = toolchain_.first_header + ending;
      if (fs::exists(precompiled)) made_of.push_back(precompiled);
    }
    return {object, command, made_of};
  }

  Product assembled_of(const Product& assembly) const {
    const fs::path copies = fs::path(assembly.path).replace_extension(".plain.s");
    write_if_changed(copies, with_plain_copies(read_file(assembly.path)));
    const fs::path object = fs::path(assembly.path).replace_extension(".o");
    return {object,
            {toolchain_.compiler, "-c", copies.string(), "-o", partial_of(object).string()},
            {copies}};
  }

  Product program_of(const std::vector<Product>& objects) const {
    Product program{program_, {toolchain_.compiler}, {}};
    for (const Product& object : objects) {
      program.command.push_back(object.path);
      program.made_of.push_back(object.path);
    }
    for (const std::string& word : toolchain_.link) {
      program.command.push_back(word);
      if (word.starts_with('/')) program.made_of.emplace_back(word);
    }
    if (uses_openmp()) program.command.emplace_back("-fopenmp");
    program.command.emplace_back("-o");
    program.command.push_back(partial_of(program_));
    return program;
  }

  bool make(const std::vector<Product>& products) const {
    std::vector<Command> commands;
    for (const Product& product : products) {
      if (!product.is_fresh()) commands.push_back(product.command);
    }
    const auto outcomes = run_all(commands, std::max(1u, std::thread::hardware_concurrency()));
    for (const Product& product : products) {
      if (fs::exists(product.partial())) product.keep();
    }
    for (const Outcome& outcome : outcomes)
      tell(outcome, tree_.originals());
    return std::all_of(outcomes.begin(), outcomes.end(),
                       [](const Outcome& outcome) { return outcome.succeeded; });
  }

  const Options& options_;
  fs::path folder_;
  const Toolchain& toolchain_;
  std::vector<fs::path> include_folders_;
  SourceTree tree_;
  fs::path program_;
};

}  // namespace

BuiltProgram build_program(const Options& options, const Toolchain& toolchain,
                           const fs::path& folder) {
  return Builder(options, toolchain, folder).build();
}

}  // namespace simt::run

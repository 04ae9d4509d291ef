#include "simt/run/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "simt/run/floors.h"

namespace simt::run {
namespace {

constexpr int kLongestTimeLimit = 86400;
constexpr char kTimeLimit[] = "--time-limit";
constexpr char kTimeLimitVariable[] = "SIMT_TIME_LIMIT";

CLI::Validator seconds() {
  const auto refuse = [range = CLI::Range(0, kLongestTimeLimit)](const std::string& text) {
    if (range(text).empty()) return std::string();
    return fmt::format("'{}' is not a number of seconds from 0 to {}", text, kLongestTimeLimit);
  };
  return CLI::Validator(refuse, "");
}

/// What --count takes, as seconds.
CLI::Validator count() {
  const auto read = [](std::string& text) {
    if (text == "all") {
      text = "inf";
    } else if (text == "first") {
      text = "0";
    } else if (!CLI::Range(0.0, double{kLongestTimeLimit})(text).empty()) {
      return fmt::format("'{}' is none of all, first and a number of seconds from 0 to {}", text,
                         kLongestTimeLimit);
    }
    return std::string();
  };
  return CLI::Validator(read, "");
}

/// nvcc's spellings, -std=c++20 and -std c++20, as one that CLI11 knows.
std::string with_two_dashes(const std::string& word) {
  return word == "-std" || word.starts_with("-std=") ? "-" + word : word;
}

void add_all(CLI::App& app, Options& options) {
  app.set_help_flag("-h,--help", "print this text");
  app.add_option("FILE", options.sources, "the sources of one program, CUDA, C++ and C")
      ->option_text(" ")
      ->required();
  app.add_option("-I", options.include_folders, "look for included files in DIR, too")
      ->type_name("DIR")
      ->allow_extra_args(false);  // a word each time
  app.add_option("-D", options.definitions, "define a macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("--std", options.standard,
                 "the C++ that it is written in: c++17 unless set. c++11 and c++14 are compiled "
                 "as C++17")
      ->type_name("C++NN")
      ->check(CLI::IsMember({"c++11", "c++14", "c++17", "c++20"}))
      ->take_last();
  app.add_option("--json", options.json, "write all counters and findings to FILE")
      ->type_name("FILE")
      ->take_last();
  app.add_option("--html", options.html,
                 "write a page to FILE that steps through what the first warps did")
      ->type_name("FILE")
      ->take_last();
  app.add_option("--sarif", options.sarif,
                 "write the findings to FILE as SARIF 2.1.0, for code hosts and editors")
      ->type_name("FILE")
      ->take_last();
  app.add_option("--on", options.on,
                 "say of each launch the least time that units of a device need for what was "
                 "counted")
      ->type_name("DEVICE")
      ->transform(CLI::IsMember(device_names(), CLI::ignore_case))
      ->take_last();
  app.add_option(
         "--count", options.counted_time,
         "count and check all launches, or of each kernel and shape the first, or all that "
         "begin\nwithin S seconds and of later ones the first (60 unless set); the others run "
         "plain")
      ->type_name("all|first|S")
      ->transform(count())
      ->take_last();
  app.add_option(kTimeLimit, options.time_limit,
                 "end a program that takes longer than S seconds (300 unless set; 0: never)")
      ->type_name("S")
      ->envname(kTimeLimitVariable)
      ->check(seconds())
      ->take_last();
}

/// What is wrong with an option's value, by the name of the variable where that is what gave it.
std::string with_variable(const std::string& message, const std::vector<std::string>& own) {
  const std::string option = std::string(kTimeLimit) + ":";
  const bool is_given = std::any_of(
      own.begin(), own.end(), [](const std::string& word) { return word.starts_with(kTimeLimit); });
  if (is_given || !message.starts_with(option)) return message;
  return std::string(kTimeLimitVariable) + ":" + message.substr(option.size());
}

/// Why an option of nvcc's is not one here; empty for what is none of its common ones.
std::string reason_against(const std::string& word) {
  const auto begins = [&](std::initializer_list<const char*> options) {
    return std::any_of(options.begin(), options.end(),
                       [&](const char* option) { return word.starts_with(option); });
  };
  if (begins({"-arch", "--gpu-arch", "-gencode", "--generate-code", "-code", "--gpu-code"})) {
    return "the executor compiles for no GPU";
  }
  if (begins({"-l", "--library", "-L"}) && !begins({"-lineinfo"})) {
    return "cuBLAS, cuRAND and NCCL are there without it, and no other library is";
  }
  if (word == "-o" || begins({"--output-file", "-c"})) return "the program is run and not written";
  if (begins({"-O",
              "-g",
              "-G",
              "-lineinfo",
              "--generate-line-info",
              "--debug",
              "-W",
              "-w",
              "-X",
              "-rdc",
              "--relocatable",
              "-dc",
              "-use_fast_math",
              "--use_fast_math",
              "-maxrregcount",
              "--maxrregcount",
              "--expt",
              "-expt",
              "--extended",
              "-extended",
              "--compiler-options",
              "--ptxas-options",
              "-m64",
              "-ccbin",
              "-x",
              "--default-stream",
              "-fopenmp"})) {
    return "nothing depends on it";
  }
  return "";
}

std::string unknown(const std::string& word) {
  const std::string reason = reason_against(word);
  if (!reason.empty()) return "'" + word + "' is nvcc's option; leave it out here: " + reason;
  return "unknown option '" + word + "'; the program's own arguments follow --";
}

}  // namespace

Options read_options(const std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  Options options;
  CLI::App app;
  add_all(app, options);
  app.allow_extras();  // to name them in our own words
  try {
    std::vector<std::string> own;  // from the last to the first
    std::transform(std::make_reverse_iterator(dashes), words.rend(), std::back_inserter(own),
                   with_two_dashes);
    app.parse(std::move(own));
  } catch (const CLI::CallForHelp&) {
    options.help = true;
    return options;
  } catch (const CLI::RequiredError&) {
    throw std::invalid_argument("no file to run is named");
  } catch (const CLI::ArgumentMismatch& error) {  // "--json: 1 required FILE missing"
    const std::string message = error.what();
    throw std::invalid_argument(message.substr(0, message.find(':')) + ": a value must follow it");
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(with_variable(error.what(), {words.begin(), dashes}));
  }
  if (!app.remaining().empty()) {
    throw std::invalid_argument(unknown(app.remaining().front()));
  }
  if (dashes != words.end()) options.arguments.assign(dashes + 1, words.end());
  return options;
}

std::string usage() {
  Options unused;
  CLI::App app(
      "Compiles a CUDA program for the CPU executor, runs it, and shows what each launch asked of "
      "the\nmemory system and what is wrong with its kernels.",
      "simt run");
  add_all(app, unused);
  app.footer(
      "The program's own arguments follow --: simt run FILE.cu -- ARGUMENT..\n\n"
      "Exit code: the program's own if that is not 0; else 1 if there is a finding; 2 for a wrong\n"
      "command line.");
  return app.help();
}

}  // namespace simt::run

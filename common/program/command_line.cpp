#include "common/program/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace worklog {

namespace {

bool is_flag(const CLI::Option* option) {
  return option != nullptr && option->get_expected_max() == 0;
}

void refuse_values_of_flags(const CLI::App& app, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || !argument.starts_with("--")) continue;
    const std::string name = argument.substr(0, equals);
    if (!is_flag(app.get_option_no_throw(name))) continue;
    throw UsageError(name + ": takes no value, and got '" + argument.substr(equals + 1) + "'");
  }
}

}  // namespace

bool wants_help(CLI::App& app, int argc, const char* const* argv) {
  refuse_values_of_flags(app, argc, argv);
  for (CLI::Option* option : app.get_options()) {
    if (!is_flag(option)) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  app.allow_extras();  // to name them in our own words
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ArgumentMismatch& error) {  // "--rows: 1 required R missing"
    const std::string message = error.what();
    throw UsageError(message.substr(0, message.find(':')) + ": a value must follow it");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (!app.remaining().empty()) {
    throw UsageError("unknown option '" + app.remaining().front() + "'");
  }
  return false;
}

std::string called_as(const char* path) {
  const char* const typed = std::getenv(kCalledAs);
  const bool is_known = typed != nullptr && *typed != '\0';
  return is_known ? typed : std::filesystem::path(path).filename().string();
}

}  // namespace worklog

// The program `simt`: `simt run` builds a CUDA program, runs it on the executor and says what is
// known of it.

#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

#include "simt/run/named_files.h"
#include "simt/run/options.h"
#include "simt/run/places.h"
#include "simt/run/player_page.h"
#include "simt/run/process.h"
#include "simt/run/program.h"
#include "simt/run/record.h"
#include "simt/run/report.h"
#include "simt/run/sarif.h"
#include "simt/run/toolchain.h"
#include "simt/translate/files.h"

namespace {

namespace fs = std::filesystem;
using namespace simt::run;

constexpr int kWrongCommandLine = 2;
/// A program ends itself when its time is up, after it has said where it was and has written out
/// what it had printed. Only one that has lost the thread which sees to that, because it has become
/// another program, say, is ended from outside, so many seconds later.
constexpr unsigned kGraceSeconds = 15;

/// Removed when it goes.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) { fs::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A program may run for minutes: what it writes to is looked at before.
void refuse_folders(const Options& options) {
  for (const fs::path& file : {options.json, options.sarif, options.html}) {
    const fs::path folder = file.parent_path();
    if (file.empty()) continue;
    if (fs::is_directory(file)) throw std::runtime_error(file.string() + ": is a directory");
    if (!folder.empty() && !fs::is_directory(folder)) {
      throw std::runtime_error(file.string() + ": cannot be written: there is no directory " +
                               folder.string());
    }
  }
}

int run(const Options& options) {
  check_named_files(options);
  refuse_folders(options);
  const fs::path prefix = fs::canonical(program_folder() / SIMT_PREFIX);
  const Toolchain toolchain = read_toolchain(prefix / SIMT_TOOLCHAIN, prefix);
  const BuiltProgram program = build_program(options, toolchain, cache_folder());
  if (program.path.empty()) return 1;
  const TemporaryFile record(program.path.string() + "." + std::to_string(getpid()) + ".record");
  Command command = {program.path.string()};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  const auto limit = static_cast<unsigned>(options.time_limit);
  Ending ending = watch(command,
                        {{kRecordVariable, record.path().string()},
                         {kWarpsVariable, options.html.empty() ? "" : "1"},
                         {kCountVariable, std::to_string(options.counted_time)},
                         {"SIMT_TIME_LIMIT", std::to_string(limit)}},
                        limit == 0 ? 0 : limit + kGraceSeconds);
  const auto known = read_record(record.path());
  if (known.contains("timed_out")) ending.timed_out = true;
  print_report(std::cout, known, ending, options);
  if (!options.json.empty()) {
    simt::write_file(options.json, to_json(known, ending, options).dump(2) + "\n");
  }
  if (!options.html.empty()) {
    simt::write_file(options.html,
                     player_page(with_files(to_json(known, ending, options), program.files)));
    std::cout << "\nWrote " << options.html.string()
              << ", which plays the first warps: open it in a browser.\n";
  }
  if (!options.sarif.empty()) {
    simt::write_file(options.sarif, to_sarif(known, ending, options, SIMT_VERSION).dump(2) + "\n");
  }
  return exit_code(known, ending);
}

}  // namespace

int main(int count, char** words) {
  const std::string command = count > 1 ? words[1] : "";
  if (command == "--version") {
    std::cout << "simt " SIMT_VERSION "\n";
    return 0;
  }
  if (command == "--help" || command == "-h") {
    std::cout << usage();
    return 0;
  }
  if (command != "run") {
    std::cerr << "simt: "
              << (command.empty() ? "no command is named" : "unknown command '" + command + "'")
              << "; there is `simt run`, and `simt run --help` lists its options\n";
    return kWrongCommandLine;
  }
  try {
    const Options options = read_options({words + 2, words + count});
    if (options.help) {
      std::cout << usage();
      return 0;
    }
    return run(options);
  } catch (const std::invalid_argument& error) {
    std::cerr << "simt run: " << error.what() << "\n--help lists the options\n";
    return kWrongCommandLine;
  } catch (const std::exception& error) {
    std::cerr << "simt run: error: " << error.what() << '\n';
    return 1;
  }
}

// Which files a command line may name together.
#include "simt/run/named_files.h"

#include <doctest/doctest.h>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using simt::run::check_named_files;
using simt::run::Options;

/// With a.cu, b.cu, the folder below/ and links to a.cu of both kinds.
class NamedFilesFolder {
 public:
  NamedFilesFolder()
      : path_(fs::temp_directory_path() / ("named_files." + std::to_string(getpid()))) {
    fs::create_directories(path_ / "below");
    for (const char* name : {"a.cu", "b.cu"})
      std::ofstream(path_ / name) << name;
    fs::create_symlink("a.cu", path_ / "symbolic.cu");
    fs::create_hard_link(path_ / "a.cu", path_ / "hard.cu");
  }
  NamedFilesFolder(const NamedFilesFolder&) = delete;
  NamedFilesFolder& operator=(const NamedFilesFolder&) = delete;
  ~NamedFilesFolder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

void check_that_refused(const Options& options, const char* message) {
  CAPTURE(message);
  CHECK_THROWS_WITH_AS(check_named_files(options), doctest::Contains(message),
                       std::invalid_argument);
}

}  // namespace

TEST_SUITE_BEGIN("named_files");

TEST_CASE("no output replaces a source, by whatever path it is named") {
  const NamedFilesFolder folder;
  Options options;
  options.sources = {folder / "b.cu", folder / "a.cu"};
  for (const char* name : {"a.cu", "below/../a.cu", "symbolic.cu", "hard.cu"}) {
    for (auto member : {&Options::json, &Options::html, &Options::sarif}) {
      Options wrong = options;
      wrong.*member = folder / name;
      check_that_refused(wrong, "would overwrite the program's source ");
    }
  }
  options.html = folder / "below/a.cu";  // another file of that name
  CHECK_NOTHROW(check_named_files(options));
}

TEST_CASE("no two outputs are one file, though it does not exist yet") {
  const NamedFilesFolder folder;
  Options options;
  options.sources = {folder / "a.cu"};
  options.json = folder / "out";
  options.sarif = folder / "below/../out";
  check_that_refused(options, "--json and --sarif would both write to ");
  options.sarif = folder / "out.sarif";
  CHECK_NOTHROW(check_named_files(options));
  options.json = options.sarif = "/dev/null";
  CHECK_NOTHROW(check_named_files(options));
}

TEST_CASE("a source is named once, and a folder of -I exists") {
  const NamedFilesFolder folder;
  Options options;
  options.sources = {folder / "a.cu", folder / "b.cu", folder / "below/../a.cu"};
  check_that_refused(options, "a.cu: is named twice");
  options.sources = {folder / "a.cu"};
  options.include_folders = {folder / "below", folder / "nonexistent"};
  check_that_refused(options, "-I: there is no folder ");
  options.include_folders = {folder / "below"};
  CHECK_NOTHROW(check_named_files(options));
}

TEST_SUITE_END();

// The page of `simt run --html`: what goes into it.
#include "simt/run/player_page.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <unistd.h>

#include "simt/translate/files.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// A folder that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("player_page" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  fs::path write(const std::string& name, const std::string& text) const {
    simt::write_file(path_ / name, text);
    return path_ / name;
  }

 private:
  fs::path path_;
};

ordered_json run_of(const std::string& source, const std::string& counted_file) {
  const ordered_json line = {{"file", counted_file}, {"line", 1}, {"counters", {}}};
  return {{"sources", {source}},
          {"launches", {{{"kernel", "k"}, {"lines", {line}}}}},
          {"findings", ordered_json::array()}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

}  // namespace

TEST_SUITE_BEGIN("player_page");

TEST_CASE("sources are all there, and of headers those that something is counted in") {
  const Folder folder;
  const fs::path source = folder.write("a.cu", "source\n");
  const fs::path counted = folder.write("counted.cuh", "counted\n");
  const fs::path silent = folder.write("silent.cuh", "silent\n");
  const ordered_json run = simt::run::with_files(run_of(source.string(), "counted.cuh"),
                                                 {source, counted, silent, counted});
  REQUIRE(run["files"].size() == 2);
  CHECK(run["files"][0] == ordered_json{{"name", "a.cu"}, {"text", "source\n"}});
  CHECK(run["files"][1] == ordered_json{{"name", "counted.cuh"}, {"text", "counted\n"}});
}

TEST_CASE("a source that is gone is left out") {
  const ordered_json run =
      simt::run::with_files(run_of("/nowhere/a.cu", "a.cu"), {"/nowhere/a.cu"});
  CHECK(run["files"].empty());
}

TEST_CASE("a source cannot end the script that it stands in, nor be taken for a part of the page") {
  const Folder folder;
  const fs::path source = folder.write("a&b.cu", "</script><script>{{title}}{{record}}\n");
  const auto run = simt::run::with_files(run_of(source.string(), "a&b.cu"), {source});
  const std::string page = simt::run::player_page(run);
  CHECK(count(page, "</script>") == 2);
  CHECK(page.find("\\u003c/script>\\u003cscript>{{title}}{{record}}") != std::string::npos);
  CHECK(page.find("<h1>a&amp;b.cu</h1>") != std::string::npos);
}

TEST_CASE("text that is not UTF-8 does no harm") {
  const Folder folder;
  const fs::path source = folder.write("a.cu", "// \xff\n");
  const auto run = simt::run::with_files(run_of(source.string(), "a.cu"), {source});
  CHECK(simt::run::player_page(run).find("// \xef\xbf\xbd") != std::string::npos);
}

TEST_CASE("the page asks for nothing from elsewhere") {
  const std::string page = simt::run::player_page(run_of("a.cu", "a.cu"));
  for (const char* other : {"http://", "https://", " src=", "<link", "@import", "url("})
    CHECK_MESSAGE(page.find(other) == std::string::npos, other);
}

TEST_SUITE_END();

// The command line of `simt run`.
#include "simt/run/options.h"

#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <stdexcept>

namespace {

using namespace simt::run;
using Words = std::vector<std::string>;
using Paths = std::vector<std::filesystem::path>;

constexpr char kTimeLimitVariable[] = "SIMT_TIME_LIMIT";

/// Without a time limit of the environment that the tests run in.
Options read(const Words& words) {
  unsetenv(kTimeLimitVariable);
  return read_options(words);
}

}  // namespace

TEST_SUITE_BEGIN("options");

TEST_CASE("sources are files wherever they stand") {
  const Options options = read({"a.cu", "--json", "out.json", "b.cpp"});
  CHECK(options.sources == Paths{"a.cu", "b.cpp"});
  CHECK(options.json == "out.json");
  CHECK(options.time_limit == 300);
  CHECK(options.arguments.empty());
  CHECK_FALSE(options.help);
}

TEST_CASE("a page may be asked for beside the JSON") {
  const Options options = read({"a.cu", "--html", "out.html", "--json=out.json"});
  CHECK(options.html == "out.html");
  CHECK(options.json == "out.json");
  CHECK(read({"a.cu"}).html.empty());
}

TEST_CASE("folders and macros may be joined to their option or follow it, and take one word each") {
  const Options options =
      read({"-I", "include", "-Iother", "-DDEBUG", "-D", "WIDTH=[3,4]", "a.cu", "-D", "LAST"});
  CHECK(options.include_folders == Paths{"include", "other"});
  CHECK(options.definitions == Words{"DEBUG", "WIDTH=[3,4]", "LAST"});
  CHECK(options.sources == Paths{"a.cu"});
}

TEST_CASE("an option that is given twice has its last value") {
  const Options options =
      read({"--time-limit", "5", "--json=a", "--time-limit=0", "--json", "b", "a.cu"});
  CHECK(options.time_limit == 0);
  CHECK(options.json == "b");
}

TEST_CASE("how many launches are counted") {
  CHECK(read({"a.cu"}).counted_time == 60);
  CHECK(read({"a.cu", "--count", "first"}).counted_time == 0);
  CHECK(read({"a.cu", "--count=2.5"}).counted_time == 2.5);
  CHECK(std::isinf(read({"a.cu", "--count", "all"}).counted_time));
  for (const char* wrong : {"some", "-1", "86401", ""}) {
    CHECK_THROWS_WITH_AS(read({"a.cu", "--count", wrong}),
                         (std::string("--count: '") + wrong +
                          "' is none of all, first and a number of seconds from 0 to 86400")
                             .c_str(),
                         std::invalid_argument);
  }
}

TEST_CASE("what follows -- belongs to the program, whatever it looks like") {
  const Options options = read({"a.cu", "--", "--help", "-O3", "--", "b.cu", ""});
  CHECK(options.sources == Paths{"a.cu"});
  CHECK(options.arguments == Words{"--help", "-O3", "--", "b.cu", ""});
  CHECK_FALSE(options.help);
}

TEST_CASE("the environment sets the time limit that the command line does not") {
  setenv(kTimeLimitVariable, "7", 1);
  CHECK(read_options({"a.cu"}).time_limit == 7);
  CHECK(read_options({"a.cu", "--time-limit", "8"}).time_limit == 8);
  setenv(kTimeLimitVariable, "soon", 1);
  CHECK_THROWS_WITH_AS(read_options({"a.cu"}),
                       "SIMT_TIME_LIMIT: 'soon' is not a number of seconds from 0 to 86400",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read_options({"a.cu", "--time-limit", "late"}),
                       "--time-limit: 'late' is not a number of seconds from 0 to 86400",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read_options({"a.cu", "--", "--time-limit", "9"}),
                       doctest::Contains("SIMT_TIME_LIMIT: 'soon'"), std::invalid_argument);
  CHECK(read_options({"a.cu", "--time-limit=9"}).time_limit == 9);
  unsetenv(kTimeLimitVariable);
}

TEST_CASE("help needs no file, and names every option") {
  CHECK(read({"--help"}).help);
  CHECK(read({"a.cu", "-h"}).help);
  const std::string text = usage();
  for (const char* option :
       {"Usage: simt run", "FILE", "-I DIR", "-D NAME[=VALUE]", "--json FILE", "--html FILE",
        "--time-limit S", "SIMT_TIME_LIMIT", "-- ARGUMENT", "Exit code"}) {
    CAPTURE(option);
    CHECK(text.find(option) != std::string::npos);
  }
}

TEST_CASE("a wrong command line is refused by name and limit") {
  const auto refused = [](const Words& words, const char* message) {
    CAPTURE(message);
    CHECK_THROWS_WITH_AS(read(words), doctest::Contains(message), std::invalid_argument);
  };
  refused({}, "no file to run is named");
  refused({"--", "a.cu"}, "no file to run is named");
  refused({"a.cu", "-q"}, "unknown option '-q'; the program's own arguments follow --");
  refused({"a.cu", "--nonesuch=3"}, "unknown option '--nonesuch=3'");
  refused({"a.cu", "--json"}, "--json: a value must follow it");
  refused({"a.cu", "-I"}, "-I: a value must follow it");
  refused({"a.cu", "-D"}, "-D: a value must follow it");
  refused({"a.cu", "--time-limit"}, "--time-limit: a value must follow it");
  for (const char* limit : {"soon", "-1", "86401", "1.5", "3s", "", "99999999999999999999"}) {
    const std::string message =
        "--time-limit: '" + std::string(limit) + "' is not a number of seconds from 0 to 86400";
    refused({"a.cu", "--time-limit", limit}, message.c_str());
  }
  CHECK(read({"a.cu", "--time-limit", "86400"}).time_limit == 86400);
}

TEST_CASE("of nvcc's options it is said why they are none here") {
  const auto refused = [](const Words& words, const char* message) {
    CAPTURE(message);
    CHECK_THROWS_WITH_AS(read(words), message, std::invalid_argument);
  };
  refused({"-O3", "a.cu"}, "'-O3' is nvcc's option; leave it out here: nothing depends on it");
  refused({"-lineinfo", "a.cu"},
          "'-lineinfo' is nvcc's option; leave it out here: nothing depends on it");
  refused({"a.cu", "-arch=sm_80"},
          "'-arch=sm_80' is nvcc's option; leave it out here: the executor compiles for no GPU");
  refused({"a.cu", "-lcublas"},
          "'-lcublas' is nvcc's option; leave it out here: cuBLAS, cuRAND and NCCL are there "
          "without it, and no other library is");
  refused({"a.cu", "-o", "foo"},
          "'-o' is nvcc's option; leave it out here: the program is run and not written");
  // Two dashes are ours; only nvcc's long names are nvcc's.
  refused({"a.cu", "--output"}, "unknown option '--output'; the program's own arguments follow --");
}

TEST_CASE("a device is known however it is spelled") {
  for (const char* name : {"h100", "H100"}) {
    CHECK(read({"a.cu", "--on", name}).on == "h100");
  }
  CHECK_THROWS_AS(read({"a.cu", "--on", "h101"}), std::invalid_argument);
}

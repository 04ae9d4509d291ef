// Files of recorded inputs: what is broken is named, and nothing is made up.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "common/verify/npy.h"
#include "common/verify/real_data.h"

namespace {

using namespace worklog;
namespace fs = std::filesystem;

// A file in the temporary folder, gone with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& contents)
      : path_(fs::temp_directory_path() / ("worklog_npy_test_" + std::to_string(++counter_))) {
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~TemporaryFile() { fs::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  static inline int counter_ = 0;
  fs::path path_;
};

std::string npy(const std::string& header, const std::string& data) {
  const auto length = static_cast<char>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + length + '\0' + header + data;
}

std::string header(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
}

void check_refused(const std::string& contents, const char* reason) {
  const TemporaryFile file(contents);
  CHECK_THROWS_WITH_AS(read_npy(file.path()), doctest::Contains(reason), std::runtime_error);
  CHECK_THROWS_WITH(read_npy(file.path()), doctest::Contains(file.path().c_str()));
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("an array comes back as it was written") {
  const TemporaryFile file(npy(header("<f2", "False", "2, 1"), std::string("\x00\x3c\x00\xc0", 4)));
  const HalfArray array = read_npy(file.path());
  CHECK(array.shape == std::vector<std::int64_t>{2, 1});
  REQUIRE(array.values.size() == 2);
  CHECK(static_cast<float>(array.values[0]) == 1.0f);
  CHECK(static_cast<float>(array.values[1]) == -2.0f);
}

TEST_CASE("broken files are refused, with the file and the reason") {
  const std::string two = header("<f2", "False", "2,");
  check_refused("", "is truncated: the start of a .npy file takes 8 bytes, and 0 are left");
  check_refused("PK\x03\x04 a zip file", "is no .npy file");
  check_refused(npy(two, "").substr(0, 20), "is truncated: the header");
  check_refused(npy(two, std::string(3, 'x')),
                "is truncated: 2 elements take 4 bytes, and 3 are left");
  check_refused(npy(two, std::string(5, 'x')), "is too long: 2 elements take 4 bytes");
  check_refused(npy(header("<f4", "False", "1,"), "abcd"), "holds '<f4': must be '<f2', float16");
  check_refused(npy(header("<f2", "True", "2,"), "abcd"), "must be in C order");
  check_refused(npy("{'descr': '<f2', 'fortran_order': False}\n", ""), "has no field");
  check_refused(npy(header("<f2", "False", "99999999999999999999"), ""), "too large");
  check_refused(npy(header("<f2", "False", "4294967296, 4294967296, 4294967296"), ""),
                "too many elements");
  check_refused(std::string("\x93NUMPY\x09\x00", 8) + "rest", "has format version 9");
  CHECK_THROWS_WITH_AS(read_npy("/nowhere/x.npy"), "/nowhere/x.npy: cannot be opened",
                       std::runtime_error);
}

TEST_CASE("the recorded inputs are whole") {
  CHECK(attention_scores().rows == 6144);
  CHECK(attention_scores().cols == 128);
  CHECK(search_scores().rows == 52);
  CHECK(search_scores().cols == 4584);
  CHECK(search_questions().size() == 52);
  CHECK(search_entries().size() == 4584);
  CHECK(search_entries().front().name == "abc");
}

TEST_CASE("padding is masked in the attention scores of the second text") {
  constexpr std::int64_t kRowsOfAText = 12 * 128;  // heads x queries
  constexpr std::size_t kTokens = 46;
  for (std::int64_t row = kRowsOfAText; row < 2 * kRowsOfAText; ++row) {
    const auto scores = attention_scores().row(row);
    for (std::size_t col = 0; col < scores.size(); ++col) {
      REQUIRE((static_cast<float>(scores[col]) == -INFINITY) == (col >= kTokens));
    }
  }
}

TEST_CASE("the environment names another folder") {
  const fs::path before = data_directory();
  CHECK(fs::exists(before / "search_scores.npy"));
  setenv("WORKLOG_DATA_DIR", "/elsewhere", 1);
  CHECK(data_directory() == "/elsewhere");
  unsetenv("WORKLOG_DATA_DIR");
  CHECK(data_directory() == before);
}

TEST_SUITE_END();

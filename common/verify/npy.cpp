#include "common/verify/npy.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>

namespace worklog {

namespace {

// The layout is described in NumPy's reference under numpy.lib.format: "\x93NUMPY", two bytes of
// version, the header's length in two bytes (version 1) or four, the header: a Python dictionary.
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint32_t kLargestHeader = 65536;

class NpyReader {
 public:
  explicit NpyReader(const std::filesystem::path& path)
      : path_(path), file_(path, std::ios::binary) {
    if (!file_) fail("cannot be opened");
  }

  HalfArray read() {
    const std::string header = read_header();
    if (field(header, "'descr': *'([^']*)'") != "<f2") {
      fail("holds '" + field(header, "'descr': *'([^']*)'") + "': must be '<f2', float16");
    }
    if (field(header, "'fortran_order': *(True|False)") != "False") {
      fail("is in Fortran order: must be in C order");
    }
    HalfArray array{.shape = parse_shape(field(header, "'shape': *\\(([0-9, ]*)\\)")),
                    .values = {}};
    read_values(array);
    return array;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_.string() + ": " + what);
  }

  void read_bytes(char* to, std::size_t count, const std::string& what) {
    file_.read(to, static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(file_.gcount()) != count) {
      fail("is truncated: " + what + " takes " + std::to_string(count) + " bytes, and " +
           std::to_string(file_.gcount()) + " are left");
    }
  }

  std::uint32_t read_little_endian(std::size_t bytes) {
    unsigned char digits[4] = {};
    read_bytes(reinterpret_cast<char*>(digits), bytes, "the header's length");
    return digits[0] | digits[1] << 8 | digits[2] << 16 |
           static_cast<std::uint32_t>(digits[3]) << 24;
  }

  std::string read_header() {
    char start[8];
    read_bytes(start, sizeof start, "the start of a .npy file");
    if (std::string_view(start, kMagic.size()) != kMagic) fail("is no .npy file");
    const int version = start[6];
    if (version < 1 || version > 3) {
      fail("has format version " + std::to_string(version) + ": must be 1, 2 or 3");
    }
    const std::uint32_t length = read_little_endian(version == 1 ? 2 : 4);
    if (length > kLargestHeader) {
      fail("has a header of " + std::to_string(length) + " bytes: must be at most " +
           std::to_string(kLargestHeader));
    }
    std::string header(length, '\0');
    read_bytes(header.data(), header.size(), "the header");
    return header;
  }

  std::string field(const std::string& header, const char* pattern) const {
    std::smatch match;
    if (!std::regex_search(header, match, std::regex(pattern))) {
      fail(std::string("has no field that matches ") + pattern + " in its header");
    }
    return match[1];
  }

  std::vector<std::int64_t> parse_shape(const std::string& text) const {
    std::vector<std::int64_t> shape;
    static const std::regex number("[0-9]+");
    for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it) {
      try {
        shape.push_back(std::stoll(it->str()));
      } catch (const std::out_of_range&) {
        fail("has a dimension of " + it->str() + ": too large");
      }
    }
    return shape;
  }

  // What is left of the file must be the elements and nothing else; allocates only then.
  void read_values(HalfArray& array) {
    const std::uintmax_t left =
        std::filesystem::file_size(path_) - static_cast<std::uintmax_t>(file_.tellg());
    std::uintmax_t elements = 1;
    for (const std::int64_t extent : array.shape) {
      const auto factor = static_cast<std::uintmax_t>(extent);
      if (factor != 0 && elements > std::numeric_limits<std::uintmax_t>::max() / 2 / factor) {
        fail("has a shape of too many elements");
      }
      elements *= factor;
    }
    if (left != elements * sizeof(__half)) {
      fail((left < elements * sizeof(__half) ? "is truncated: " : "is too long: ") +
           std::to_string(elements) + " elements take " +
           std::to_string(elements * sizeof(__half)) + " bytes, and " + std::to_string(left) +
           " are left");
    }
    std::vector<char> bytes(left);
    read_bytes(bytes.data(), bytes.size(), "the array");
    array.values.resize(elements);
    if (elements > 0) std::memcpy(array.values.data(), bytes.data(), bytes.size());
  }

  std::filesystem::path path_;
  std::ifstream file_;
};

}  // namespace

HalfArray read_npy(const std::filesystem::path& path) {
  return NpyReader(path).read();
}

}  // namespace worklog

// What must hold of the translator whatever it is given: it ends, it refuses or translates, and no
// line moves.
//
// libFuzzer calls this with inputs of its own (the program fuzz_translator), replay.cpp with those
// in corpus/.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "simt/translate/translation.h"

namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the translator broke its word: %s\n", what);
  std::abort();
}

std::ptrdiff_t line_feeds(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// What a #line directive of the translator's ends with, and the name in it.
constexpr std::string_view kPath = " \"/source.cu\"\n";
constexpr std::string_view kName = "\"/source.cu\"";

/// Which line the last one is by the last #line directive of the translator's.
std::ptrdiff_t last_line(std::string_view text) {
  const std::size_t path = text.rfind(kPath);
  if (path == std::string_view::npos) return 0;
  const std::size_t number = text.rfind(' ', path - 1) + 1;
  return std::stol(std::string(text.substr(number, path - number))) +
         line_feeds(text.substr(path + kPath.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  if (source.find(kName) != std::string_view::npos) return -1;  // could pass for such a directive
  const auto translation = simt::translate::translate(source, "/source.cu");
  expect(translation.text.empty() != translation.refusals.empty(), "it translates or refuses");
  for (const auto& refusal : translation.refusals) {
    expect(refusal.line >= 1 && refusal.line <= 1 + line_feeds(source),
           "it refuses lines that there are");
    expect(!refusal.message.empty(), "it says why it refuses");
  }
  if (!translation.text.empty()) {
    expect(last_line(translation.text) == 1 + line_feeds(source), "no line moves");
  }
  return 0;
}

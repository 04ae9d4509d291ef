// simt_translate INPUT OUTPUT: makes CUDA source C++ source. See translation.h.

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "simt/translate/files.h"
#include "simt/translate/translation.h"

namespace {

namespace fs = std::filesystem;

/// 0, or 1 if something was refused.
int run(const fs::path& input, const fs::path& output) {
  const std::string source = simt::read_file(input);
  const auto translation = simt::translate::translate(source, fs::absolute(input).string());
  const auto print = [&](const char* kind, const simt::translate::Remark& remark) {
    std::cerr << input.string() << ':' << remark.line << kind << remark.message << '\n';
  };
  for (const auto& remark : translation.remarks)
    print(": note: ", remark);
  for (const auto& refusal : translation.refusals)
    print(": error: ", refusal);
  if (!translation.refusals.empty()) return 1;
  simt::write_file(output, translation.text);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: simt_translate INPUT OUTPUT\n";
    return 2;
  }
  try {
    return run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::cerr << "simt_translate: error: " << error.what() << '\n';
    return 1;
  }
}

// simt_translate INPUT OUTPUT: makes CUDA source C++ source. See translation.h.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "common/simt/translate/translation.h"

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  if (fs::is_directory(path)) throw std::runtime_error(path.string() + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw std::runtime_error(path.string() + ": cannot be read to its end");
  return text;
}

/// Through a neighbour and a rename, so that nobody ever sees half a file.
void write_file(const fs::path& path, const std::string& text) {
  if (fs::is_directory(path)) throw std::runtime_error(path.string() + ": is a directory");
  const fs::path partial = path.string() + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  std::error_code failure;
  if (file) {
    fs::rename(partial, path, failure);
    if (!failure) return;
  }
  fs::remove(partial, failure);
  throw std::runtime_error(path.string() + ": cannot be written");
}

/// 0, or 1 if something was refused.
int run(const fs::path& input, const fs::path& output) {
  const std::string source = read_file(input);
  const auto translation = simt::translate::translate(source, fs::absolute(input).string());
  for (const auto& refusal : translation.refusals) {
    std::cerr << input.string() << ':' << refusal.line << ": error: " << refusal.message << '\n';
  }
  if (!translation.refusals.empty()) return 1;
  write_file(output, translation.text);
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

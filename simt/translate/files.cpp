#include "simt/translate/files.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace simt {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  if (!fs::exists(path)) throw std::runtime_error(path.string() + ": there is no such file");
  if (fs::is_directory(path)) throw std::runtime_error(path.string() + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || file.bad()) throw std::runtime_error(path.string() + ": cannot be read");
  return text;
}

void write_file(const fs::path& path, const std::string& text) {
  if (fs::is_directory(path)) throw std::runtime_error(path.string() + ": is a directory");
  const fs::path partial = partial_of(path);
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

void write_if_changed(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  if (fs::exists(path) && read_file(path) == text) return;
  write_file(path, text);
}

fs::path partial_of(const fs::path& path) {
  return path.string() + ".partial" + std::to_string(getpid());
}

}  // namespace simt

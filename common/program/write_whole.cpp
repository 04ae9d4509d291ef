#include "common/program/write_whole.h"

#include <fstream>
#include <stdexcept>
#include <system_error>

namespace worklog {

void write_whole(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path temporary = path;
  temporary += ".part";
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      throw std::runtime_error(temporary.string() + ": cannot be written");
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::filesystem::remove(temporary);
    throw std::runtime_error(path.string() + ": cannot be written: " + error.message());
  }
}

}  // namespace worklog

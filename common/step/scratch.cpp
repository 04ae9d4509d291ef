#include "common/step/scratch.h"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "common/cuda/element_size.h"

namespace worklog {

Scratch::Scratch(void* base, std::int64_t bytes)
    : base_(static_cast<std::byte*>(base)), bytes_(bytes) {}

void* Scratch::take_bytes(std::int64_t count, std::size_t element_bytes,
                          std::source_location where) {
  const std::int64_t bytes = bytes_for(count, element_bytes);
  if (bytes > bytes_ - used_) {
    const std::string file = std::filesystem::path(where.file_name()).filename().string();
    throw std::length_error(file + ":" + std::to_string(where.line()) + ": scratch: an array of " +
                            std::to_string(bytes) + " bytes does not fit the " +
                            std::to_string(bytes_ - used_) + " left of " + std::to_string(bytes_) +
                            " that the step registered");
  }
  std::byte* array = base_ + used_;
  used_ += bytes;
  declare_element_size(array, bytes, element_bytes);
  return array;
}

}  // namespace worklog

/// \file
/// The compiler and the flags with which CMake built the executor; a program that it shall run
/// needs the same.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace simt::run {

/// What a program is built with.
struct Toolchain {
  std::string compiler;  ///< its path
  /// What CUDA sources include first: compiled already, or not.
  std::string first_header = "cuda_runtime.h";
  std::vector<std::string> compile;  ///< flags
  std::filesystem::path standins;    ///< the folder of the headers with NVIDIA's names
  bool plain_copies = false;         ///< whether with_plain_copies() knows the compiler's assembly
  std::vector<std::string> link;     ///< objects, libraries and flags
};

/// Reads what CMake wrote: a kind and a word in each line, where {prefix} stands for the folder
/// that simt has been installed in. Throws std::runtime_error.
Toolchain read_toolchain(const std::filesystem::path& file,
                         const std::filesystem::path& prefix = {});

}  // namespace simt::run

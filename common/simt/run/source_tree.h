/// \file
/// The sources of a program, translated: a tree that mirrors the absolute paths of the originals,
/// so that what they include from beside them lies beside them again.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/simt/translate/token.h"
#include "common/simt/translate/translation.h"

namespace simt::run {

/// Makes that tree below a folder.
class SourceTree {
 public:
  /// Translations go below `root`; both kinds of folder are absolute.
  SourceTree(std::filesystem::path root, std::vector<std::filesystem::path> include_folders)
      : root_(std::move(root)), include_folders_(std::move(include_folders)) {}

  /// Translates a file and the files that it includes, as far as they are beside it or in the
  /// include folders; returns where its translation is. A file that has not changed keeps its time.
  /// Throws std::runtime_error for a file that cannot be read.
  std::filesystem::path add(const std::filesystem::path& file);

  /// Where translations of the files in `folder` are.
  std::filesystem::path mirrored(const std::filesystem::path& folder) const;

  /// What could not be translated: "file:line: error: why".
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  void add_included(const std::filesystem::path& by, const std::string& text);
  /// The first name of the file that stands for something that the executor lacks.
  void refuse_names(const std::filesystem::path& file, const std::string& text);
  void refuse(const std::filesystem::path& file, const translate::Refusal& refusal);

  std::filesystem::path root_;
  std::vector<std::filesystem::path> include_folders_;
  std::set<std::filesystem::path> seen_;
  std::vector<std::string> refusals_;
};

/// Whether a file is the host's C++ by its name, and not CUDA.
bool is_host_source(const std::filesystem::path& file);

}  // namespace simt::run

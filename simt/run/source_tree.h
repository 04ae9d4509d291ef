/// \file
/// The sources of a program, translated: a tree that mirrors the absolute paths of the originals,
/// so that what they include from beside them lies beside them again.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simt/translate/token.h"
#include "simt/translate/translation.h"

namespace simt::run {

/// An include directive with a name in quotes or angles.
struct IncludeDirective {
  std::string name;  ///< without these
  bool quoted;       ///< in quotes
  int line;          ///< from 1
};

/// Makes that tree below a folder.
class SourceTree {
 public:
  /// Translations go below `root`. All folders are absolute.
  SourceTree(std::filesystem::path root, std::filesystem::path standins,
             std::vector<std::filesystem::path> include_folders)
      : root_(std::move(root)),
        standins_(std::move(standins)),
        include_folders_(std::move(include_folders)) {}

  /// Translates a file and the files that it includes, as far as they are beside it, or in the
  /// include folders and no stand-ins, and of CUB; returns where its translation is. A file that
  /// has not changed keeps its time. Throws std::runtime_error for a file that cannot be read.
  std::filesystem::path add(const std::filesystem::path& file);

  /// The originals of the program's own, in the order in which they were added.
  const std::vector<std::filesystem::path>& originals() const { return originals_; }

  /// Where translations of the files in `folder` are.
  std::filesystem::path mirrored(const std::filesystem::path& folder) const;

  /// Where translations of a library's headers are.
  const std::set<std::filesystem::path>& system_copies() const { return system_copies_; }

  /// What could not be translated: "file:line: error: why".
  const std::vector<std::string>& refusals() const { return refusals_; }
  /// What may be otherwise than with nvcc: "file:line: note: what".
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  /// Returns the `__shared__` variables outside functions that the included files have.
  translate::OutsideVariables add_included(const std::filesystem::path& by,
                                           const std::string& text);
  /// Where the compiler finds what is included in a file of the folder `beside`; nothing if that is
  /// nowhere, or if translations need not know.
  std::optional<std::filesystem::path> folder_of(const IncludeDirective& include,
                                                 const std::filesystem::path& beside) const;
  void refuse(const std::filesystem::path& file, const translate::Refusal& refusal);

  std::filesystem::path root_;
  std::filesystem::path standins_;  ///< the headers with NVIDIA's names
  std::vector<std::filesystem::path> include_folders_;
  /// By the place of the translation: what its file and those that it includes have.
  std::map<std::filesystem::path, translate::OutsideVariables> outside_;
  std::vector<std::filesystem::path> originals_;
  std::set<std::filesystem::path> system_copies_;
  std::vector<std::string> refusals_;
  std::vector<std::string> remarks_;
};

/// Whether a file is the host's C++ by its name, and not CUDA.
bool is_host_source(const std::filesystem::path& file);

}  // namespace simt::run

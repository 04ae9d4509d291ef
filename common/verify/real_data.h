/// \file
/// The recorded inputs in common/verify/data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/verify/npy.h"

namespace worklog {

/// A matrix of recorded scores.
struct Scores {
  std::int64_t rows = 0;       ///< of the matrix
  std::int64_t cols = 0;       ///< of the matrix
  std::vector<__half> values;  ///< row by row

  /// Row number `index`, from 0, below `rows`.
  std::span<const __half> row(std::int64_t index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index * cols),
                                     static_cast<std::size_t>(cols));
  }
};

/// Where the files are: the environment's WORKLOG_DATA_DIR if set, else the repository's.
std::filesystem::path data_directory();

// Each is read when first asked for. They throw std::runtime_error that names the file and what is
// wrong with it.

/// 6144 rows of 128: attention scores, with -inf at padding.
const Scores& attention_scores();

/// 52 x 4584: a row a question, a column an entry of Python's library.
const Scores& search_scores();

/// The questions, one a row of search_scores().
const std::vector<std::string>& search_questions();

/// An entry of Python's standard library: its name and the first line of what its docstring says.
struct SearchEntry {
  std::string name;  ///< such as "itertools.chain"
  std::string line;  ///< a sentence
};

/// The entries, one a column of search_scores().
const std::vector<SearchEntry>& search_entries();

}  // namespace worklog

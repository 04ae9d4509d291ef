/// \file
/// What the tests of the checkers share. A kernel with a mistake comes in two versions that differ
/// in one place; the mistaken one must be found and named, the other must give no finding.
#pragma once

#include <doctest/doctest.h>
#include <string>

#include "simt/tests/support/device_array.h"

enum class Version { kMistaken, kCorrect };

constexpr Version kMistaken = Version::kMistaken;
constexpr Version kCorrect = Version::kCorrect;

/// Expects mistakes while it lives: what was found, and some memory to make them in.
struct Mistakes {
  ExpectedFindings found;
  DeviceArray<float> x = zeros<float>(256);
  DeviceArray<float> y = zeros<float>(1024);

  /// Whether a message says this.
  bool mentions(const char* text, std::size_t finding = 0) const {
    const bool does = found.message(finding).find(text) != std::string::npos;
    if (!does) MESSAGE(found.message(finding));
    return does;
  }
  /// The kinds that were found since the last call.
  std::string take_kinds() {
    const std::string kinds = found.kinds();
    simt::clear_findings();
    return kinds;
  }
};

/// \file
/// For callers in this project that know where their arrays are.
#pragma once

namespace worklog::library {

/// While one lives, calls of the library by this thread do not ask CUDA whether arrays, workspace
/// and stream are the current device's: whoever makes it has looked. The Python module makes one
/// where PyTorch has told it each tensor's device. No part of what is installed.
class PlacesAreKnown {
 public:
  PlacesAreKnown() { ++depth(); }
  ~PlacesAreKnown() { --depth(); }
  PlacesAreKnown(const PlacesAreKnown&) = delete;
  PlacesAreKnown& operator=(const PlacesAreKnown&) = delete;

  /// Whether one lives.
  static bool now() { return depth() > 0; }

 private:
  static int& depth() {
    thread_local int places = 0;
    return places;
  }
};

}  // namespace worklog::library

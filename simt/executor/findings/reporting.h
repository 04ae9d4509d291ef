/// \file
/// While the executor puts a finding into words, in the middle of a lane's work.
#pragma once

#include <utility>

#include "simt/executor/fibers/current.h"

namespace simt {

/// The linker may give this library functions of the standard library as they were compiled in
/// device code: while one of these lives, what they do is not the lane's, which is not stopped in
/// the middle of it either.
class Reporting {
 public:
  Reporting() : log_(std::exchange(current.log, nullptr)), was_(current.reporting) {
    current.reporting = true;
  }
  Reporting(const Reporting&) = delete;
  Reporting& operator=(const Reporting&) = delete;
  ~Reporting() {
    current.reporting = was_;
    current.log = log_;
  }

 private:
  LaneLog* log_;
  bool was_;
};

}  // namespace simt

/// \file
/// One problem that a step is measured on.
#pragma once

#include <cstdint>

#include "common/step/dtype.h"
#include "common/verify/inputs.h"

namespace worklog {

struct Case {
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int k = 0;  ///< how many of the largest are wanted; 0 for softmax steps
  Input input = Input::kRandom;
};

}  // namespace worklog

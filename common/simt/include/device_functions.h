/// \file
/// Everything is in cuda_runtime.h.
#pragma once

#include "common/simt/include/cuda_runtime.h"

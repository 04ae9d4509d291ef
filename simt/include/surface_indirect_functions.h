/// \file
/// Everything is in cuda_runtime.h.
#pragma once

#include "simt/include/cuda_runtime.h"

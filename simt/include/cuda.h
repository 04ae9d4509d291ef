/// \file
/// Programs that include this for no need find what cuda_runtime.h has; there is no driver API.
#pragma once

#include "simt/include/cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION

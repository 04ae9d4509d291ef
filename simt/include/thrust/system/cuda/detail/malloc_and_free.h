/// \file
/// Stands in for Thrust's header of this name.
#pragma once

#include "simt/include/cuda_standin/thrust/memory.h"

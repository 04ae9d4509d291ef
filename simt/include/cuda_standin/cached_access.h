/// \file
/// Loads and stores with a cache policy, which the executor does not model: they are plain
/// accesses.
#pragma once

#include <type_traits>

#include "simt/include/cuda_standin/qualifiers.h"

#define SIMT_LOAD(name)               \
  template <typename T>               \
  SIMT_INLINE T name(const T* from) { \
    return *from;                     \
  }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldcv)
SIMT_LOAD(__ldlu)
#undef SIMT_LOAD

#define SIMT_STORE(name)                                             \
  template <typename T>                                              \
  SIMT_INLINE void name(T* to, const std::common_type_t<T>& value) { \
    *to = value;                                                     \
  }
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwb)
SIMT_STORE(__stwt)
#undef SIMT_STORE

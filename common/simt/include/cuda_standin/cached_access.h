/// \file
/// Loads and stores with a cache policy, which the executor does not model: they are plain
/// accesses.
#pragma once

#include <type_traits>

#include "common/simt/include/cuda_standin/qualifiers.h"

#define WORKLOG_SIMT_LOAD(name)               \
  template <typename T>                       \
  WORKLOG_SIMT_INLINE T name(const T* from) { \
    return *from;                             \
  }
WORKLOG_SIMT_LOAD(__ldg)
WORKLOG_SIMT_LOAD(__ldca)
WORKLOG_SIMT_LOAD(__ldcg)
WORKLOG_SIMT_LOAD(__ldcs)
WORKLOG_SIMT_LOAD(__ldcv)
WORKLOG_SIMT_LOAD(__ldlu)
#undef WORKLOG_SIMT_LOAD

#define WORKLOG_SIMT_STORE(name)                                               \
  template <typename T>                                                        \
  WORKLOG_SIMT_INLINE void name(T* to, const std::type_identity_t<T>& value) { \
    *to = value;                                                               \
  }
WORKLOG_SIMT_STORE(__stcg)
WORKLOG_SIMT_STORE(__stcs)
WORKLOG_SIMT_STORE(__stwb)
WORKLOG_SIMT_STORE(__stwt)
#undef WORKLOG_SIMT_STORE

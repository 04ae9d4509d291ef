/// \file
/// The bodies of cuBLAS's functions.
#pragma once

#include "simt/cublas/call.h"
#include "simt/executor/findings/host_call.h"

/// The body of `function`, which has a `handle` and does what the rest says with a Call `call`.
#define SIMT_CUBLAS_CALL(function, ...)                                   \
  {                                                                       \
    SIMT_HOST_CALL;                                                       \
    return computed(#function, handle, [=](Call& call) { __VA_ARGS__; }); \
  }

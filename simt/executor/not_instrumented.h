/// \file
/// Code that leads every thread to its kernel but is none of it: what it loads, the hidden pointers
/// to the arguments, is not looked at.
#pragma once

#if defined(__clang__)
#define SIMT_NOT_INSTRUMENTED __attribute__((no_sanitize("thread", "coverage")))
#else
/// Marks functions that nothing watches.
#define SIMT_NOT_INSTRUMENTED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#endif

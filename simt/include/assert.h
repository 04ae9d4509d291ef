/// \file
/// Stands in for the C library's assert.h: in a kernel, a failed assertion ends the launch with
/// cudaErrorAssert and a finding. In host code it ends the program as always. Like the library's,
/// this header may be included again after NDEBUG changed.

#ifndef SIMT_ASSERTION_FAILED
#define SIMT_ASSERTION_FAILED
namespace simt {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const char* function);
}  // namespace simt
#endif

#undef assert
#ifdef NDEBUG
#define assert(...) (static_cast<void>(0))
#else
#define assert(...)                     \
  ((__VA_ARGS__) ? static_cast<void>(0) \
                 : ::simt::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif

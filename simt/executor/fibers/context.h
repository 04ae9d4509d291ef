/// \file
/// From one stack to another: Boost.Context's functions, but for x86-64, where there is less to do.
///
/// Measured with Boost 1.74 on an AMD EPYC, a switch there and back between two fibers: 10 ns with
/// its jump_fcontext, 14 ns with the public boost::context::fiber, which can only switch from any
/// fiber to any other through resume_with. Hence the former, although it lives in `detail`.
#pragma once

#include <cstddef>

#include "simt/executor/executor.h"

#if defined(__x86_64__) && defined(__ELF__)
#define SIMT_OWN_JUMP 1
#else
#include <boost/context/detail/fcontext.hpp>
#endif

namespace simt {

/// Where a stack goes on.
using Context = void*;

#if defined(SIMT_OWN_JUMP)

/// Goes on there, and hands over what is needed to come back. Boost's saves and restores the modes
/// of the floating-point units, too, which takes as long as all else: those of all CUDA threads are
/// the same.
extern "C" [[gnu::visibility("hidden")]] Handover simt_jump(Context to, Context* kept_in);

/// Where a new stack begins: in `entry`, which does not return. Its highest address, `top`, is
/// aligned to 16 bytes.
Context make_context(char* top, std::size_t bytes, void (*entry)(Handover));

[[gnu::always_inline]] inline Handover jump(Context to, Context& kept_in) {
  return simt_jump(to, &kept_in);
}

#else

inline Context make_context(char* top, std::size_t bytes, void (*entry)(Handover)) {
  using Entry = void (*)(boost::context::detail::transfer_t);
  const auto function = reinterpret_cast<void (*)()>(entry);
  return boost::context::detail::make_fcontext(top, bytes, reinterpret_cast<Entry>(function));
}

/// jump_fcontext, which returns Boost's transfer_t: here under a name for which kernels need none
/// of Boost's headers.
[[gnu::always_inline]] inline Handover jump(Context to, Context& kept_in) {
  static_assert(sizeof(Handover) == sizeof(boost::context::detail::transfer_t));
  using Jump = Handover (*)(Context, void*);
  const auto function = reinterpret_cast<void (*)()>(&boost::context::detail::jump_fcontext);
  return reinterpret_cast<Jump>(function)(to, &kept_in);
}

#endif

}  // namespace simt

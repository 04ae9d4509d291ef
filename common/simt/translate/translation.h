/// \file
/// From CUDA source to C++ source.
///
/// C++ can parse all of CUDA but for two constructs, the launch `kernel<<<...>>>(...)` and
/// `__shared__` variables. They are rewritten in place, line by line, so that every other character
/// stays where it was but for what is added behind variables of the device.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/translate/token.h"

namespace simt::translate {

/// Replaces `length` characters at `offset` of the source; 0 inserts.
struct Edit {
  std::size_t offset;       ///< in the source
  std::size_t length;       ///< that go
  std::string replacement;  ///< that come
};

/// Something that cannot be translated.
struct Refusal {
  int line;             ///< from 1
  std::string message;  ///< why, for people
};

/// What one of the rewriters below found.
struct Changes {
  std::vector<Edit> edits;        ///< in any order; none overlaps another
  std::vector<Refusal> refusals;  ///< in any order
};

/// `kernel<T><<<grid, block, bytes, stream>>>(args)` becomes a call of `launcher()` of
/// cuda_standin/launch.h, with the kernel's name and a callable. In the body of a macro, a kernel
/// that is one of its `parameters` is named by what is passed.
Changes rewrite_launches(const Tokens& code, const std::vector<std::string_view>& parameters = {});

/// The kernels of cudaLaunchKernel() and its like are given their names, and lose a cast to
/// `void*`.
Changes name_launched_kernels(const Tokens& code);

/// `__shared__` variables become references into the executor's shared memory: where they are
/// declared, or in the device functions that use them if that is outside functions.
Changes rewrite_shared_variables(const Tokens& code);

/// Variables outside functions that are `__device__`, `__managed__` or `__constant__` are made
/// known to the executor, each by an object behind its declaration.
Changes add_device_variables(const Tokens& code);

/// Kernels with `__launch_bounds__` begin with a call of `check_launch_bounds()`.
Changes check_launch_bounds(const Tokens& code);

/// Inline PTX is only refused.
Changes refuse_inline_ptx(const Tokens& code);

/// What became of a source.
struct Translation {
  std::string text;  ///< begins with a `#line` directive; empty if anything was refused
  std::vector<Refusal> refusals;  ///< by line
};

/// Translates `source`; `absolute_path` is what diagnostics and debug information shall name.
Translation translate(std::string_view source, const std::string& absolute_path);

/// `text` as a C++ string literal.
std::string quoted(std::string_view text);

}  // namespace simt::translate

/// \file
/// From CUDA source to C++ source.
///
/// C++ can parse all of CUDA but for the launch `kernel<<<...>>>(...)`, `__shared__` variables and
/// inline PTX. They are rewritten in place, line by line, so that every other character
/// stays where it was but for what is added behind variables of the device.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simt/translate/structure.h"
#include "simt/translate/token.h"

namespace simt::translate {

/// Replaces `length` characters at `offset` of the source; 0 inserts.
struct Edit {
  std::size_t offset;       ///< in the source
  std::size_t length;       ///< that go
  std::string replacement;  ///< that come
};

/// Something to say of a line.
struct Remark {
  int line;             ///< from 1
  std::string message;  ///< for people
};
using Refusal = Remark;  ///< why it cannot be translated

/// A range of the source around which something stands in the translation. What is inserted ends
/// with a `#line` directive.
struct Region {
  std::size_t begin;    ///< in the source
  std::size_t end;      ///< behind it
  std::string opening;  ///< stands before it
  std::string between;  ///< if not empty, the range comes once more, behind this
  std::string closing;  ///< stands behind it
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

/// A `__shared__` variable that is declared outside functions.
struct OutsideVariable {
  std::string name;       ///< as declared
  std::string reference;  ///< a declaration by which a function refers to it
};
using OutsideVariables = std::vector<OutsideVariable>;  ///< in their order

/// `__shared__` variables become references into the executor's shared memory: where they are
/// declared, or in the device functions that use them if that is outside functions. `outside` has
/// those of included files, and gets those of this one.
Changes rewrite_shared_variables(const Tokens& code, OutsideVariables& outside);
/// The same of dynamic ones in the braces of a macro's body, each on one line: who is to use them
/// stands there as well.
Changes rewrite_shared_variables_of_macro(const Tokens& words);

/// Variables outside functions that are `__device__`, `__managed__` or `__constant__` are made
/// known to the executor, each by an object behind its declaration.
Changes add_device_variables(const Tokens& code);

/// Kernels with `__launch_bounds__` begin with a call of `check_launch_bounds()`.
Changes check_launch_bounds(const Tokens& code);

/// Atomic additions of a number whose result is not used are preceded by `adds_a_constant()`.
Changes mark_additions_without_result(const Tokens& code);

/// Loops are preceded by `loop_begins()`.
Changes mark_loops(const Tokens& code);

/// Inline PTX of one instruction that cuda_standin/ptx.h has becomes a call of it; other PTX is
/// refused. Host code may have instructions of its own processor.
Changes rewrite_inline_ptx(const Tokens& code);

/// The same in the body of a macro, given the words of its directive. Whether the macro is used is
/// not known: PTX that would be refused makes an error of each line that does.
Changes rewrite_inline_ptx_of_macro(const Tokens& words);

/// Where `__CUDA_ARCH__` comes and goes. No region begins in another and ends outside of it, and
/// none that comes twice lies in another that does.
std::vector<Region> regions_of_sides(const Tokens& tokens, const std::vector<SidedRange>& ranges,
                                     const std::string& path);

/// Where that may not be what nvcc makes of the source.
std::vector<Remark> remarks_on_sides(const Tokens& tokens, const std::vector<SidedRange>& ranges);

/// What became of a source.
struct Translation {
  std::string text;  ///< begins with a `#line` directive; empty if anything was refused
  std::vector<Refusal> refusals;  ///< by line
  std::vector<Remark> remarks;    ///< what its user may wonder about, by line
  OutsideVariables outside;       ///< for what includes it: its own, and those it was given
};

/// `source` without the byte-order mark that it may begin with.
std::string_view without_byte_order_mark(std::string_view source);

/// Translates `source`; `absolute_path` is what diagnostics and debug information shall name.
/// `outside` has what the files have that it includes.
Translation translate(std::string_view source, const std::string& absolute_path,
                      OutsideVariables outside = {});

/// `text` as a C++ string literal.
std::string quoted(std::string_view text);

}  // namespace simt::translate

/// \file
/// Types of elements as users of NumPy and PyTorch write them.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

namespace worklog::python {

/// "f32", "f16" or "bf16" of such a name, of NumPy's "float32" or its other names for that, or of a
/// type of NumPy's or PyTorch's. Throws a TypeError that says what is given and what may be.
std::string step_dtype_of(nanobind::handle given);

}  // namespace worklog::python

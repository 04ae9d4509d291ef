/// \file
/// Calls of the library at addresses: a tensor of PyTorch's tells its address sooner than it is
/// exported by DLPack.
#pragma once

#include <nanobind/nanobind.h>

namespace worklog::python {

/// Adds them to the module. softmax_worklog/_fast.py looks at the tensors first.
void bind_fast_calls(nanobind::module_& m);

}  // namespace worklog::python

/// \file
/// The namespace cuda::std: the C++ standard library's names, but for those that cuda/ declares
/// there itself.
#pragma once

#include <cstddef>

namespace cuda {
/// As libcu++ has it.
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda

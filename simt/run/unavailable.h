/// \file
/// The parts of CUDA that the executor lacks, by the names under which programs ask for them.
#pragma once

#include <string>
#include <string_view>

namespace simt::run {

/// What a header belongs to that has no stand-in, such as "CUB"; empty for others.
std::string_view library_of_header(std::string_view name);

/// Whether a header is of a library that runs here from NVIDIA's own headers: Thrust or CUB.
bool is_of_library_that_runs(std::string_view name);

/// What to say of a header of some library that is not there: "<cub/cub.cuh>: not available on the
/// CPU executor (CUB)" and the like, with the package that brings it; empty for other headers.
std::string refusal_of_header(std::string_view name);

/// What an identifier that no header declares belongs to, such as "textures"; empty if it is not
/// CUDA's by its name. The scope is the namespace that lacks it, such as "cuda::ptx"; empty where
/// none was named.
std::string_view part_of_name(std::string_view identifier, std::string_view scope);

/// Whether it has a part by no more than its first letters, as a name of the program's own may
/// have, or one of CUDA's with a letter wrong.
bool may_be_misspelt(std::string_view identifier, std::string_view scope);

}  // namespace simt::run

#include "common/simt/run/unavailable.h"

#include <algorithm>
#include <array>

namespace simt::run {
namespace {

/// How names begin, and what those belong to.
struct Part {
  std::string_view prefix;
  std::string_view name;
};

constexpr std::array kHeaders = {
    Part{"cub/", "CUB"},
    Part{"thrust/", "Thrust"},
    Part{"cuda/", "libcu++"},
    Part{"nv/", "libcu++"},
    Part{"cute/", "CuTe"},
    Part{"cutlass/", "CUTLASS"},
    Part{"cublas", "cuBLAS"},
    Part{"cudnn", "cuDNN"},
    Part{"cufft", "cuFFT"},
    Part{"curand", "cuRAND"},
    Part{"cusolver", "cuSOLVER"},
    Part{"cusparse", "cuSPARSE"},
    Part{"nccl", "NCCL"},
    Part{"npp", "NPP"},
    Part{"nvrtc", "NVRTC"},
    Part{"nvml", "NVML"},
    Part{"nvToolsExt", "NVTX"},
    Part{"nvtx3/", "NVTX"},
    Part{"mma.h", "warp matrix operations"},
    Part{"cuda_pipeline", "asynchronous copies"},
    Part{"cuda_awbarrier", "asynchronous barriers"},
    Part{"cooperative_groups/memcpy_async.h", "asynchronous copies"},
    Part{"cudaTypedefs.h", "the driver API"},
    Part{"texture_", "textures"},
    Part{"surface_", "surfaces"},
};

constexpr std::array kIdentifiers = {
    Part{"cudaTexture", "textures"},
    Part{"cudaCreateTextureObject", "textures"},
    Part{"cudaBindTexture", "textures"},
    Part{"tex1D", "textures"},
    Part{"tex2D", "textures"},
    Part{"tex3D", "textures"},
    Part{"texCubemap", "textures"},
    Part{"cudaSurface", "surfaces"},
    Part{"cudaCreateSurfaceObject", "surfaces"},
    Part{"surf1D", "surfaces"},
    Part{"surf2D", "surfaces"},
    Part{"surf3D", "surfaces"},
    Part{"cudaArray", "arrays for textures"},
    Part{"cudaMallocArray", "arrays for textures"},
    Part{"cudaMalloc3DArray", "arrays for textures"},
    Part{"cudaGraph", "graphs"},
    Part{"cudaStreamBeginCapture", "graphs"},
    Part{"cudaIpc", "memory of other processes"},
    Part{"cudaImportExternal", "memory of other interfaces"},
    Part{"cudaGraphicsResource", "graphics"},
    Part{"CUtensorMap", "tensor maps"},
    Part{"cuTensorMap", "tensor maps"},
};

template <std::size_t N>
std::string_view find(const std::array<Part, N>& parts, std::string_view name) {
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& candidate) {
    return name.starts_with(candidate.prefix);
  });
  return part == parts.end() ? std::string_view() : part->name;
}

}  // namespace

std::string_view library_of_header(std::string_view name) {
  return find(kHeaders, name);
}

std::string_view part_of_name(std::string_view identifier) {
  return find(kIdentifiers, identifier);
}

}  // namespace simt::run

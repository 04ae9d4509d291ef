#include "simt/run/unavailable.h"

#include <algorithm>
#include <array>

namespace simt::run {
namespace {

/// How names begin, and what those belong to; the first that fits counts.
struct Part {
  std::string_view prefix;  ///< "cu[A-Z]" for cu and a capital letter, "wmma$" for all of a name
  std::string_view name;
};

constexpr std::array kHeaders = {
    Part{"thrust/async/", "asynchronous algorithms of Thrust's"},
    Part{"thrust/event.h", "asynchronous algorithms of Thrust's"},
    Part{"thrust/future.h", "asynchronous algorithms of Thrust's"},
    Part{"cub/", "CUB"},
    Part{"thrust/", "Thrust"},
    Part{"cuda/", "libcu++"},
    Part{"nv/", "libcu++"},
    Part{"cute/", "CuTe"},
    Part{"cutlass/", "CUTLASS"},
    Part{"cublasLt", "cuBLASLt"},
    Part{"cublasXt", "cuBLASXt"},
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
    Part{"cuda_awbarrier", "asynchronous barriers"},
    Part{"cudaTypedefs.h", "the driver API"},
    Part{"texture_", "textures"},
    Part{"surface_", "surfaces"},
    Part{"cuda", "a part of CUDA"},
    Part{"cupti", "CUPTI"},
    Part{"crt/", "CUDA's own files"},
    Part{"sm_", "CUDA's own files"},
    Part{"channel_descriptor.h", "textures"},
    Part{"driver_functions.h", "a part of CUDA"},
};

/// Which package of Debian's brings the headers of a library that runs here.
constexpr std::array kPackages = {
    Part{"Thrust$", "libthrust-dev"},
    Part{"CUB$", "libcub-dev"},
};

constexpr std::string_view kPtx = "a part of <cuda/ptx>";

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
    Part{"memcpy_async_tx", "bulk copies"},
    Part{"cp_async_bulk", "bulk copies"},
    Part{"barrier_cluster_arrive", kPtx},
    Part{"barrier_cluster_wait", kPtx},
    Part{"clusterlaunchcontrol_", kPtx},
    Part{"cp_async_mbarrier_arrive", kPtx},
    Part{"cp_reduce_async_bulk", kPtx},
    Part{"fence_proxy_", kPtx},
    Part{"fence_sync_restrict", kPtx},
    Part{"get_sreg_", kPtx},
    Part{"mbarrier_arrive_no_complete", kPtx},
    Part{"multimem_ld_reduce", kPtx},
    Part{"multimem_red", kPtx},
    Part{"multimem_st", kPtx},
    Part{"tcgen05_", kPtx},
    Part{"tensormap_cp_fenceproxy", kPtx},
    Part{"tensormap_replace", kPtx},
    Part{"cudaIpc", "memory of other processes"},
    Part{"cudaImportExternal", "memory of other interfaces"},
    Part{"cudaGraphicsResource", "graphics"},
    Part{"CUtensorMap", "tensor maps"},
    Part{"cuTensorMap", "tensor maps"},
    Part{"cudaMemPool", "memory pools"},
    Part{"cublasLt[A-Z]", "cuBLASLt"},
    Part{"cublasXt[A-Z]", "cuBLASXt"},
    Part{"cublas[A-Z]", "cuBLAS"},
    Part{"cufft[A-Z]", "cuFFT"},
    Part{"curand[A-Z]", "cuRAND"},
    Part{"curand_", "cuRAND"},
    Part{"curand$", "cuRAND"},
    Part{"cusolver[A-Z]", "cuSOLVER"},
    Part{"cusparse[A-Z]", "cuSPARSE"},
    Part{"nvrtc[A-Z]", "NVRTC"},
    Part{"bmma_sync", "products of matrices of bits"},
    Part{"bmmaBitOp", "products of matrices of bits"},
    Part{"thrust$", "Thrust"},
    Part{"nccl[A-Z]", "NCCL"},
};

/// Names of <cuda/ptx> that a program may well have for something of its own: they are looked at
/// only where they are said to be its members.
constexpr std::array kMembersOfPtx = {
    Part{"bfind", kPtx},      Part{"bmsk", kPtx},       Part{"elect_sync", kPtx},
    Part{"exit$", kPtx},      Part{"fence$", kPtx},     Part{"getctarank$", kPtx},
    Part{"ld$", kPtx},        Part{"ld_", kPtx},        Part{"mapa$", kPtx},
    Part{"prmt", kPtx},       Part{"red_async$", kPtx}, Part{"setmaxnreg", kPtx},
    Part{"shfl_sync_", kPtx}, Part{"shl$", kPtx},       Part{"shr$", kPtx},
    Part{"st$", kPtx},        Part{"st_bulk$", kPtx},   Part{"trap$", kPtx},
};

/// All others of CUDA's names begin so; but names of the program may, too.
constexpr std::array kOtherIdentifiers = {
    Part{"cuda[A-Z]", "the runtime API"}, Part{"cu[A-Z]", "the driver API"},
    Part{"CU[a-z]", "the driver API"},    Part{"CU_", "the driver API"},
    Part{"__[a-z]", "device functions"},
};

/// Whether the name begins so, where the pattern may end in a class of characters, or in a "$"
/// where the name ends, too.
bool begins_like(std::string_view name, std::string_view pattern) {
  if (pattern.ends_with('$')) return name == pattern.substr(0, pattern.size() - 1);
  const std::size_t bracket = pattern.find('[');
  if (!name.starts_with(pattern.substr(0, bracket))) return false;
  if (bracket == std::string_view::npos) return true;
  return name.size() > bracket && name[bracket] >= pattern[bracket + 1] &&
         name[bracket] <= pattern[bracket + 3];
}

template <std::size_t N>
std::string_view find(const std::array<Part, N>& parts, std::string_view name) {
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& candidate) {
    return begins_like(name, candidate.prefix);
  });
  return part == parts.end() ? std::string_view() : part->name;
}

/// The scope as a message has it: libcu++'s, or what programs call it.
bool is_ptx(std::string_view scope) {
  return scope == "cuda::ptx" || scope == "ptx";
}

/// What CUDA alone calls so.
std::string_view part_of_known_name(std::string_view identifier, std::string_view scope) {
  const std::string_view part = find(kIdentifiers, identifier);
  return part.empty() && is_ptx(scope) ? find(kMembersOfPtx, identifier) : part;
}

}  // namespace

std::string_view library_of_header(std::string_view name) {
  return find(kHeaders, name);
}

bool is_of_library_that_runs(std::string_view name) {
  return !find(kPackages, library_of_header(name)).empty();
}

std::string refusal_of_header(std::string_view name) {
  const std::string_view library = library_of_header(name);
  if (library.empty()) return "";
  const std::string_view package = find(kPackages, library);
  const std::string reason = package.empty()
                                 ? std::string(library)
                                 : std::string(library) +
                                       " is not installed, or has no such header; the package " +
                                       std::string(package) + " brings it";
  return "<" + std::string(name) + ">: not available on the CPU executor (" + reason + ")";
}

std::string_view part_of_name(std::string_view identifier, std::string_view scope) {
  const std::string_view part = part_of_known_name(identifier, scope);
  return part.empty() ? find(kOtherIdentifiers, identifier) : part;
}

bool may_be_misspelt(std::string_view identifier, std::string_view scope) {
  return part_of_known_name(identifier, scope).empty();
}

}  // namespace simt::run

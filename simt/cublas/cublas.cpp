// Handles, what is set of them, and copies between host and device.

#include <cblas.h>
#include <cstdlib>

#include "simt/cublas/call.h"
#include "simt/cublas/handle.h"
#include "simt/executor/counters.h"
#include "simt/executor/findings/host_call.h"
#include "simt/include/cublas_api.h"

namespace {

using namespace simt::cublas;

/// As many threads as run blocks of kernels, unless OpenBLAS was told otherwise.
void set_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) openblas_set_num_threads(simt::workers());
}

template <typename T>
cublasStatus_t set(const char* function, cublasHandle_t handle, T cublasContext::*member, T value) {
  return checked(function, [=] { find_context(handle).*member = value; });
}
template <typename T>
cublasStatus_t get(const char* function, cublasHandle_t handle, T cublasContext::*member,
                   T* value) {
  return checked(function, [=] {
    const cublasContext& found = find_context(handle);
    require(value != nullptr);
    *value = found.*member;
  });
}

struct Text {
  cublasStatus_t status;
  const char* name;
  const char* description;
};
constexpr Text kTexts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the requested functionality requires a feature absent from the device architecture"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the requested functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "the requested functionality requires some license and an error was detected"},
};

const Text* text_of(cublasStatus_t status) {
  for (const Text& text : kTexts) {
    if (text.status == status) return &text;
  }
  return nullptr;
}

/// Pieces of a strided array on either side of a copy.
struct Strided {
  const void* begin;
  int distance;  ///< in elements
};

/// `copy` gets the distances and the length of a piece in bytes. Returns what cudaMemcpy2D() would
/// have failed with.
template <typename Copy>
cublasStatus_t copied(int pieces, int elements, int element_bytes, Strided from, Strided to,
                      Copy copy) {
  if (element_bytes <= 0 || from.distance <= 0 || to.distance <= 0 || pieces < 0 || elements < 0 ||
      from.distance < elements || to.distance < elements) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (pieces == 0 || elements == 0) return CUBLAS_STATUS_SUCCESS;
  const auto bytes = static_cast<std::size_t>(element_bytes);
  const auto rows = static_cast<std::size_t>(pieces);
  const std::size_t width = static_cast<std::size_t>(elements) * bytes;
  const bool is_dense = from.distance == elements && to.distance == elements;
  const cudaError_t error =
      is_dense ? copy(width * rows, width * rows, width * rows, std::size_t{1})
               : copy(static_cast<std::size_t>(to.distance) * bytes,
                      static_cast<std::size_t>(from.distance) * bytes, width, rows);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t copied_now(int pieces, int elements, int element_bytes, Strided from, void* to,
                          int to_distance, cudaMemcpyKind kind) {
  return copied(
      pieces, elements, element_bytes, from, {to, to_distance},
      [=](std::size_t to_pitch, std::size_t from_pitch, std::size_t width, std::size_t rows) {
        return cudaMemcpy2D(to, to_pitch, from.begin, from_pitch, width, rows, kind);
      });
}

cublasStatus_t copied_in(cudaStream_t stream, int pieces, int elements, int element_bytes,
                         Strided from, void* to, int to_distance, cudaMemcpyKind kind) {
  return copied(
      pieces, elements, element_bytes, from, {to, to_distance},
      [=](std::size_t to_pitch, std::size_t from_pitch, std::size_t width, std::size_t rows) {
        return cudaMemcpy2DAsync(to, to_pitch, from.begin, from_pitch, width, rows, kind, stream);
      });
}

}  // namespace

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  SIMT_HOST_CALL;
  return checked("cublasCreate", [=] {
    require(handle != nullptr);
    set_threads();
    *handle = create_context();
  });
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return checked("cublasDestroy", [=] { destroy_context(handle); });
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  return checked("cublasGetVersion", [=] {
    find_context(handle);
    require(version != nullptr);
    *version = CUBLAS_VERSION;
  });
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (type < MAJOR_VERSION || type > PATCH_LEVEL || value == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *value = kParts[type];
  return CUBLAS_STATUS_SUCCESS;
}

std::size_t cublasGetCudartVersion() {
  return CUDART_VERSION;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  const Text* text = text_of(status);
  return text == nullptr ? "unknown" : text->name;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  const Text* text = text_of(status);
  return text == nullptr ? "unknown" : text->description;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return set("cublasSetStream", handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return get("cublasGetStream", handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  const bool known = mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE;
  if (!known) return CUBLAS_STATUS_INVALID_VALUE;
  return set("cublasSetPointerMode", handle, &cublasContext::pointer_mode, mode);
}

cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get("cublasGetPointerMode", handle, &cublasContext::pointer_mode, mode);
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set("cublasSetAtomicsMode", handle, &cublasContext::atomics_mode, mode);
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get("cublasGetAtomicsMode", handle, &cublasContext::atomics_mode, mode);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set("cublasSetMathMode", handle, &cublasContext::math_mode, mode);
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get("cublasGetMathMode", handle, &cublasContext::math_mode, mode);
}

// Nothing here needs one.
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* /*workspace*/,
                                  std::size_t /*bytes*/) {
  return checked("cublasSetWorkspace", [=] { find_context(handle); });
}

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device_y,
                               int incy) {
  SIMT_HOST_CALL;
  return copied_now(n, 1, element_bytes, {x, incx}, device_y, incy, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device_x, int incx, void* y,
                               int incy) {
  SIMT_HOST_CALL;
  return copied_now(n, 1, element_bytes, {device_x, incx}, y, incy, cudaMemcpyDeviceToHost);
}

cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* a, int lda,
                               void* device_b, int ldb) {
  SIMT_HOST_CALL;
  return copied_now(columns, rows, element_bytes, {a, lda}, device_b, ldb, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device_a,
                               int lda, void* b, int ldb) {
  SIMT_HOST_CALL;
  return copied_now(columns, rows, element_bytes, {device_a, lda}, b, ldb, cudaMemcpyDeviceToHost);
}

cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* x, int incx,
                                    void* device_y, int incy, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return copied_in(stream, n, 1, element_bytes, {x, incx}, device_y, incy, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* device_x, int incx,
                                    void* y, int incy, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return copied_in(stream, n, 1, element_bytes, {device_x, incx}, y, incy, cudaMemcpyDeviceToHost);
}

cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* a,
                                    int lda, void* device_b, int ldb, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return copied_in(stream, columns, rows, element_bytes, {a, lda}, device_b, ldb,
                   cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* device_a,
                                    int lda, void* b, int ldb, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return copied_in(stream, columns, rows, element_bytes, {device_a, lda}, b, ldb,
                   cudaMemcpyDeviceToHost);
}

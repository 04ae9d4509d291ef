// The names of cuBLASLt that llm.c's programs mention. A handle can be made; all else answers that
// it is not supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cublas_v2.h>

using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDesc*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayout*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreference*;
struct cublasLtMatmulAlgo_t {};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
};
enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_GELU = 32,
  CUBLASLT_EPILOGUE_GELU_BIAS = 36
};
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER
};
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 };

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}

namespace cublas_stand_in {

struct AnyArguments {
  template <class... Arguments>
  cublasStatus_t operator()(const Arguments&...) const {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
};

}  // namespace cublas_stand_in

inline constexpr cublas_stand_in::AnyArguments cublasLtMatmulDescCreate, cublasLtMatmulDescDestroy,
    cublasLtMatmulDescSetAttribute, cublasLtMatrixLayoutCreate, cublasLtMatrixLayoutDestroy,
    cublasLtMatmulPreferenceCreate, cublasLtMatmulPreferenceDestroy,
    cublasLtMatmulPreferenceSetAttribute, cublasLtMatmulAlgoGetHeuristic, cublasLtMatmul;

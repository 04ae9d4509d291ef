#include "common/cuda/check.h"

namespace worklog {

void check(cudaError_t code, std::string_view what, std::source_location where) {
  if (code == cudaSuccess) return;
  throw CudaError(code, std::string(what) + ": " + cudaGetErrorString(code) + " (" +
                            cudaGetErrorName(code) + ") at " + where.file_name() + ":" +
                            std::to_string(where.line()));
}

}  // namespace worklog

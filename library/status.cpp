#include "library/status.h"

#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "common/cuda/check.h"
#include "common/step/validate.h"
#include "library/device.h"

namespace worklog::library {

namespace {

// A buffer, not a string: there may be no memory left to keep the text in.
constexpr std::size_t kLongestText = 1024;
thread_local char text_of_last[kLongestText] = "";

softmax_worklog_status keep(softmax_worklog_status status, const char* text) {
  std::snprintf(text_of_last, kLongestText, "%s", text);
  return status;
}

// A binary without code for the device tells so at its first launch. The executor runs all there
// is.
bool lacks_kernels([[maybe_unused]] cudaError_t code) {
#ifdef SIMT_EXECUTOR
  return false;
#else
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction;
#endif
}

softmax_worklog_status keep(const CudaError& error) {
  if (!lacks_kernels(error.code())) return keep(SOFTMAX_WORKLOG_CUDA_ERROR, error.what());
  std::snprintf(text_of_last, kLongestText,
                "the current device: must be one that this library was built for, %s: %s",
                architectures(), error.what());
  return SOFTMAX_WORKLOG_UNSUPPORTED_ARCHITECTURE;
}

}  // namespace

void refuse(const std::string& argument, const std::string& value, const std::string& limit) {
  throw Refusal(SOFTMAX_WORKLOG_INVALID_ARGUMENT, argument + " = " + value + ": must be " + limit);
}

std::string address_text(const void* pointer) {
  if (pointer == nullptr) return "null";
  std::ostringstream text;
  text << pointer;
  return text.str();
}

softmax_worklog_status status_of_thrown() noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return keep(refusal.status(), refusal.what());
  } catch (const ArgumentError& error) {
    return keep(SOFTMAX_WORKLOG_INVALID_ARGUMENT, error.what());
  } catch (const CudaError& error) {
    return keep(error);
  } catch (const std::bad_alloc& error) {
    std::snprintf(text_of_last, kLongestText, "the host has no memory left: %s", error.what());
    return SOFTMAX_WORKLOG_INTERNAL_ERROR;
  } catch (const std::exception& error) {
    return keep(SOFTMAX_WORKLOG_INTERNAL_ERROR, error.what());
  } catch (...) {
    return keep(SOFTMAX_WORKLOG_INTERNAL_ERROR, "something was thrown that is no exception");
  }
}

const char* last_error() {
  return text_of_last;
}

}  // namespace worklog::library

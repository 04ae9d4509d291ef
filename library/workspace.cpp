#include "library/workspace.h"

#include <string>

#include "common/step/run.h"
#include "library/status.h"

namespace worklog::library {

namespace {

[[noreturn]] void refuse_workspace(const std::string& value, const std::string& limit) {
  throw Refusal(SOFTMAX_WORKLOG_INVALID_WORKSPACE, value + ": must be " + limit);
}

}  // namespace

std::int64_t workspace_bytes_of(const Shape& shape, const Choice& choice) {
  if (shape.rows == 0 || shape.cols == 0) return 0;
  const std::int64_t own =
      scratch_bytes(*choice.candidate->step, shape.rows, shape.cols, shape.dtype);
  if (shape.operation != SOFTMAX_WORKLOG_CROSS_ENTROPY) return own;
  // log(sum(exp)) of each row, and the losses that a sum or a mean is made of.
  return own + 2 * Scratch::bytes_for(shape.rows, sizeof(float));
}

CallersWorkspace::CallersWorkspace(void* data, std::size_t bytes, std::int64_t needed) {
  if (needed == 0) return;
  if (data == nullptr) {
    refuse_workspace("workspace = null",
                     "device memory of " + std::to_string(needed) + " bytes or more");
  }
  if (bytes < static_cast<std::size_t>(needed)) {
    refuse_workspace("workspace_bytes = " + std::to_string(bytes),
                     std::to_string(needed) + " or more");
  }
  if (reinterpret_cast<std::uintptr_t>(data) % SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT != 0) {
    refuse_workspace("workspace = " + address_text(data),
                     "a multiple of " + std::to_string(SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT));
  }
  data_ = data;
  bytes_ = needed;
  rest_ = Scratch(data, needed);
}

void CallersWorkspace::require_clear_of(const CallersArray& array) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  const auto array_begin = reinterpret_cast<std::uintptr_t>(array.data);
  const std::size_t array_bytes = static_cast<std::size_t>(array.elements) * array.element_bytes;
  const bool is_clear = array_begin >= begin + static_cast<std::uintptr_t>(bytes_) ||
                        begin >= array_begin + array_bytes;
  if (bytes_ == 0 || array.data == nullptr || is_clear) return;
  refuse_workspace("workspace = " + address_text(data_),
                   "clear of " + std::string(array.name) + ", " + std::to_string(array_bytes) +
                       " bytes from " + address_text(array.data));
}

}  // namespace worklog::library

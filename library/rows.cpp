#include "library/rows.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "common/step/validate.h"
#include "library/include/softmax_worklog/c.h"
#include "library/status.h"

namespace worklog::library {

namespace {

std::uintptr_t begin_of(const Rows& rows) {
  return reinterpret_cast<std::uintptr_t>(rows.data);
}

std::uintptr_t end_of(const Rows& rows) {
  return begin_of(rows) + static_cast<std::uintptr_t>(rows.bytes());
}

// Between the rows of the one there may be those of the other: halves of a wider array. Matrices
// must begin where rows of that might.
bool interleave(const Rows& a, const Rows& b) {
  const std::int64_t stride = a.stride_bytes;
  if (stride != b.stride_bytes) return false;
  if (a.matrix_stride_bytes % stride != 0 || b.matrix_stride_bytes % stride != 0) return false;
  const Rows& first = begin_of(a) <= begin_of(b) ? a : b;
  const Rows& second = begin_of(a) <= begin_of(b) ? b : a;
  const auto apart = static_cast<std::int64_t>((begin_of(second) - begin_of(first)) %
                                               static_cast<std::uintptr_t>(stride));
  return first.row_bytes <= apart && apart + second.row_bytes <= stride;
}

}  // namespace

std::int64_t Rows::bytes() const {
  const std::int64_t last = rows - 1;
  return last / matrix_rows * matrix_stride_bytes + last % matrix_rows * stride_bytes + row_bytes;
}

void require_clear(const Rows& given, const Rows& results, const std::string& allowed) {
  if (given.data == nullptr || results.data == nullptr) return;
  if (end_of(given) <= begin_of(results) || end_of(results) <= begin_of(given)) return;
  if (interleave(given, results)) return;
  refuse(results.name, address_text(results.data),
         allowed + "clear of " + given.name + ", " + std::to_string(given.bytes()) +
             " bytes from " + address_text(given.data));
}

void require_shape_and_scale(std::int64_t rows, std::int64_t cols, std::size_t element,
                             float scale) {
  validate_shape(rows, cols, element);
  if (rows > SOFTMAX_WORKLOG_MAX_ROWS) {
    refuse("rows", std::to_string(rows), "at most " + std::to_string(SOFTMAX_WORKLOG_MAX_ROWS));
  }
  if (!std::isfinite(scale)) {
    std::ostringstream text;
    text << scale;
    refuse("options->scale", text.str(), "a finite number");
  }
}

std::int64_t stride_of(const char* name, std::int64_t given, std::int64_t rows, std::int64_t cols,
                       std::size_t element) {
  if (given != 0 && given < cols) {
    refuse(name, std::to_string(given), "0, or cols = " + std::to_string(cols) + " or more");
  }
  const std::int64_t stride = given == 0 ? cols : given;
  const auto most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element);
  if (rows > 0 && stride > most / rows) {
    refuse(name, std::to_string(stride),
           "at most " + std::to_string(most / rows) + " for " + std::to_string(rows) + " rows");
  }
  return stride;
}

void require_aligned(const char* name, const void* data, std::size_t element) {
  if (data == nullptr) refuse(name, "null", "device memory");
  if (reinterpret_cast<std::uintptr_t>(data) % element != 0) {
    refuse(name, address_text(data),
           "a multiple of " + std::to_string(element) + ", its type's alignment");
  }
}

}  // namespace worklog::library

/// \file
/// The operations on Python's arrays: by a step that is named, or by the one that the library
/// picks; in fp64 by a kernel that nobody has tuned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "common/step/step.h"
#include "library/include/softmax_worklog/c.h"
#include "python/arrays.h"

namespace worklog::python {

/// What the library has refused.
class LibraryError : public std::runtime_error {
 public:
  /// `what` is the library's text.
  LibraryError(softmax_worklog_status status, const std::string& what)
      : std::runtime_error(what), status_(status) {}
  /// The library's own code.
  softmax_worklog_status status() const { return status_; }

 private:
  softmax_worklog_status status_;
};

/// An operation of the library's, its arrays, and how its elements are called: "f32", "f16", "bf16"
/// or "f64".
struct Call {
  softmax_worklog_operation operation;
  std::string dtype;
  const Input* x;                        ///< the logits, or what the forward pass gave
  const Input* gradients = nullptr;      ///< by that, of a backward pass
  const Input* labels = nullptr;         ///< in 64 bits, of a cross-entropy
  const MaybeOutput* columns = nullptr;  ///< rows x cols of results, where there are any
  const MaybeOutput* values = nullptr;   ///< rows x k, or rows losses
  const MaybeOutput* indices = nullptr;  ///< rows x k
  const MaybeOutput* loss = nullptr;     ///< 1, where losses are reduced
  int k = 0;                             ///< of a top-k
  softmax_worklog_cross_entropy_options options = {};
  double label_smoothing = 0.0;  ///< of "f64", for which the options' float is too coarse
  std::uintptr_t stream = 0;     ///< CUDA's handle
};

/// Where the arrays of a call are; null where there is none.
struct Addresses {
  const void* x = nullptr;
  const void* gradients = nullptr;
  const std::int64_t* labels = nullptr;
  void* columns = nullptr;
  float* values = nullptr;
  std::int64_t* indices = nullptr;
  float* loss = nullptr;
};

/// What the library keeps on the device during a call. Null: the call takes what it needs from
/// CUDA.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// The same call of which nothing but addresses is known: of arrays that are C-contiguous and on
/// one device, which is the stream's, and have elements of the library's types. Whoever calls has
/// looked, and the library does not look again.
struct PlainCall {
  softmax_worklog_operation operation;
  softmax_worklog_dtype dtype;
  Extent extent;
  Addresses at = {};
  int k = 0;
  softmax_worklog_cross_entropy_options options = {};
  Workspace workspace = {};
  int device = 0;
  std::uintptr_t stream = 0;
};

/// Launches what the library picks. On the executor the work is done when this returns; on a GPU it
/// is on the stream. Throws LibraryError, CudaError and std::invalid_argument.
void call_library(const Call& call);
/// The same.
void call_library(const PlainCall& call);

/// Launches a step of its own choice of blocks, over the arrays that steps of its kind have.
void call_step(const Step& step, const Call& call);

/// Launches the sort of untuned.h: of "f64" or "i64".
struct SortCall {
  std::string dtype;
  const Input* keys;
  const MaybeOutput* values;
  const MaybeOutput* indices;
  std::int64_t k;
  bool largest;
  bool probabilities;
  double scale;  ///< of the keys whose probabilities are meant: above 0
  std::uintptr_t stream;
};
/// The same.
void call_sort(const SortCall& call);

/// Launches the library's softmax of rows that lie apart, are scaled and masked, and whose results
/// may be of another type. Strides are in elements.
struct ScaleMaskCall {
  bool logarithm;
  std::string dtype;          ///< of logits and mask; not "f64"
  std::string results_dtype;  ///< the same types
  const StridedInput* logits;
  const StridedInput* mask;  ///< null for none
  const StridedOutput* results;
  softmax_worklog_scale_mask_options options;  ///< its mask is the array above
  std::uintptr_t stream;
};
/// The same.
void call_scale_mask(const ScaleMaskCall& call);

/// Launches the library's backward pass of logits that were scaled, into gradients of their type.
struct ScaleBackwardCall {
  bool logarithm;
  std::string dtype;         ///< of results and gradients; not "f64"
  std::string logits_dtype;  ///< the same types
  const Input* results;
  const Input* gradients;
  const MaybeOutput* logit_gradients;
  float scale;
  std::uintptr_t stream;
};
/// The same.
void call_scale_backward(const ScaleBackwardCall& call);

/// Launches the library's top-k or cross-entropy of rows that may lie apart and are scaled.
struct ScaleCall {
  softmax_worklog_operation operation;
  std::string dtype;  ///< not "f64"
  const StridedInput* logits;
  const Input* labels = nullptr;           ///< in 64 bits, of a cross-entropy
  const MaybeOutput* gradients = nullptr;  ///< rows x cols, without a gap, where there are any
  const MaybeOutput* values = nullptr;     ///< rows x k, or rows losses
  const MaybeOutput* indices = nullptr;    ///< rows x k
  const MaybeOutput* loss = nullptr;       ///< 1, where losses are reduced
  int k = 0;                               ///< of a top-k
  softmax_worklog_cross_entropy_options options = {};
  softmax_worklog_scale_options scaling;
  std::uintptr_t stream;
};
/// The same.
void call_scale(const ScaleCall& call);

/// The bytes that a plain call's workspace must have; not of a top-k's. Throws LibraryError.
std::size_t workspace_bytes_of(softmax_worklog_operation operation, softmax_worklog_dtype dtype,
                               Extent extent, int device);

/// Which step would serve a call. Throws LibraryError.
const Step& picked_step(softmax_worklog_operation operation, const std::string& dtype,
                        Extent extent, int k);

}  // namespace worklog::python

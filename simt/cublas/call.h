/// \file
/// One call of a function of cuBLAS's: what it reads and writes, and where its scalars are.
#pragma once

#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "simt/cublas/handle.h"
#include "simt/cublas/operands.h"
#include "simt/executor/devices.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/system/fork_lock.h"

namespace simt::cublas {

/// While it lives, the handle's device is current, and other threads' calls wait. All of its
/// functions throw a Failure where the device cannot do what they say. What is read comes before
/// what is written, because that counts as written from then on.
class Call {
 public:
  /// `function` is what findings name.
  Call(const char* function, cublasHandle_t handle);

  /// The device reads these elements, all of which should have been written.
  template <typename Operand>
  void reads(const Operand& operand) {
    check_reach(operand.data());
    operand.for_pieces([&](const MemoryPieces& pieces) { check_read(pieces); });
  }
  /// The device writes these elements.
  template <typename Operand>
  void writes(const Operand& operand) {
    check_reach(operand.data());
    operand.for_pieces([&](const MemoryPieces& pieces) { check_write(pieces); });
  }
  /// The device reads them and writes them.
  template <typename Operand>
  void updates(const Operand& operand) {
    reads(operand);
    writes(operand);
  }

  /// A scalar such as alpha, from where the handle's mode says that it is.
  template <typename T>
  T scalar(const T* address) {
    check_scalar(address, sizeof(T), false);
    return *address;
  }
  /// A result such as that of a dot product, which goes there.
  template <typename T>
  void put(T* address, const T& value) {
    check_scalar(address, sizeof(T), true);
    *address = value;
  }
  /// Addresses of matrices, in an array of the device's.
  template <typename T>
  std::vector<T*> addresses(T* const* array, int count) {
    const Vector<T*> all(array, count, 1);
    reads(all);
    return {array, array + count};
  }

  /// Tells who observes the program of a call that used the device, when it has ended well.
  void end() const;

 private:
  void check_reach(const void* address) const;
  void check_read(const MemoryPieces& pieces);
  void check_write(const MemoryPieces& pieces);
  void check_scalar(const void* address, std::size_t bytes, bool is_written);

  const char* function_;
  const cublasContext& context_;
  std::lock_guard<ForkLock<std::mutex>> turn_;
  OnDevice on_;
  bool used_device_ = false;
};

/// What `run` throws is what the function returns. Called within SIMT_HOST_CALL.
template <typename Run>
cublasStatus_t checked(const char* function, Run run) {
  try {
    run();
  } catch (const Failure& failure) {
    if (!failure.finding.empty()) {
      report(failure.kind, {}, std::string(function) + ": " + failure.finding);
    }
    return failure.status;
  } catch (const std::exception&) {  // no memory for a copy
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// The same of a function that computes: `run` gets the call.
template <typename Run>
cublasStatus_t computed(const char* function, cublasHandle_t handle, Run run) {
  return checked(function, [&] {
    Call call(function, handle);
    run(call);
    call.end();
  });
}

}  // namespace simt::cublas

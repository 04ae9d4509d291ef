/// \file
/// What a device can do, as far as it decides which steps run there, and whether arrays are its
/// own.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace worklog::library {

/// What tells devices apart for a choice of steps.
struct DeviceTraits {
  int compute_capability = 0;  ///< 90 for 9.0
  int multiprocessors = 0;     ///< of the whole device
  int shared_bytes = 0;        ///< that a block may have if it asks for them
  int l2_bytes = 0;            ///< of the L2 cache, by which an H200 is told from an H100
  bool has_clusters = false;   ///< blocks of a cluster share memory
  bool reaches_pageable_memory =
      false;  ///< kernels reach memory of the host that nobody registered
};

/// What the library was compiled for: compute capabilities as "80,90", or "the CPU executor".
const char* architectures();

/// Throws a Refusal that names what is built in, unless code for one of `built`, compute
/// capabilities as in architectures(), runs on the device: one of its own or of an earlier
/// generation. A list with anything but numbers is taken for right.
void require_architecture(const DeviceTraits& device, const char* built);

/// The current device's number. Throws CudaError.
int current_device_index();

/// Of a device, which is asked once. Throws CudaError, and as require_architecture() does.
const DeviceTraits& traits_of(int device);

/// An argument that is an array or the workspace.
struct NamedPointer {
  const char* name;     ///< of the argument
  const void* pointer;  ///< may be null, which is for others to refuse
};

/// Throws a Refusal that names the argument if what it points to is another device's, or memory of
/// the host that kernels cannot reach. Throws CudaError.
void require_on_device(const NamedPointer& argument, int device);

/// Throws a Refusal for a stream of another device, where CUDA can tell: from 12.8 on, unless the
/// stream is being captured.
void require_stream_of(cudaStream_t stream, int device);

}  // namespace worklog::library

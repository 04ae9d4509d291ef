/// \file
/// What an NVIDIA H200 (compute capability 9.0) says of itself.
#pragma once

namespace simt::device_limits {

inline constexpr int kComputeCapabilityMajor = 9;
inline constexpr int kComputeCapabilityMinor = 0;
inline constexpr int kWarpSize = 32;
inline constexpr int kMultiprocessors = 132;
inline constexpr int kThreadsPerBlock = 1024;
inline constexpr int kThreadsPerMultiprocessor = 2048;
inline constexpr int kBlocksPerMultiprocessor = 32;
inline constexpr int kRegisters = 65536;  ///< of a multiprocessor, and at most of a block
inline constexpr int kMaxGridX = 2147483647;
inline constexpr int kMaxBlockShape[3] = {1024, 1024, 64};
inline constexpr int kMaxGridShape[3] = {kMaxGridX, 65535, 65535};
inline constexpr int kSharedBytesPerBlock = 48 * 1024;  ///< without cudaFuncSetAttribute
inline constexpr int kSharedBytesPerBlockOptIn = 227 * 1024;
inline constexpr int kSharedBytesPerMultiprocessor = 228 * 1024;
inline constexpr int kReservedSharedBytesPerBlock = 1024;
inline constexpr int kConstantBytes = 64 * 1024;
inline constexpr int kL2Bytes = 60 * 1024 * 1024;
inline constexpr int kMemoryBusBits = 6144;
inline constexpr int kClockKilohertz = 1980000;
inline constexpr int kMemoryClockKilohertz = 3201000;
inline constexpr int kStackBytes = 1024;            ///< of a thread, unless set
inline constexpr int kHeapBytes = 8 * 1024 * 1024;  ///< for malloc() in kernels, unless set
inline constexpr int kGreatestStreamPriority = -5;
inline constexpr int kPitchAlignment = 512;

}  // namespace simt::device_limits

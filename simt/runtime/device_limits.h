/// \file
/// What an NVIDIA H200 (compute capability 9.0) says of itself.
#pragma once

namespace simt::device_limits {

inline constexpr int kComputeCapabilityMajor = 9;       ///< 9.0: of an H100 and an H200
inline constexpr int kComputeCapabilityMinor = 0;       ///< 9.0: of an H100 and an H200
inline constexpr int kWarpSize = 32;                    ///< lanes
inline constexpr int kMultiprocessors = 132;            ///< of an H200
inline constexpr int kThreadsPerBlock = 1024;           ///< the most of one block
inline constexpr int kThreadsPerMultiprocessor = 2048;  ///< the most that are resident
inline constexpr int kBlocksPerMultiprocessor = 32;     ///< the most that are resident
inline constexpr int kRegisters = 65536;      ///< of a multiprocessor, and at most of a block
inline constexpr int kMaxGridX = 2147483647;  ///< blocks
inline constexpr int kMaxBlockShape[3] = {1024, 1024, 64};  ///< threads along each dimension
inline constexpr int kMaxGridShape[3] = {kMaxGridX, 65535, 65535};  ///< blocks along each dimension
inline constexpr int kSharedBytesPerBlock = 48 * 1024;  ///< without cudaFuncSetAttribute
/// Static and dynamic together, after cudaFuncSetAttribute().
inline constexpr int kSharedBytesPerBlockOptIn = 227 * 1024;
inline constexpr int kSharedBytesPerMultiprocessor = 228 * 1024;  ///< of all its resident blocks
inline constexpr int kReservedSharedBytesPerBlock =
    1024;                                          ///< that CUDA takes of each block's share
inline constexpr int kConstantBytes = 64 * 1024;   ///< of all `__constant__` variables
inline constexpr int kL2Bytes = 60 * 1024 * 1024;  ///< of an H200
/// Five eighths of L2 may be set aside for data that is to stay, as an H100 says of its own.
inline constexpr int kPersistingL2Bytes = kL2Bytes / 8 * 5;
inline constexpr int kMaxAccessPolicyWindow = 134217728;  ///< bytes, as an H100 says
inline constexpr int kMemoryBusBits = 6016;               ///< of an H200
inline constexpr int kClockKilohertz = 1980000;           ///< 1.98 GHz, an H200's
inline constexpr int kMemoryClockKilohertz = 3201000;     ///< 3.2 GHz, an H200's
inline constexpr int kFloatsPerDouble = 2;                ///< operations in the time of one
inline constexpr int kStackBytes = 1024;                  ///< of a thread, unless set
inline constexpr int kHeapBytes = 8 * 1024 * 1024;        ///< for malloc() in kernels, unless set
inline constexpr int kGreatestStreamPriority = -5;        ///< the least is 0
inline constexpr int kCopyEngines = 3;                    ///< of an H200
inline constexpr int kPitchAlignment = 512;               ///< bytes, of cudaMallocPitch()

inline constexpr int kTextureAlignment = 512;             ///< bytes, of memory bound to a texture
inline constexpr int kTexturePitchAlignment = 32;         ///< bytes, of its rows
inline constexpr int kMaxTexture1D = 131072;              ///< elements of an array
inline constexpr int kMaxTexture2D[2] = {131072, 65536};  ///< elements along each dimension
inline constexpr int kMaxTexture3D = 16384;               ///< elements along each dimension
inline constexpr int kMaxLayered = 32768;                 ///< elements along each dimension of a
                                                          ///< layer, a face, a 1D surface
inline constexpr int kMaxLayers = 2048;                   ///< of an array with layers
inline constexpr int kMaxCubemapLayers = 2046;            ///< faces of all cubes of an array
inline constexpr int kMaxLinearTexture = 268435456;       ///< elements of linear memory
/// Of pitched memory: elements of a row, rows, bytes of a row.
inline constexpr int kMaxLinearTexture2D[3] = {131072, 65000, 2097120};

}  // namespace simt::device_limits

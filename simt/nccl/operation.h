/// \file
/// A call that ranks make together, or two of them: what it is, and what it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/include/nccl.h"

namespace simt::nccl {

/// The calls that move data.
enum class Call : std::int32_t {
  kAllReduce,      ///< ncclAllReduce()
  kReduce,         ///< ncclReduce()
  kBroadcast,      ///< ncclBroadcast() and ncclBcast()
  kAllGather,      ///< ncclAllGather()
  kReduceScatter,  ///< ncclReduceScatter()
  kSend,           ///< ncclSend()
  kRecv,           ///< ncclRecv()
};

/// "ncclAllReduce" and so on.
const char* name_of(Call call);

/// What all ranks of a collective must agree on; it travels with the data.
struct Terms {
  Call call = Call::kAllReduce;    ///< which one
  ncclDataType_t type = ncclInt8;  ///< of the elements
  ncclRedOp_t op = ncclSum;        ///< ncclSum where nothing is reduced
  std::int32_t root = 0;           ///< of collectives with one
  std::uint64_t count = 0;         ///< elements, as the call says it
  /// Whether they agree.
  bool operator==(const Terms&) const = default;
};

/// "ncclAllReduce of 8 ncclFloat32, ncclSum"
std::string describe(const Terms& terms);

/// One rank's call.
struct Operation {
  Terms terms;                    ///< which all must agree on
  const void* send = nullptr;     ///< null where it sends nothing
  void* receive = nullptr;        ///< null where it receives nothing
  int peer = -1;                  ///< of kSend and kRecv
  cudaStream_t stream = nullptr;  ///< in which it is made
};

/// Bytes of an element; 0 for a type that is not available.
std::size_t bytes_of(ncclDataType_t type);

/// Bytes in both directions.
struct Sizes {
  std::size_t send = 0;     ///< that are given
  std::size_t receive = 0;  ///< that come
};
/// What a rank reads at `send`, and writes at `receive`.
Sizes sizes_of(const Operation& operation, int rank, int ranks);

/// Bytes that a call must put on the link and take from it (link_counters.h).
Sizes link_bytes_of(const Operation& operation, int rank, int ranks);

}  // namespace simt::nccl

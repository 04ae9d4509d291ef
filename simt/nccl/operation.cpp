#include "simt/nccl/operation.h"

#include <array>

namespace simt::nccl {
namespace {

struct Type {
  const char* name;
  std::size_t bytes;
};
constexpr std::array<Type, ncclNumTypes> kTypes = {{{"ncclInt8", 1},
                                                    {"ncclUint8", 1},
                                                    {"ncclInt32", 4},
                                                    {"ncclUint32", 4},
                                                    {"ncclInt64", 8},
                                                    {"ncclUint64", 8},
                                                    {"ncclFloat16", 2},
                                                    {"ncclFloat32", 4},
                                                    {"ncclFloat64", 8},
                                                    {"ncclBfloat16", 2},
                                                    {"ncclFloat8e4m3", 0},
                                                    {"ncclFloat8e5m2", 0}}};
constexpr std::array kOperators = {"ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg"};

bool reduces(Call call) {
  return call == Call::kAllReduce || call == Call::kReduce || call == Call::kReduceScatter;
}
bool has_root(Call call) {
  return call == Call::kReduce || call == Call::kBroadcast;
}

}  // namespace

const char* name_of(Call call) {
  constexpr std::array kNames = {"ncclAllReduce", "ncclReduce",        "ncclBroadcast",
                                 "ncclAllGather", "ncclReduceScatter", "ncclSend",
                                 "ncclRecv"};
  return kNames[static_cast<std::size_t>(call)];
}

std::string describe(const Terms& terms) {
  std::string text = std::string(name_of(terms.call)) + " of " + std::to_string(terms.count) + " " +
                     kTypes[terms.type].name;
  if (reduces(terms.call)) text += std::string(", ") + kOperators[terms.op];
  if (has_root(terms.call)) text += ", root " + std::to_string(terms.root);
  return text;
}

std::size_t bytes_of(ncclDataType_t type) {
  return type >= 0 && type < ncclNumTypes ? kTypes[type].bytes : 0;
}

Sizes sizes_of(const Operation& operation, int rank, int ranks) {
  const std::size_t bytes = operation.terms.count * bytes_of(operation.terms.type);
  const std::size_t all = bytes * static_cast<std::size_t>(ranks);
  const bool is_root = operation.terms.root == rank;
  switch (operation.terms.call) {
    case Call::kAllReduce:
      return {bytes, bytes};
    case Call::kReduce:
      return {bytes, is_root ? bytes : 0};
    case Call::kBroadcast:
      return {is_root ? bytes : 0, bytes};
    case Call::kAllGather:
      return {bytes, all};
    case Call::kReduceScatter:
      return {all, bytes};
    case Call::kSend:
      return {bytes, 0};
    case Call::kRecv:
      return {0, bytes};
  }
  return {};
}

Sizes link_bytes_of(const Operation& operation, int rank, int ranks) {
  const std::size_t bytes = operation.terms.count * bytes_of(operation.terms.type);
  const std::size_t of_others = bytes * static_cast<std::size_t>(ranks - 1);
  const bool is_root = operation.terms.root == rank;
  if (ranks == 1 || operation.peer == rank) return {};
  switch (operation.terms.call) {
    case Call::kAllReduce:
      return {bytes, bytes};
    case Call::kReduce:
      return is_root ? Sizes{0, bytes} : Sizes{bytes, 0};
    case Call::kBroadcast:
      return is_root ? Sizes{bytes, 0} : Sizes{0, bytes};
    case Call::kAllGather:
      return {bytes, of_others};
    case Call::kReduceScatter:
      return {of_others, bytes};
    case Call::kSend:
      return {bytes, 0};
    case Call::kRecv:
      return {0, bytes};
  }
  return {};
}

}  // namespace simt::nccl

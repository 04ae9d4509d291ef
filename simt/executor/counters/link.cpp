#include "simt/executor/counters/link.h"

#include "simt/executor/devices.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/memory/device_memory.h"

namespace simt {
namespace {

bool is_of_another_device(std::uintptr_t address) {
  return !current.memory.contains(address) && arena.contains(address) &&
         owner_of_memory(address) != device_count();
}

}  // namespace

std::optional<Request> part_over_link(const Request& request) {
  if (device_count() == 1) return std::nullopt;
  const bool is_near = request.stride.regular && current.memory.contains(request.first) &&
                       current.memory.contains(request.last());
  if (is_near) return std::nullopt;
  Request part;
  part.site = request.site;
  part.kind = request.kind;
  part.bytes = request.bytes;
  for (unsigned i = 0; i < request.count; ++i) {
    if (!is_of_another_device(request.address(i))) continue;
    part.addresses[part.count] = request.address(i);
    part.lanes[part.count++] = request.lanes[i];
  }
  if (part.count == 0) return std::nullopt;
  find_stride(part);
  return part;
}

}  // namespace simt

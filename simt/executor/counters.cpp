#include "simt/executor/counters.h"

namespace simt {
namespace {

Traffic& operator+=(Traffic& to, const Traffic& from) {
  to.elements += from.elements;
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.lanes += from.lanes;
  to.partial_requests += from.partial_requests;
  to.unique_bytes += from.unique_bytes;
  return to;
}

SharedTraffic& operator+=(SharedTraffic& to, const SharedTraffic& from) {
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.wavefronts += from.wavefronts;
  to.bank_conflicts += from.bank_conflicts;
  to.lanes += from.lanes;
  to.partial_requests += from.partial_requests;
  return to;
}

ConstantTraffic& operator+=(ConstantTraffic& to, const ConstantTraffic& from) {
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.words += from.words;
  to.lanes += from.lanes;
  return to;
}

LinkTraffic& operator+=(LinkTraffic& to, const LinkTraffic& from) {
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.sectors += from.sectors;
  return to;
}

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  launches += other.launches;
  blocks += other.blocks;
  threads += other.threads;
  global_loads += other.global_loads;
  global_stores += other.global_stores;
  global_atomics += other.global_atomics;
  global_read_only_unique_bytes += other.global_read_only_unique_bytes;
  shared_loads += other.shared_loads;
  shared_stores += other.shared_stores;
  shared_atomics += other.shared_atomics;
  constant_loads += other.constant_loads;
  link_loads += other.link_loads;
  link_stores += other.link_stores;
  link_atomics += other.link_atomics;
  async_copy_requests += other.async_copy_requests;
  async_copy_bytes += other.async_copy_bytes;
  distributed_requests += other.distributed_requests;
  distributed_bytes += other.distributed_bytes;
  block_barriers += other.block_barriers;
  cluster_barriers += other.cluster_barriers;
  shuffles += other.shuffles;
  votes += other.votes;
  warp_syncs += other.warp_syncs;
  tensor_instructions += other.tensor_instructions;
  divergences += other.divergences;
  return *this;
}

std::vector<std::pair<std::string_view, std::uint64_t>> named(const Counters& c) {
  return {{"launches", c.launches},
          {"blocks", c.blocks},
          {"threads", c.threads},
          {"global_load_elements", c.global_loads.elements},
          {"global_load_bytes", c.global_loads.bytes},
          {"global_load_requests", c.global_loads.requests},
          {"global_load_sectors", c.global_loads.sectors},
          {"global_load_lanes", c.global_loads.lanes},
          {"global_load_partial_requests", c.global_loads.partial_requests},
          {"global_load_unique_bytes", c.global_loads.unique_bytes},
          {"global_read_only_unique_bytes", c.global_read_only_unique_bytes},
          {"global_store_elements", c.global_stores.elements},
          {"global_store_bytes", c.global_stores.bytes},
          {"global_store_requests", c.global_stores.requests},
          {"global_store_sectors", c.global_stores.sectors},
          {"global_store_lanes", c.global_stores.lanes},
          {"global_store_partial_requests", c.global_stores.partial_requests},
          {"global_store_unique_bytes", c.global_stores.unique_bytes},
          {"global_atomic_bytes", c.global_atomics.bytes},
          {"global_atomic_requests", c.global_atomics.requests},
          {"global_atomic_sectors", c.global_atomics.sectors},
          {"global_atomic_lanes", c.global_atomics.lanes},
          {"global_atomic_partial_requests", c.global_atomics.partial_requests},
          {"global_atomic_unique_bytes", c.global_atomics.unique_bytes},
          {"shared_load_bytes", c.shared_loads.bytes},
          {"shared_load_requests", c.shared_loads.requests},
          {"shared_load_wavefronts", c.shared_loads.wavefronts},
          {"shared_load_bank_conflicts", c.shared_loads.bank_conflicts},
          {"shared_load_lanes", c.shared_loads.lanes},
          {"shared_load_partial_requests", c.shared_loads.partial_requests},
          {"shared_store_bytes", c.shared_stores.bytes},
          {"shared_store_requests", c.shared_stores.requests},
          {"shared_store_wavefronts", c.shared_stores.wavefronts},
          {"shared_store_bank_conflicts", c.shared_stores.bank_conflicts},
          {"shared_store_lanes", c.shared_stores.lanes},
          {"shared_store_partial_requests", c.shared_stores.partial_requests},
          {"shared_atomic_requests", c.shared_atomics.requests},
          {"shared_atomic_wavefronts", c.shared_atomics.wavefronts},
          {"shared_atomic_bank_conflicts", c.shared_atomics.bank_conflicts},
          {"shared_atomic_lanes", c.shared_atomics.lanes},
          {"shared_atomic_partial_requests", c.shared_atomics.partial_requests},
          {"constant_load_bytes", c.constant_loads.bytes},
          {"constant_load_requests", c.constant_loads.requests},
          {"constant_load_words", c.constant_loads.words},
          {"constant_load_lanes", c.constant_loads.lanes},
          {"link_load_bytes", c.link_loads.bytes},
          {"link_load_requests", c.link_loads.requests},
          {"link_load_sectors", c.link_loads.sectors},
          {"link_store_bytes", c.link_stores.bytes},
          {"link_store_requests", c.link_stores.requests},
          {"link_store_sectors", c.link_stores.sectors},
          {"link_atomic_bytes", c.link_atomics.bytes},
          {"link_atomic_requests", c.link_atomics.requests},
          {"link_atomic_sectors", c.link_atomics.sectors},
          {"async_copy_requests", c.async_copy_requests},
          {"async_copy_bytes", c.async_copy_bytes},
          {"distributed_requests", c.distributed_requests},
          {"distributed_bytes", c.distributed_bytes},
          {"block_barriers", c.block_barriers},
          {"cluster_barriers", c.cluster_barriers},
          {"shuffles", c.shuffles},
          {"votes", c.votes},
          {"warp_syncs", c.warp_syncs},
          {"tensor_instructions", c.tensor_instructions},
          {"divergences", c.divergences}};
}

}  // namespace simt

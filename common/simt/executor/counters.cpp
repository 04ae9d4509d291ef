#include "common/simt/executor/counters.h"

namespace simt {
namespace {

Traffic& operator+=(Traffic& to, const Traffic& from) {
  to.elements += from.elements;
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.sectors += from.sectors;
  return to;
}

SharedTraffic& operator+=(SharedTraffic& to, const SharedTraffic& from) {
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.wavefronts += from.wavefronts;
  to.bank_conflicts += from.bank_conflicts;
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
  shared_loads += other.shared_loads;
  shared_stores += other.shared_stores;
  shared_atomics += other.shared_atomics;
  distributed_requests += other.distributed_requests;
  distributed_bytes += other.distributed_bytes;
  block_barriers += other.block_barriers;
  cluster_barriers += other.cluster_barriers;
  shuffles += other.shuffles;
  votes += other.votes;
  warp_syncs += other.warp_syncs;
  divergences += other.divergences;
  return *this;
}

}  // namespace simt

#include "simt/executor/counters/tally.h"

#include <algorithm>

#include "simt/executor/counters/link.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/memory/device_memory.h"

namespace simt {
namespace {

bool is_global(AccessKind kind) {
  return kind == AccessKind::kGlobalLoad || kind == AccessKind::kAsyncCopy ||
         kind == AccessKind::kGlobalStore || kind == AccessKind::kGlobalAtomic;
}

Traffic& traffic_of(Counters& counters, AccessKind kind) {
  if (kind == AccessKind::kGlobalLoad || kind == AccessKind::kAsyncCopy) {
    return counters.global_loads;
  }
  return kind == AccessKind::kGlobalStore ? counters.global_stores : counters.global_atomics;
}

std::uint64_t key_of(Event event, AccessKind kind) {
  return std::uint64_t{event} << 8 | static_cast<std::uint64_t>(kind);
}

}  // namespace

// ---- requests ----

void Tally::add(const Request& request) {
  Site& site = site_of(request);
  ++site.requests;
  site.lanes += request.count;
  site.partial_requests += request.count < lanes_of_warp_;
  site.bytes += std::uint64_t{request.count} * request.bytes;
  switch (request.kind) {
    case AccessKind::kGlobalLoad:
    case AccessKind::kAsyncCopy:
    case AccessKind::kGlobalStore:
      site.cost += sectors(request);
      add_link(site, request);
      return touch(site, request);
    case AccessKind::kGlobalAtomic:
      site.cost += atomic_sectors(request);
      add_link(site, request);
      return touch(site, request);
    case AccessKind::kSharedLoad:
    case AccessKind::kSharedStore:
    case AccessKind::kSharedAtomic:
    case AccessKind::kSharedAddition: {
      const Wavefronts needed = wavefronts(request);
      site.cost += needed.total;
      site.conflicts += needed.conflicts;
      return;
    }
    case AccessKind::kConstantLoad:
      site.cost += constant_words(request);
      return;
    default:
      return;
  }
}

// A single device has all memory.
void Tally::add_link(Site& site, const Request& request) {
  if (current.memory.bytes == Arena::kBytes) [[likely]]
    return;
  const auto part = part_over_link(request);
  if (!part) return;
  ++site.link.requests;
  site.link.bytes += std::uint64_t{part->count} * part->bytes;
  site.link.sectors +=
      part->kind == AccessKind::kGlobalAtomic ? atomic_sectors(*part) : sectors(*part);
}

Tally::Site& Tally::site_of(const Request& request) {
  Site*& recent = recent_[address_bits(request.site) % kRecent];
  if (recent == nullptr || recent->event != request.site || recent->kind != request.kind) {
    recent = &sites_[key_of(request.site, request.kind)];
    recent->event = request.site;
    recent->kind = request.kind;
  }
  return *recent;
}

TouchedArray* Tally::array_at(Site& site, std::uint64_t address) {
  for (TouchedArray& array : site.arrays) {
    if (array.contains(address)) return &array;
  }
  const DeviceMemory::ElementRange range = DeviceMemory::instance().elements_at(address);
  if (range.is_outside) return nullptr;
  return &site.arrays.emplace_back(range);
}

void Tally::touch(Site& site, const Request& request) {
  const std::uint64_t first = request.first;
  const std::uint64_t last = request.last();
  TouchedArray* array = array_at(site, first);
  if (request.stride.regular && request.stride.bytes == request.bytes && array != nullptr &&
      array->contains(last)) {
    const std::uint64_t bytes = std::uint64_t{request.count} * request.bytes;
    array->add_bytes_asked_for(bytes);
    return array->touch_range(first, bytes);
  }
  for (unsigned i = 0; i < request.count; ++i) {
    const std::uint64_t address = request.address(i);
    if (array == nullptr || !array->contains(address)) array = array_at(site, address);
    if (array == nullptr) {
      site.elements_elsewhere += request.bytes;
      continue;
    }
    array->add_bytes_asked_for(request.bytes);
    array->touch(address, request.bytes);
  }
}

// ---- other events ----

void Tally::add_divergence(Event branch) {
  ++divergences_[branch];
}

Counters& Tally::at(const Location& where) {
  const LocationKey key{where.file, where.line};
  if (recent_operation_ == nullptr || recent_location_ != key) {
    recent_operation_ = &operations_[key];
    recent_location_ = key;
  }
  return *recent_operation_;
}

// ---- sums ----

namespace {

void merge(std::vector<TouchedArray>& arrays, const std::vector<TouchedArray>& others) {
  for (const TouchedArray& other : others) {
    const auto same = std::find_if(arrays.begin(), arrays.end(), [&](const TouchedArray& array) {
      return array.is_same_array(other);
    });
    if (same == arrays.end()) {
      arrays.push_back(other);
    } else {
      same->add(other);
    }
  }
}

// Bytes of `loaded` that are in none of `written`.
std::uint64_t bytes_read_only(std::vector<TouchedArray> loaded,
                              const std::vector<TouchedArray>& written) {
  std::uint64_t bytes = 0;
  for (TouchedArray& array : loaded) {
    for (const TouchedArray& other : written)
      if (array.is_same_array(other)) array.remove(other);
    bytes += array.unique_bytes();
  }
  return bytes;
}

void count_arrays(const std::vector<TouchedArray>& arrays, Traffic& traffic) {
  for (const TouchedArray& array : arrays) {
    traffic.elements += array.elements();
    traffic.unique_bytes += array.unique_bytes();
  }
}

}  // namespace

void Tally::Site::add(const Site& other) {
  event = other.event;
  kind = other.kind;
  requests += other.requests;
  cost += other.cost;
  conflicts += other.conflicts;
  lanes += other.lanes;
  partial_requests += other.partial_requests;
  bytes += other.bytes;
  elements_elsewhere += other.elements_elsewhere;
  link.bytes += other.link.bytes;
  link.requests += other.link.requests;
  link.sectors += other.link.sectors;
  merge(arrays, other.arrays);
}

// All but what needs the arrays.
Counters Tally::Site::counters() const {
  Counters counters;
  const auto global = [&](Traffic& traffic) {
    traffic = {.elements = elements_elsewhere,
               .bytes = bytes,
               .requests = requests,
               .sectors = cost,
               .lanes = lanes,
               .partial_requests = partial_requests};
  };
  const auto shared = [&](SharedTraffic& traffic) {
    traffic = {.bytes = bytes,
               .requests = requests,
               .wavefronts = cost,
               .bank_conflicts = conflicts,
               .lanes = lanes,
               .partial_requests = partial_requests};
  };
  switch (kind) {
    case AccessKind::kGlobalLoad:
      global(counters.global_loads);
      counters.link_loads = link;
      break;
    case AccessKind::kAsyncCopy:
      global(counters.global_loads);
      counters.link_loads = link;
      counters.async_copy_requests = requests;
      counters.async_copy_bytes = bytes;
      break;
    case AccessKind::kGlobalStore:
      global(counters.global_stores);
      counters.link_stores = link;
      break;
    case AccessKind::kGlobalAtomic:
      global(counters.global_atomics);
      counters.link_atomics = link;
      break;
    case AccessKind::kSharedLoad:
      shared(counters.shared_loads);
      break;
    case AccessKind::kSharedStore:
      shared(counters.shared_stores);
      break;
    case AccessKind::kSharedAtomic:
    case AccessKind::kSharedAddition:
      shared(counters.shared_atomics);
      break;
    case AccessKind::kConstantLoad:
      counters.constant_loads = {
          .bytes = bytes, .requests = requests, .words = cost, .lanes = lanes};
      break;
    case AccessKind::kDistributed:
      counters.distributed_requests = requests;
      counters.distributed_bytes = bytes;
      break;
    case AccessKind::kShuffle:
      counters.shuffles = requests;
      break;
    default:
      break;
  }
  return counters;
}

void Tally::add(Tally&& other) {
  blocks += other.blocks;
  threads += other.threads;
  for (auto& [key, site] : other.sites_) {
    const auto [mine, is_new] = sites_.try_emplace(key, std::move(site));
    if (!is_new) mine->second.add(site);  // which has not been moved then
  }
  for (const auto& [where, counters] : other.operations_)
    operations_[where] += counters;
  for (const auto& [branch, count] : other.divergences_)
    divergences_[branch] += count;
  located_.insert(other.located_.begin(), other.located_.end());
}

Counters Tally::total() const {
  Counters sum;
  sum.blocks = blocks;
  sum.threads = threads;
  std::map<AccessKind, std::vector<TouchedArray>> arrays;
  for (const auto& [key, site] : sites_) {
    sum += site.counters();
    const bool copies = site.kind == AccessKind::kAsyncCopy;
    merge(arrays[copies ? AccessKind::kGlobalLoad : site.kind], site.arrays);
  }
  for (const auto& [kind, of_kind] : arrays) {
    if (is_global(kind)) count_arrays(of_kind, traffic_of(sum, kind));
  }
  std::vector<TouchedArray> written = std::move(arrays[AccessKind::kGlobalStore]);
  merge(written, arrays[AccessKind::kGlobalAtomic]);
  sum.global_read_only_unique_bytes =
      bytes_read_only(std::move(arrays[AccessKind::kGlobalLoad]), written);
  for (const auto& [where, counters] : operations_)
    sum += counters;
  for (const auto& [branch, count] : divergences_)
    sum.divergences += count;
  return sum;
}

std::vector<std::pair<CountedPlace, Counters>> Tally::by_place() const {
  std::vector<std::pair<CountedPlace, Counters>> places;
  for (const auto& [key, site] : sites_) {
    Counters counters = site.counters();
    if (is_global(site.kind)) count_arrays(site.arrays, traffic_of(counters, site.kind));
    const auto located = located_.find(site.event);
    const bool has_line = located != located_.end();
    places.push_back(
        {has_line ? CountedPlace{0, located->second} : CountedPlace{site.event, {}}, counters});
  }
  for (const auto& [where, counters] : operations_)
    places.push_back({{0, {where.first, where.second}}, counters});
  for (const auto& [branch, count] : divergences_) {
    Counters counters;
    counters.divergences = count;
    const auto located = located_.find(branch);
    const bool has_line = located != located_.end();
    places.push_back(
        {has_line ? CountedPlace{0, located->second} : CountedPlace{branch, {}}, counters});
  }
  return places;
}

}  // namespace simt

#include "simt/executor/checkers/stored_values.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "simt/executor/memory/arena.h"
#include "simt/executor/system/address_space.h"

namespace simt {
namespace {

// For each byte that has a place.
constexpr std::size_t kPlaces = Arena::kPlacesBytes;

// Which OS thread it is. Two may share a number: then one does not wait for the other's store.
std::uint8_t number_of_worker() {
  static std::atomic<unsigned> last = 0;
  static thread_local unsigned number = 0;
  if (number == 0) number = ++last;
  return static_cast<std::uint8_t>(number);
}

// Of each worker the store that it noted last and may not have made yet: its place and its bytes.
std::array<std::atomic<std::uint64_t>, 256> stores_under_way;
constexpr unsigned kBitsOfBytes = 16;

std::uint64_t store_of(std::size_t offset, std::size_t bytes) {
  return offset << kBitsOfBytes | std::min<std::uint64_t>(bytes, (1u << kBitsOfBytes) - 1);
}

// Others may be storing there.
std::uint8_t value_at(const std::uint8_t* at) {
  return __atomic_load_n(at, __ATOMIC_RELAXED);
}

// Waits until that worker has made its store, if it is to this byte: some nanoseconds, unless it
// was interrupted there. It notes another store then, or another warp goes on.
void wait_for_store(std::uint8_t worker, std::size_t offset) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kLongest{1};  // so that nothing hangs for ever
  const std::atomic<std::uint64_t>& under_way = stores_under_way[worker];
  const std::uint64_t store = under_way.load(std::memory_order_acquire);
  const std::uint64_t bytes = store & ((1u << kBitsOfBytes) - 1);
  if (offset - (store >> kBitsOfBytes) >= bytes) return;
  const Clock::time_point begin = Clock::now();
  while (under_way.load(std::memory_order_acquire) == store && Clock::now() - begin < kLongest)
    std::this_thread::yield();
}

}  // namespace

class StoredValues::Held {
 public:
  explicit Held(Lock& lock) : lock_(lock) {
    while (lock_.taken.exchange(true, std::memory_order_acquire)) {
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { lock_.taken.store(false, std::memory_order_release); }

 private:
  Lock& lock_;
};

StoredValues::Byte StoredValues::Cell::load() const {
  const std::uint32_t bits = bits_.load(std::memory_order_relaxed);
  Byte byte;
  static_assert(sizeof byte == sizeof bits, "a byte's knowledge is one word");
  std::memcpy(&byte, &bits, sizeof byte);
  return byte;
}

void StoredValues::Cell::store(const Byte& byte) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &byte, sizeof byte);
  bits_.store(bits, std::memory_order_relaxed);
}

void StoredValues::begin_epoch() {
  if (cells_ == nullptr) {
    cells_ = static_cast<Cell*>(reserve_address_space(kPlaces * sizeof(Cell)));
  }
  if (epoch_ == std::numeric_limits<std::uint8_t>::max()) {
    discard_pages(cells_, kPlaces * sizeof(Cell));
    epoch_ = 0;
  }
  ++epoch_;
}

bool StoredValues::all_differ(std::size_t offset, std::size_t bytes) const {
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    const Byte byte = cells_[i].load();
    if (byte.epoch != epoch_ || byte.stores != Stores::kDiffer) return false;
  }
  return true;
}

void StoredValues::note_byte(std::size_t offset, const std::uint8_t* at, std::uint8_t worker) {
  Byte byte = cells_[offset].load();
  if (byte.epoch != epoch_)
    return cells_[offset].store({epoch_, value_at(at), worker, Stores::kOne});
  if (byte.stores == Stores::kDiffer) return;
  if (byte.worker != worker) wait_for_store(byte.worker, offset);
  if (byte.stores == Stores::kOne) {
    byte.value = value_at(at);
    byte.stores = Stores::kAlike;
  } else if (value_at(at) != byte.value) {
    byte.stores = Stores::kDiffer;
  }
  byte.worker = worker;
  cells_[offset].store(byte);
}

void StoredValues::note(std::size_t offset, const void* at, std::size_t bytes) {
  const std::uint8_t worker = number_of_worker();
  std::atomic<std::uint64_t>& under_way = stores_under_way[worker];
  under_way.store(0, std::memory_order_release);  // first: who waits for it may hold the lock
  if (all_differ(offset, bytes)) return;          // for good, so that no lock is needed
  const auto* const begin = static_cast<const std::uint8_t*>(at);
  for (std::size_t i = 0; i < bytes;) {
    const Held held(lock_of(offset + i));
    do {
      note_byte(offset + i, begin + i, worker);
      ++i;
    } while (i < bytes && (offset + i) % 128 != 0);
    if (i == bytes) under_way.store(store_of(offset, bytes), std::memory_order_release);
  }
}

void StoredValues::end_of_stores() {
  stores_under_way[number_of_worker()].store(0, std::memory_order_release);
}

bool StoredValues::are_equal(std::size_t offset, const void* at, std::size_t bytes) const {
  const auto* const now = static_cast<const std::uint8_t*>(at);
  for (std::size_t i = 0; i < bytes; ++i) {
    const Byte byte = cells_[offset + i].load();
    if (byte.epoch != epoch_ || byte.stores != Stores::kAlike || byte.value != now[i]) return false;
  }
  return true;
}

}  // namespace simt

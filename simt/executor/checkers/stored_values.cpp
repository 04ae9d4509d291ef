#include "simt/executor/checkers/stored_values.h"

#include <limits>

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

// Another worker has noted a store, and may not have made it yet: that takes it some nanoseconds.
std::uint8_t value_that_follows(std::uint8_t before, const volatile std::uint8_t& now) {
  constexpr int kLooks = 500;
  for (int look = 0; look < kLooks && now == before; ++look) {
  }
  return now;
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

void StoredValues::begin_epoch() {
  if (bytes_ == nullptr) {
    bytes_ = static_cast<Byte*>(reserve_address_space(kPlaces * sizeof(Byte)));
  }
  if (epoch_ == std::numeric_limits<std::uint8_t>::max()) {
    discard_pages(bytes_, kPlaces * sizeof(Byte));
    epoch_ = 0;
  }
  ++epoch_;
}

bool StoredValues::all_differ(std::size_t offset, std::size_t bytes) const {
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    if (bytes_[i].epoch != epoch_ || bytes_[i].stores != Stores::kDiffer) return false;
  }
  return true;
}

void StoredValues::note_byte(Byte& byte, const volatile std::uint8_t& now,
                             std::uint8_t worker) const {
  if (byte.epoch != epoch_) {
    byte = {epoch_, now, worker, Stores::kOne};
    return;
  }
  if (byte.stores == Stores::kDiffer) return;
  std::uint8_t value = now;
  const bool is_others = byte.worker != worker;
  if (byte.stores == Stores::kOne) {
    if (is_others) value = value_that_follows(byte.value, now);
    byte.value = value;
    byte.stores = Stores::kAlike;
  } else if (value != byte.value) {
    byte.stores = Stores::kDiffer;
  }
  byte.worker = worker;
}

void StoredValues::note(std::size_t offset, const void* at, std::size_t bytes) {
  if (all_differ(offset, bytes)) return;  // for good, so that no lock is needed
  const std::uint8_t worker = number_of_worker();
  const auto* const now = static_cast<const volatile std::uint8_t*>(at);
  for (std::size_t i = 0; i < bytes;) {
    const Held held(lock_of(offset + i));
    do {
      note_byte(bytes_[offset + i], now[i], worker);
      ++i;
    } while (i < bytes && (offset + i) % 128 != 0);
  }
}

bool StoredValues::are_equal(std::size_t offset, const void* at, std::size_t bytes) const {
  const auto* const now = static_cast<const std::uint8_t*>(at);
  for (std::size_t i = 0; i < bytes; ++i) {
    const Byte& byte = bytes_[offset + i];
    if (byte.epoch != epoch_ || byte.stores != Stores::kAlike || byte.value != now[i]) return false;
  }
  return true;
}

}  // namespace simt

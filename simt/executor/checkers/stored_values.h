/// \file
/// Whether all stores to a byte of global memory have stored the same: then blocks that store there
/// unordered do no harm.
///
/// A store is noted before it happens, so each finds what the one before it has stored, and the
/// memory has what the last one stored. Only small allocations and the device's variables are
/// looked at (DeviceMemory): flags and small results are what blocks store alike on purpose.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace simt {

/// Of one device, and of one launch at a time.
class StoredValues {
 public:
  /// Forgets what was stored.
  void begin_epoch();

  /// A thread is about to store `bytes` bytes at `at`, which have this place behind the arena's
  /// beginning. Nothing may come between this and the store.
  void note(std::size_t offset, const void* at, std::size_t bytes);

  /// All stores that the calling thread has noted have happened.
  static void end_of_stores();

  /// Whether all stores of these bytes have left there what is there now. False for bytes of which
  /// none was noted.
  bool are_equal(std::size_t offset, const void* at, std::size_t bytes) const;

 private:
  enum class Stores : std::uint8_t {
    kOne,     // so far: `value` is what was there before it
    kAlike,   // all but the last are known to have stored `value`
    kDiffer,  // not all have stored the same
  };
  struct Byte {
    std::uint8_t epoch;  // in which it was stored to; of another one nothing is known
    std::uint8_t value;
    std::uint8_t worker;  // that ran the thread which stored last
    Stores stores;
  };
  struct alignas(64) Lock {
    std::atomic<bool> taken = false;
  };
  class Held;
  /// What is known of a byte. Changed under its lock, and looked at without.
  class Cell {
   public:
    Byte load() const;
    void store(const Byte& byte);

   private:
    std::atomic<std::uint32_t> bits_;
  };

  Lock& lock_of(std::size_t offset) { return locks_[offset / 128 % locks_.size()]; }
  bool all_differ(std::size_t offset, std::size_t bytes) const;
  void note_byte(std::size_t offset, const std::uint8_t* at, std::uint8_t worker);

  std::uint8_t epoch_ = 0;
  Cell* cells_ = nullptr;
  std::array<Lock, 64> locks_;
};

}  // namespace simt

/// \file
/// Device memory that tells when someone wrote beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/cuda/check.h"
#include "common/cuda/device_buffer.h"
#include "common/verify/poison.h"

namespace worklog {

/// `size` elements of device memory between two guard bands; all of it is poisoned at first.
template <typename T>
class GuardedBuffer {
 public:
  static constexpr std::int64_t kGuard = 1024;  ///< elements of a guard band
  static_assert(kGuard * sizeof(T) % 256 == 0, "the array is aligned as cudaMalloc aligns");

  /// The array starts `shift` elements after an address that is aligned to 256 bytes. Without guard
  /// bands (`guard` 0) a memory checker sees every access beyond the end.
  explicit GuardedBuffer(std::int64_t size, std::int64_t shift = 0, std::int64_t guard = kGuard,
                         Poison poison = Poison::kOutput)
      : size_(size),
        front_(guard + shift),
        back_(guard),
        poison_(poison),
        memory_(front_ + size + back_) {
    poison_all();
  }

  /// The first element's address on the device, behind the guard band.
  T* data() { return memory_.data() + front_; }
  /// Elements, without the guard bands.
  std::int64_t size() const { return size_; }

  /// Copies `to.size()` elements, from `first` on, to the host.
  void read(std::int64_t first, std::vector<T>& to) const { copy_out(front_ + first, to); }

  /// Copies elements from the host to `first` and on.
  void write(std::int64_t first, const std::vector<T>& from) {
    copy_in(front_ + first, from, static_cast<std::int64_t>(from.size()));
  }

  /// The distance from the array of the first guard element that was written: negative before it,
  /// size() or more behind it.
  std::optional<std::int64_t> first_damage() const {
    std::vector<T> front(static_cast<std::size_t>(front_));
    std::vector<T> back(static_cast<std::size_t>(back_));
    copy_out(0, front);
    copy_out(front_ + size_, back);
    const auto written = [this](const T& value) { return !is_poison(value, poison_); };
    const auto before = std::find_if(front.begin(), front.end(), written);
    if (before != front.end()) return before - front.begin() - front_;
    const auto behind = std::find_if(back.begin(), back.end(), written);
    if (behind != back.end()) return size_ + (behind - back.begin());
    return std::nullopt;
  }

 private:
  void poison_all() {
    constexpr std::int64_t kPart = 1 << 22;
    const std::vector<T> part(static_cast<std::size_t>(std::min(kPart, memory_.size())),
                              poison<T>(poison_));
    for (std::int64_t first = 0; first < memory_.size(); first += kPart) {
      copy_in(first, part, std::min(kPart, memory_.size() - first));
    }
  }

  void copy_in(std::int64_t at, const std::vector<T>& from, std::int64_t count) {
    if (count == 0) return;
    check(cudaMemcpy(memory_.data() + at, from.data(), static_cast<std::size_t>(count) * sizeof(T),
                     cudaMemcpyHostToDevice),
          "copy to the device");
  }

  void copy_out(std::int64_t at, std::vector<T>& to) const {
    if (to.empty()) return;
    check(cudaMemcpy(to.data(), memory_.data() + at, to.size() * sizeof(T), cudaMemcpyDeviceToHost),
          "copy from the device");
  }

  std::int64_t size_;
  std::int64_t front_;
  std::int64_t back_;
  Poison poison_;
  DeviceBuffer<T> memory_;
};

}  // namespace worklog

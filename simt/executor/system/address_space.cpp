#include "simt/executor/system/address_space.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace simt {
namespace {

// A program that is given too little, as by `ulimit -v`, shall know what to do about it.
class NoAddressSpace : public std::bad_alloc {
 public:
  explicit NoAddressSpace(std::size_t bytes) {
    constexpr double kMiB = 1 << 20;
    struct rlimit limit = {};
    const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const int written = std::snprintf(
        text_.data(), text_.size(),
        "the executor cannot reserve %.0f MiB of address space, most of which stays untouched",
        static_cast<double>(bytes) / kMiB);
    if (!is_limited || written < 0) return;
    std::snprintf(text_.data() + written, text_.size() - static_cast<std::size_t>(written),
                  ": the process may have %.0f MiB in all; 'ulimit -v unlimited' lifts the limit",
                  static_cast<double>(limit.rlim_cur) / kMiB);
  }
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 256> text_ = {};
};

}  // namespace

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* reserve_address_space(std::size_t bytes) {
  void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw NoAddressSpace(bytes);
  return begin;
}

void release_address_space(void* begin, std::size_t bytes) {
  munmap(begin, bytes);
}

void forbid_access(void* begin, std::size_t bytes) {
  mprotect(begin, bytes, PROT_NONE);
}

void discard_pages(void* begin, std::size_t bytes) {
  const std::uintptr_t page = page_bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t last = (address + bytes) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace simt

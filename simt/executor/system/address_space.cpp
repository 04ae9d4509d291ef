#include "simt/executor/system/address_space.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace simt {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* reserve_address_space(std::size_t bytes) {
  void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
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

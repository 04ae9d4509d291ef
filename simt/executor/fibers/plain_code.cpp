#include "simt/executor/fibers/plain_code.h"

#include <unordered_map>

#include "simt/executor/executor.h"
#include "simt/executor/fibers/current.h"

namespace simt {
namespace {

// Where a function and its copy lie, each as seen from the member that says so.
struct Entry {
  std::int32_t function;
  std::int32_t copy;
};

std::uintptr_t seen_from(const std::int32_t& member) {
  return reinterpret_cast<std::uintptr_t>(&member) + static_cast<std::intptr_t>(member);
}

}  // namespace
}  // namespace simt

// The linker gives sections whose names are C's a begin and an end. A program without copies has
// neither. Elsewhere than on ELF none has.
#if defined(__ELF__)
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the linker's names
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern const simt::Entry __start_simt_plain_copies[];
[[gnu::weak, gnu::visibility("hidden")]] extern const simt::Entry __stop_simt_plain_copies[];
[[gnu::weak, gnu::visibility("hidden")]] extern const char __start_simt_plain_text[];
[[gnu::weak, gnu::visibility("hidden")]] extern const char __stop_simt_plain_text[];
}
#else
constexpr simt::Entry* __start_simt_plain_copies = nullptr;
constexpr simt::Entry* __stop_simt_plain_copies = nullptr;
constexpr char* __start_simt_plain_text = nullptr;
constexpr char* __stop_simt_plain_text = nullptr;
#endif

namespace simt {

std::uintptr_t plain_copy_of(std::uintptr_t function) {
  static const auto& copies = *[] {
    auto* const all = new std::unordered_map<std::uintptr_t, std::uintptr_t>;
    for (const Entry* entry = __start_simt_plain_copies; entry != __stop_simt_plain_copies; ++entry)
      (*all)[seen_from(entry->function)] = seen_from(entry->copy);
    return all;
  }();
  const auto found = copies.find(function);
  return found == copies.end() ? function : found->second;
}

void (*code_of_kernel(void (*kernel)()))() {
  using Kernel = void (*)();
  struct Found {
    Kernel kernel;
    Kernel code;
  };
  if (!current.plain) return kernel;
  static thread_local constinit Found last = {};  // each thread of a launch asks for the same
  if (last.kernel != kernel) {
    const std::uintptr_t copy = plain_copy_of(reinterpret_cast<std::uintptr_t>(kernel));
    last = {kernel, reinterpret_cast<Kernel>(copy)};
  }
  return last.code;
}

bool is_in_plain_copy(std::uintptr_t code_address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(__start_simt_plain_text);
  const auto end = reinterpret_cast<std::uintptr_t>(__stop_simt_plain_text);
  return code_address >= begin && code_address < end;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

}  // namespace simt

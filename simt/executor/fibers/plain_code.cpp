#include "simt/executor/fibers/plain_code.h"

#include <iterator>
#include <map>
#include <unordered_map>

#include "simt/executor/executor.h"
#include "simt/executor/fibers/current.h"

namespace simt {
namespace {

// Where a function lies, and where its copy begins and ends, each as seen from the member that says
// so.
struct Entry {
  std::int32_t function;
  std::int32_t copy;
  std::int32_t end;
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
}
#else
constexpr simt::Entry* __start_simt_plain_copies = nullptr;
constexpr simt::Entry* __stop_simt_plain_copies = nullptr;
#endif

namespace simt {

namespace {

struct Copies {
  std::unordered_map<std::uintptr_t, std::uintptr_t> by_function;
  std::map<std::uintptr_t, std::uintptr_t> ends;  // by where they begin
};

const Copies& copies() {
  static const Copies& all = *[] {
    auto* const found = new Copies;
    for (const Entry* entry = __start_simt_plain_copies; entry != __stop_simt_plain_copies;
         ++entry) {
      const std::uintptr_t copy = seen_from(entry->copy);
      found->by_function[seen_from(entry->function)] = copy;
      found->ends[copy] = seen_from(entry->end);
    }
    return found;
  }();
  return all;
}

}  // namespace

std::uintptr_t plain_copy_of(std::uintptr_t function) {
  const auto found = copies().by_function.find(function);
  return found == copies().by_function.end() ? function : found->second;
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

// Asked by handlers of signals while a copy runs, when all is known.
bool is_in_plain_copy(std::uintptr_t code_address) {
  const auto& ends = copies().ends;
  const auto behind = ends.upper_bound(code_address);
  return behind != ends.begin() && code_address < std::prev(behind)->second;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

}  // namespace simt

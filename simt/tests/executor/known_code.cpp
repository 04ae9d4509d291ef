// What is known of code that was read: for all workers, and as long as it is there.

#include "simt/executor/log/known_code.h"

#include <cstdint>
#include <dlfcn.h>
#include <doctest/doctest.h>

namespace {

using simt::CodeFlow;
using simt::KnownCode;

std::uintptr_t address_of(void* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}

// A library with a function, loaded while this lives.
class Library {
 public:
  explicit Library(const char* path) : loaded_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { dlclose(loaded_); }

  std::uintptr_t function() const { return address_of(dlsym(loaded_, "function_of_library")); }

 private:
  void* loaded_;
};

// As if a kernel with a block there had been launched.
const CodeFlow* read_at(KnownCode& code, std::uintptr_t address) {
  code.begin_launch();
  return code.place_of(simt::basic_block_event(address), simt::kNoEntries, address).flow;
}

}  // namespace

TEST_SUITE_BEGIN("known_code");

TEST_CASE("a function is read once for all workers") {
  if (!simt::reads_machine_code) return;
  const Library library(SIMT_LIBRARY_THAT_CALLS);
  KnownCode of_one;
  KnownCode of_another;
  const CodeFlow* const flow = read_at(of_one, library.function());
  REQUIRE(flow != nullptr);
  CHECK(flow->accesses().size() == 2);
  CHECK(read_at(of_another, library.function()) == flow);
}

TEST_CASE("code that was unloaded is forgotten by the next launch") {
  if (!simt::reads_machine_code) return;
  KnownCode code;
  KnownCode of_another;
  std::uintptr_t before = 0;
  {
    const Library library(SIMT_LIBRARY_THAT_CALLS);
    before = library.function();
    REQUIRE(read_at(code, before)->accesses().size() == 2);
  }
  const Library library(SIMT_LIBRARY_THAT_ADDS);
  if (library.function() != before) {
    MESSAGE("the other library lies elsewhere, so that nothing can be mistaken for it");
    return;
  }
  CHECK(read_at(code, before)->accesses().empty());
  CHECK(read_at(of_another, before)->accesses().empty());
}

TEST_SUITE_END();

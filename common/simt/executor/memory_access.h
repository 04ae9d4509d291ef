/// \file
/// What happens when instrumented code is about to load or store.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

void on_load(void* address, unsigned bytes, std::uintptr_t code_address);
void on_store(void* address, unsigned bytes, std::uintptr_t code_address);
/// An object of any size: accesses of at most 16 bytes, each aligned.
void on_range(void* address, std::size_t bytes, bool store, std::uintptr_t code_address);
void on_basic_block(std::uintptr_t code_address);

}  // namespace simt

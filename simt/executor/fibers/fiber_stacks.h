/// \file
/// Stacks for fibers, made when first needed and kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

/// Keeps all stacks that were ever asked for; one worker's.
class FiberStacks {
 public:
  FiberStacks() = default;
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;
  ~FiberStacks();

  /// Kernels' local arrays live here, and what the math library and printf need.
  static constexpr std::size_t kUsableBytes = std::size_t{64} << 10;

  /// The highest address of stack number `index`, aligned to 64 bytes. A page that faults lies
  /// below kUsableBytes, but for the last of very many stacks.
  char* top(std::size_t index);

 private:
  struct Chunk {
    char* begin;
    bool is_guarded;  // whether a page that faults lies below each of its stacks
  };
  std::vector<Chunk> chunks_;
};

}  // namespace simt

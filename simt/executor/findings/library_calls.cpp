#include "simt/executor/findings/library_calls.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <pthread.h>

#include "simt/executor/executor.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

constexpr std::uintptr_t kStandsForFrames = std::uintptr_t{1} << (8 * sizeof(std::uintptr_t) - 1);
constexpr std::size_t kMostFrames = 64;

using Frames = std::vector<std::uintptr_t>;

struct State {
  ForkLock<std::mutex> mutex;
  std::map<Frames, std::uintptr_t> numbers;
  std::vector<const Frames*> by_number;
};

// Never destroyed: static vectors of the program are freed at the very end.
State& state() {
  static State& instance = *new State;
  return instance;
}

// What a function that keeps frame pointers lays on its stack, on x86-64 and AArch64 alike.
struct Frame {
  const Frame* caller;
  std::uintptr_t returns_to;
};

// Where the calling thread's stack ends. A function of another library may have used the register
// of frame pointers for a number: what does not point up the stack is no frame.
std::uintptr_t end_of_stack() {
#if defined(__linux__)
  static thread_local const std::uintptr_t end = [] {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return std::uintptr_t{0};
    void* lowest = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(lowest) + bytes;
  }();
  return end;
#else
  return 0;
#endif
}

// AddressSanitizer would take words of the stack that are no frame for mistakes of ours.
[[gnu::no_sanitize_address]] Frames frames_from(const void* frame, std::uintptr_t code_address) {
  const std::uintptr_t end = end_of_stack();
  Frames frames = {code_address};
  const auto* at = static_cast<const Frame*>(frame);
  auto above = reinterpret_cast<std::uintptr_t>(&frames);
  while (frames.size() < kMostFrames) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    if (address <= above || address % sizeof(void*) != 0 || address + sizeof(Frame) > end) break;
    frames.push_back(at->returns_to);
    above = address;
    at = at->caller;
  }
  return frames;
}

std::uintptr_t number_of(const Frames& frames) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto [known, is_new] = s.numbers.try_emplace(frames, s.by_number.size());
  if (is_new) s.by_number.push_back(&known->first);
  return kStandsForFrames | known->second;
}

}  // namespace

const std::vector<std::uintptr_t>& frames_of(std::uintptr_t code_address) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return *s.by_number[code_address & ~kStandsForFrames];
}

LibraryCall::LibraryCall(const void* frame) : outer_(HostCall::place_) {
  if (outer_ == 0) HostCall::place_ = number_of(frames_from(frame, SIMT_CODE_ADDRESS));
}

LibraryCall::~LibraryCall() {
  HostCall::place_ = outer_;
}

}  // namespace simt

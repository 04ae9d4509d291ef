// A fault is a signal on the lane's own stack, which may have overflowed: so its handler runs on
// another one. It leaves for the scheduler by a switch of fibers, as a lane does that ends its
// launch; nothing else is safe to do in a handler.

#include "simt/executor/checkers/crash.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <mutex>
#include <string>

#include "simt/executor/checkers/interrupted_code.h"
#include "simt/executor/fibers/fiber_annotations.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/system/address_space.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/worker.h"

namespace simt {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kHandlerStackBytes = std::size_t{64} << 10;

constexpr int kErrorHardwareStack = 714;
constexpr int kErrorIllegalInstruction = 715;

struct sigaction before[kSignals.size()];

// Those that run at the same time, on several devices, share the handlers.
struct {
  std::mutex mutex;
  unsigned running = 0;
} constinit of_launches;

void give_back_handlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &before[i], nullptr);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Lane* const lane = current.lane;
  // Host code: it faults again as soon as this returns.
  if (lane == nullptr) return give_back_handlers();
  worker_of(*lane).crash = {lane, signal, reinterpret_cast<std::uintptr_t>(info->si_addr),
                            interrupted_code(context)};
  abandon_launch(*lane);
}

bool overflowed_its_stack(const Crash& crash) {
  const std::uintptr_t below = crash.lane->stack - crash.address;
  return crash.signal != SIGABRT && below > 0 && below <= 2 * page_bytes();
}

struct Meaning {
  const char* kind;
  std::string message;
  int error;
};

Meaning meaning_of(const Crash& crash) {
  if (overflowed_its_stack(crash)) {
    return {"stack-overflow",
            "the thread's stack has overflowed: local variables and calls have " +
                std::to_string(FiberStacks::kUsableBytes) + " bytes",
            kErrorHardwareStack};
  }
  switch (crash.signal) {
    case SIGFPE:
      return {"division-by-zero",
              "integer division by zero, or of the lowest number by -1: a device goes on with "
              "whatever comes out",
              kErrorLaunchFailure};
    case SIGILL:
      return {"illegal-instruction", "an illegal instruction", kErrorIllegalInstruction};
    case SIGABRT:
      return {"abort", "the kernel called abort()", kErrorLaunchFailure};
    default:
      return {"illegal-address", "access of an address that is neither the device's nor the host's",
              kErrorIllegalAddress};
  }
}

bool is_in_same_object(std::uintptr_t code_address, std::uintptr_t other) {
  Dl_info one;
  Dl_info two;
  return dladdr(reinterpret_cast<void*>(code_address), &one) != 0 &&
         dladdr(reinterpret_cast<void*>(other), &two) != 0 && one.dli_fbase == two.dli_fbase;
}

// In the kernel's own code the address tells. In a library's the last event before does, and on a
// full stack, which may have overflowed in the executor that the kernel called.
Place place_of(const Crash& crash, const Launch& launch) {
  const auto body = reinterpret_cast<std::uintptr_t>(launch.body);
  const bool in_kernel =
      !overflowed_its_stack(crash) && is_in_same_object(crash.code_address, body);
  const LaneLog& log = *crash.lane->log;
  if (!in_kernel && launch.counting && !log.empty()) {
    return {{}, code_address(log.last_event(), body)};
  }
  if (crash.code_address != 0) return {{}, crash.code_address + 1};
  return {{"unknown line", 0}};
}

}  // namespace

CaughtCrashes::CaughtCrashes() {
  const std::lock_guard lock(of_launches.mutex);
  if (of_launches.running++ > 0) return;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  // Not deferred, because the handler never returns.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

CaughtCrashes::~CaughtCrashes() {
  const std::lock_guard lock(of_launches.mutex);
  if (--of_launches.running == 0) give_back_handlers();
}

StackForCrashes::StackForCrashes() {
  // A byte would need no alignment, but a stack does, and AddressSanitizer insists.
  alignas(std::max_align_t) static thread_local std::array<std::byte, kHandlerStackBytes>
      handler_stack;
  forget_stack(handler_stack.data(), handler_stack.size());  // handlers do not return
  stack_t stack = {};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, &before_);
}

StackForCrashes::~StackForCrashes() {
  sigaltstack(&before_, nullptr);
}

void report_crash(Worker& worker) {
  const Crash crash = worker.crash;
  worker.crash = {};
  const Meaning meaning = meaning_of(crash);
  current.lane = crash.lane;
  report(meaning.kind, place_of(crash, *worker.launch),
         meaning.message + (worker.launch->plain ? "; this launch ran plain, unchecked" : ""));
  current.lane = nullptr;
  worker.launch->error = meaning.error;
}

}  // namespace simt

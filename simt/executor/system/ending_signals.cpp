#include "simt/executor/system/ending_signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <future>
#include <thread>
#include <utility>

#include "simt/executor/system/flush_output.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

// All that end a program by default and tell of no fault in it, but for those that few have heard
// of, and SIGKILL, which nobody can handle.
constexpr std::array kEndingSignals = {SIGHUP,  SIGINT,  SIGQUIT,   SIGPIPE, SIGALRM, SIGTERM,
                                       SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU};

// The thread that was interrupted may hold a lock that the last words need, that of printf() most
// likely: then it goes on after this time. A wait for input holds one for ever, so there is a
// second limit.
constexpr std::chrono::milliseconds kUndisturbed{500};
constexpr std::chrono::milliseconds kLongestSpeech{1500};
constexpr timespec kPause{0, 1'000'000};
// How long a signal may go unnoticed. The thread looks for it, because a handler can wake no other
// thread on every system.
constexpr std::chrono::milliseconds kInterval{10};

// Never destroyed: a signal may come while the program ends by itself.
std::function<void()>& last_words() {
  static auto& instance = *new std::function<void()>;
  return instance;
}

std::atomic<int> ending_signal = 0;
std::atomic<bool> may_go_on = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Everything else is done elsewhere, because a handler may call hardly anything.
void wait_for_the_end(int signal) {
  const int error = errno;
  int none = 0;
  ending_signal.compare_exchange_strong(none, signal);
  while (!may_go_on)
    nanosleep(&kPause, nullptr);
  errno = error;
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
}

void speak_and_end() {
  while (ending_signal == 0)
    std::this_thread::sleep_for(kInterval);
  std::packaged_task<void()> speech([] {
    flush_output();
    last_words()();
  });
  const std::future<void> spoken = speech.get_future();
  std::thread(std::move(speech)).detach();
  if (spoken.wait_for(kUndisturbed) != std::future_status::ready) {
    may_go_on = true;
    spoken.wait_for(kLongestSpeech);
  }
  end_by(ending_signal);
}

// No signal shall be handled in the thread, or in those that it starts.
void start_speaker() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(speak_and_end).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// A copy of the process has no thread but the one that made it.
void start_anew() {
  ending_signal = 0;
  may_go_on = false;
  start_speaker();
}

void handle_unless_ignored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler != SIG_DFL) return;
  action = {};
  action.sa_handler = wait_for_the_end;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int other : kEndingSignals)
    sigaddset(&action.sa_mask, other);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void speak_before_ending_signals(std::function<void()> words) {
  last_words() = std::move(words);
  start_anew();
  after_fork_in_copy(start_anew);
  for (const int signal : kEndingSignals)
    handle_unless_ignored(signal);
}

}  // namespace simt

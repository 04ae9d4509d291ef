#include "common/exercise/watched.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace worklog {

namespace {

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// In memory that a child process shares. Never freed: the program ends soon.
Progress& shared_progress() {
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return *new (memory) Progress;
}

std::string ending(int status, const Progress& progress) {
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) != SIGALRM) return strsignal(WTERMSIG(status));
  return "it took longer than " + std::to_string(progress.seconds) +
         " s, although no kernel did: is there a loop in the host's code that never ends?";
}

// Such as "14:03:25", by the learner's clock.
std::string clock_time(std::time_t time) {
  std::tm parts = {};
  std::array<char, 16> text = {};
  localtime_r(&time, &parts);
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

std::string waiting_for(const Progress& progress) {
  const std::string a_case = "  still running the case " + std::string(progress.at.data());
  if (progress.seconds == 0) return a_case + ", which may take any time";
  return a_case + "; it is stopped at " + clock_time(progress.began + progress.seconds) +
         " at the latest";
}

// The child's status, once it has ended. Whoever waits for a long case is told so.
int wait_for(pid_t child, Progress& progress) {
  using std::chrono_literals::operator""ms;
  constexpr std::time_t kPatience = 2;  // in seconds
  std::time_t told = 0;                 // the beginning of the case that was told of last
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) fail("waitpid");
    const std::time_t began = std::atomic_ref(progress.began).load();
    if (began != 0 && began != told && std::time(nullptr) - began > kPatience) {
      std::cerr << waiting_for(progress) << std::endl;
      told = began;
    }
    std::this_thread::sleep_for(10ms);
  }
}

// What the check returned passes through a file without a name, which both processes have.
std::string read_all(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    text += static_cast<char>(c);
  return text;
}

// Nothing of the learner's runs after the verdict: no destructor of a static object either.
[[noreturn]] void end_with_verdict(std::ostream& out,
                                   const std::function<WatchedVerdict(Progress&)>& check,
                                   Progress& progress, std::FILE* results) {
  bool ok = false;
  try {
    const WatchedVerdict verdict = check(progress);
    ok = verdict.ok;
    std::fputs(verdict.result.c_str(), results);
    progress.has_verdict = true;
  } catch (const std::exception& error) {
    out << "worklog: " << error.what() << "\n";
  }
  out << std::flush;
  std::fflush(nullptr);
  std::_Exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace

void Progress::begin(const std::string& a_case, unsigned limit) {
  at = {};
  a_case.copy(at.data(), at.size() - 1);
  seconds = limit;
  std::atomic_ref(began).store(std::time(nullptr));
  alarm(limit);  // its signal ends the process
}

Watched run_watched(std::ostream& out, const std::function<WatchedVerdict(Progress&)>& check) {
  Progress& progress = shared_progress();
  std::FILE* const results = std::tmpfile();
  if (results == nullptr) fail("tmpfile");
  out << std::flush;  // or both processes would print it
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) end_with_verdict(out, check, progress, results);
  const int status = wait_for(child, progress);
  Watched watched{.progress = progress, .ending = "", .result = ""};
  if (progress.has_verdict) {
    watched.ok = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    watched.result = read_all(results);
  } else {
    watched.ending = ending(status, progress);
    out << "  the program ended in the case " << progress.at.data() << ":\n    " << watched.ending
        << "\n\nNot right yet.\n";
  }
  std::fclose(results);
  return watched;
}

}  // namespace worklog

#include "common/exercise/watched.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
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
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
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

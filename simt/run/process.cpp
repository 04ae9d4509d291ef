#include "simt/run/process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace simt::run {
namespace {

/// `standard_error`: a file that it shall write to in its place, -1 for none.
pid_t start(const Command& command, int standard_error = -1) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (standard_error >= 0) {
    posix_spawn_file_actions_adddup2(&files, standard_error, STDERR_FILENO);
  }
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    throw std::runtime_error(command[0] + " cannot be started: " + std::strerror(error));
  }
  return child;
}

/// The state in which a child ended.
int wait_for(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  return state;
}

bool succeeded(int state) {
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

/// A file without a name that goes with it.
class ScratchFile {
 public:
  ScratchFile() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error("no temporary file can be made");
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { std::fclose(file_); }

  int descriptor() const { return fileno(file_); }
  std::string text() const {
    std::rewind(file_);
    std::string all;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_))
      all += static_cast<char>(c);
    return all;
  }

 private:
  std::FILE* file_;
};

/// A program that was started, and what it says.
struct Job {
  std::unique_ptr<ScratchFile> said = std::make_unique<ScratchFile>();
  pid_t child;
  explicit Job(const Command& command) : child(start(command, said->descriptor())) {}
};

// What the alarm's handler knows.
volatile std::sig_atomic_t watched_child = 0;
volatile std::sig_atomic_t alarm_rang = 0;

void end_watched_child(int) {
  alarm_rang = 1;
  kill(watched_child, SIGKILL);
}

/// Whoever ends `simt run` means the program, which then tells what it knows.
void pass_on(int signal) {
  kill(watched_child, signal);
}

/// Has a signal passed on to the watched program while this lives, unless it is ignored.
class PassedOn {
 public:
  explicit PassedOn(int signal) : signal_(signal), before_(std::signal(signal, pass_on)) {
    if (before_ == SIG_IGN) std::signal(signal_, SIG_IGN);
  }
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;
  ~PassedOn() { std::signal(signal_, before_); }

 private:
  int signal_;
  void (*before_)(int);
};

}  // namespace

std::vector<Outcome> run_all(const std::vector<Command>& commands, unsigned jobs) {
  std::vector<Outcome> outcomes;
  for (std::size_t begin = 0; begin < commands.size(); begin += jobs) {
    std::vector<Job> running;
    for (std::size_t i = begin; i < commands.size() && i < begin + jobs; ++i)
      running.emplace_back(commands[i]);
    for (const Job& job : running) {
      const bool well = succeeded(wait_for(job.child));
      outcomes.push_back({well, job.said->text()});
    }
  }
  return outcomes;
}

Ending watch(const Command& command, const std::map<std::string, std::string>& environment,
             unsigned seconds) {
  for (const auto& [name, value] : environment)
    setenv(name.c_str(), value.c_str(), 1);
  watched_child = start(command);
  alarm_rang = 0;
  const auto interrupt = std::signal(SIGINT, SIG_IGN);
  const PassedOn terminate(SIGTERM);
  const PassedOn hang_up(SIGHUP);
  std::signal(SIGALRM, end_watched_child);
  alarm(seconds);
  const int state = wait_for(watched_child);
  alarm(0);
  std::signal(SIGINT, interrupt);
  if (WIFSIGNALED(state)) return {128 + WTERMSIG(state), WTERMSIG(state), alarm_rang != 0};
  return {WEXITSTATUS(state), 0, false};
}

}  // namespace simt::run

#include "common/simt/run/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace simt::run {
namespace {

pid_t start(const Command& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
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

// What the alarm's handler knows.
volatile std::sig_atomic_t watched_child = 0;
volatile std::sig_atomic_t alarm_rang = 0;

void end_watched_child(int) {
  alarm_rang = 1;
  kill(watched_child, SIGKILL);
}

}  // namespace

bool run_all(const std::vector<Command>& commands, unsigned jobs) {
  bool all = true;
  for (std::size_t begin = 0; begin < commands.size(); begin += jobs) {
    std::vector<pid_t> children;
    for (std::size_t i = begin; i < commands.size() && i < begin + jobs; ++i)
      children.push_back(start(commands[i]));
    for (const pid_t child : children)
      all = succeeded(wait_for(child)) && all;
  }
  return all;
}

Ending watch(const Command& command, const std::map<std::string, std::string>& environment,
             unsigned seconds) {
  for (const auto& [name, value] : environment)
    setenv(name.c_str(), value.c_str(), 1);
  watched_child = start(command);
  alarm_rang = 0;
  const auto interrupt = std::signal(SIGINT, SIG_IGN);
  std::signal(SIGALRM, end_watched_child);
  alarm(seconds);
  const int state = wait_for(watched_child);
  alarm(0);
  std::signal(SIGINT, interrupt);
  if (WIFSIGNALED(state)) return {128 + WTERMSIG(state), WTERMSIG(state), alarm_rang != 0};
  return {WEXITSTATUS(state), 0, false};
}

}  // namespace simt::run

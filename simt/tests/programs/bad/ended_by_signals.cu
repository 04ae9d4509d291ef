// A copy of the process, then the process itself end by signals, the latter while it holds the lock
// that whoever writes out its buffer needs. A handler of the program's own is called before.
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
__global__ void kernel(int* out) { *out = 1; }
void handle(int) { write(STDOUT_FILENO, "handled\n", 8); }
int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  if (fork() == 0) {
    std::printf("printed by the copy\n");
    raise(SIGTERM);
    std::printf("went on\n");
    return 0;
  }
  int state;
  wait(&state);
  std::printf("the copy ended by signal %d\n", WIFSIGNALED(state) ? WTERMSIG(state) : 0);
  signal(SIGHUP, handle);
  raise(SIGHUP);
  flockfile(stdout);
  std::printf("printed before\n");
  raise(SIGINT);
  std::printf("printed meanwhile\n");
  funlockfile(stdout);
  for (;;) pause();
}

// A program adds a handler of its own that runs before fork() copies the process, as the first that
// it does: the handler waits for the end of what other threads launch, or launches itself, so the
// executor must hold none of its locks yet. The copy may be made before there was any launch, too.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned kSeconds = 60;

bool handler_launches = false;

void check(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(EXIT_FAILURE);
}

__global__ void add_one(int* to) {
  *to += 1;
}

bool launch_is_right() {
  int* device = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&device), sizeof(int)) != cudaSuccess) return false;
  int number = 41;
  cudaMemcpy(device, &number, sizeof number, cudaMemcpyHostToDevice);
  add_one<<<1, 1>>>(device);
  cudaMemcpy(&number, device, sizeof number, cudaMemcpyDeviceToHost);
  return cudaFree(device) == cudaSuccess && number == 42;
}

void before_copy() {
  if (handler_launches) check(launch_is_right(), "the launch of the handler");
}

// Whichever of the two waits for ever is ended by a signal.
bool copy_is_right() {
  alarm(kSeconds);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    _exit(launch_is_right() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

}  // namespace

int main() {
  check(pthread_atfork(before_copy, nullptr, nullptr) == 0, "pthread_atfork");
  int* allocated = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&allocated), sizeof(int)) == cudaSuccess, "cudaMalloc");
  check(copy_is_right(), "a copy made between an allocation and the first launch");
  check(cudaFree(allocated) == cudaSuccess, "cudaFree");
  check(launch_is_right(), "the launch of the process that was copied");
  handler_launches = true;
  check(copy_is_right(), "a copy made after a launch of the handler's");
}

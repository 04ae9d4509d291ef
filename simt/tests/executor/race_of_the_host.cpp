// Two of the host's threads at once where the executor expects one. ThreadSanitizer must report it:
// else it does not watch the executor, and its silence about everything else says nothing.

#include <thread>

#include "simt/executor/counters.h"

int main() {
  std::thread other([] { simt::set_workers(1); });
  simt::set_workers(2);
  other.join();
}

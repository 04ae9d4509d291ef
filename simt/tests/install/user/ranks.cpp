#include <cstdio>
#include <nccl.h>

#include "simt/nccl/link_counters.h"

int main() {
  ncclComm_t comm = nullptr;
  if (ncclCommInitAll(&comm, 1, nullptr) != ncclSuccess) return 1;
  int ranks = 0;
  ncclCommCount(comm, &ranks);
  ncclCommDestroy(comm);
  std::printf("%d rank, %zu kinds of calls\n", ranks, simt::nccl::link_counters().size());
}

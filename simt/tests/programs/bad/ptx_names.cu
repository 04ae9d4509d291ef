#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;
__global__ void kernel(std::uint64_t* bar) {
  ptx::fence_proxy_async(ptx::space_shared);
  bar = ptx::mapa(ptx::space_cluster, bar, 1);
  ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, bar);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, 4);
  ptx::mbarrier_test_wait(ptx::sem_relaxed, ptx::scope_cta, bar, 0);
  ptx::mbarrier_test_wait_parity(ptx::sem_relaxed, ptx::scope_cta, bar, 0);
  ptx::mbarrier_try_wait(ptx::sem_relaxed, ptx::scope_cta, bar, 0);
  ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, bar, 0, 1000);
}
int main() {}

// What nvcc refuses to its built-in atomic operations, and 16 bytes.
struct Triple {
  int values[3];
};
struct alignas(16) Four {
  int values[4];
};
__global__ void kernel(short* half, float* real, long long* wide, Triple* triple, Four* four,
                       const int* constant) {
  __nv_atomic_fetch_and(half, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_exchange_n(half, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_load_n(real, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(wide, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_load(triple, triple, __NV_ATOMIC_RELAXED);
  __nv_atomic_store(four, four, __NV_ATOMIC_RELAXED);
  __nv_atomic_load_n(constant, __NV_ATOMIC_RELAXED);
}
int main() {}

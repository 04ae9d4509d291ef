__device__ void f() { k<<<1, 1>>>(); }

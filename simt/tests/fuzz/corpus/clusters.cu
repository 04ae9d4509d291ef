__global__ void __cluster_dims__(2, 1, 1) kernel(int* x) {}
template <int N> __global__ __cluster_dims__(N) void other();
void f() { kernel<<<2, 32>>>(x); other<4><<<2, 32>>>(); }
__cluster_dims__(

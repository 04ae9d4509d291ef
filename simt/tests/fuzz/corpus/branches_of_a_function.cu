#ifdef A
__global__ void f(int a) {
#else
__global__ void f(int b) {
#endif
  __shared__ int x;
}
}}}}
extern "C" { namespace { struct alignas(8) S { void f() const noexcept { int x; } }; } }

#if 0
asm("x");
#elif defined(__CUDA_ARCH__)
__shared__ int x = 1;
#else
void f() {
#endif
#endif
#else
}
#ifndef
#if !defined(
#if
#

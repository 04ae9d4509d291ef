#define RUN(kernel, n) \
  kernel<<<(n) + 1, /* a comment */ 2>>>(n)
#define NAME "kernel<<<1, 2>>>(x)" // kernel<<<1, 2>>>(x)
void f() { RUN(k<float>, 3); }

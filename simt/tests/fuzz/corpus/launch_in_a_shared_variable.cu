void f() { __shared__ int x[(k<<<1, 2>>>(3), 4)]; }

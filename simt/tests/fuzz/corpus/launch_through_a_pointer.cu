void f() { (*pointer)<<<1, 2>>>(x); table[i]<<<1, 2>>>(x); return ::kernel<<<1, 2>>>(); }

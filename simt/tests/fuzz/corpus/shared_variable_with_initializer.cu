void f() { __shared__ int x = 3, y{4}; __shared__ int; __shared__; }

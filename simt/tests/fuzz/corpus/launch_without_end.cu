void f() { kernel<<<1, (2; }

void f() { a::b<g<h<int>>, (3 > 2)>::kernel<float><<<f<2>(1) < 3 ? 4 : 5, 1 << 5>>>(x, y); }

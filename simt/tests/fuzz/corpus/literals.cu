auto a = R"x(k<<<1, 2>>>(x); )" )x", b = u8R"(", c = L'\'', d = "\"", e = 1'000'000.5e+3f;
auto f = R"no end
auto g = "no end
'

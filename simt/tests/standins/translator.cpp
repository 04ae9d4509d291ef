// The source translator: what each construct becomes, what is refused, and that no line moves.

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <initializer_list>
#include <string>
#include <string_view>

#include "simt/translate/token.h"
#include "simt/translate/translation.h"

namespace {

using simt::translate::Token;
using simt::translate::tokenize;
using simt::translate::TokenKind;
using simt::translate::translate;

constexpr std::string_view kFirstLine = "#line 1 \"/source.cu\"\n";

/// The translation of what must translate, without its first line.
std::string translated(const std::string& source) {
  const auto translation = translate(source, "/source.cu");
  REQUIRE(translation.refusals.empty());
  REQUIRE(translation.text.starts_with(kFirstLine));
  const std::string text = translation.text.substr(kFirstLine.size());
  CHECK(std::count(text.begin(), text.end(), '\n') ==
        std::count(source.begin(), source.end(), '\n'));
  return text;
}

/// "line: message" of the only refusal.
std::string refused(const std::string& source) {
  const auto translation = translate(source, "/source.cu");
  REQUIRE(translation.refusals.size() == 1);
  CHECK(translation.text.empty());
  return std::to_string(translation.refusals[0].line) + ": " + translation.refusals[0].message;
}

std::string in_function(const std::string& body) {
  return "__global__ void kernel() {\n" + body + "\n}\n";
}

std::string launcher(const std::string& name, const std::string& callee, const std::string& rest) {
  return "::simt::launcher(\"" + name + "\", [&](auto... arguments) { " + callee +
         "(arguments...); }, [&](auto of) -> decltype(of(" + name + ")) { return of(" + name +
         "); }, " + rest;
}

std::string reference_to_shared(const std::string& name, const std::string& type) {
  return "__typeof__(" + type + ")& " + name + " = ::simt::shared_variable<" + type +
         ">(simt_shared_" + name + ");";
}

std::string shared(const std::string& name, const std::string& type) {
  return "static constexpr ::simt::SharedVariable simt_shared_" + name + "{\"" + name +
         "\", sizeof(" + type + "), alignof(" + type + "), {__FILE__, __LINE__}}; " +
         reference_to_shared(name, type);
}

/// What stays of `__shared__ type name;` outside functions.
std::string described(const std::string& name, const std::string& type = "int") {
  const std::string text = shared(name, type);
  return text.substr(0, text.find("__typeof__"));
}

std::string added(const std::string& name, const std::string& memory) {
  return " static const ::simt::AddedVariable simt_added_" + name + "{\"" + name + "\", " + name +
         ", ::simt::DeviceVariable::" + memory + "};";
}

/// The position of `text`, which must be there.
std::size_t line_of(const std::string& source, const std::string& text) {
  const std::size_t at = source.find(text);
  REQUIRE(at != std::string::npos);
  return static_cast<std::size_t>(
      std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

TEST_SUITE_BEGIN("translator");

TEST_CASE("tokens know their kind, place and line") {
  const auto tokens =
      tokenize("int a'b = 0x1'0p-3f; // c\n  \"x\\\"y\" R\"d()\" )d\" u8'q' -> ::\n#if A\\\n B\nz");
  std::string kinds;
  for (const Token& token : tokens) {
    constexpr std::string_view kLetters = "inlpd";
    kinds += kLetters[static_cast<std::size_t>(token.kind)];
  }
  CHECK(tokens[0].text == "int");
  CHECK(tokens.back().text == "z");
  CHECK(tokens.back().line == 5);
  const auto directive = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::kDirective;
  });
  REQUIRE(directive != tokens.end());
  CHECK(directive->text == "#if A\\\n B");
  CHECK(directive->line == 3);
  CHECK(kinds.ends_with("lllppdi"));
}

TEST_CASE("code without CUDA's constructs stays as it is") {
  for (const std::string source :
       {"int f(int a) { return a << 3 >> 1; }\n", "auto x = a<b<c<int>>>(0);\n",
        "const char* s = \"k<<<1, 2>>>(x); __shared__ int a;\";\n",
        "const char* s = R\"(k<<<1, 2>>>(x))\";\n", "// k<<<1, 2>>>(x)\n/* __shared__ */\n",
        "std::cout << 'a' << '\\'' << \"b\";\n", "", "int x", "'", "\"", "R\"("}) {
    CHECK(translated(source) == source);
  }
}

TEST_CASE("a launch becomes a call of the launcher") {
  CHECK(translated("k<<<1, 2>>>(x);") == launcher("k", "k", "1, 2)(x);"));
  CHECK(translated("k<<<grid, block, bytes, stream>>>();") ==
        launcher("k", "k", "grid, block, bytes, stream)();"));
  CHECK(translated("if (a) k<<<1, 2>>>(x); else k<<<3, 4>>>(y);") ==
        "if (a) " + launcher("k", "k", "1, 2)(x); else ") + launcher("k", "k", "3, 4)(y);"));
}

TEST_CASE("NULL among a launch's arguments becomes a pointer") {
  CHECK(translated("k<<<1, 2>>>(NULL, x, f(NULL), (float*)NULL, NULL);") ==
        launcher("k", "k", "1, 2)(nullptr, x, f(NULL), (float*)NULL, nullptr);"));
  CHECK(translated("k<<<1, 2, 0, NULL>>>(x);") == launcher("k", "k", "1, 2, 0, NULL)(x);"));
}

TEST_CASE("a launch's brackets may stand apart") {
  CHECK(translated("k << <1, 2 >> >(x);") == launcher("k", "k ", "1, 2 )(x);"));
  CHECK(translated("k<T> << < 1, f<A<int> >() >> > (x);") ==
        launcher("k<T>", "k<T> ", " 1, f<A<int> >() ) (x);"));
  for (const std::string source :
       {"friend S& operator<< <T>(S&, T);\n", "S& operator<< <>(S& s, A<B<int>> a);\n"}) {
    CHECK(translated(source) == source);
  }
}

TEST_CASE("a launched kernel may be spelled in many ways") {
  CHECK(translated("k<float, 4><<<1, 2>>>(x);") ==
        launcher("k<float, 4>", "k<float, 4>", "1, 2)(x);"));
  CHECK(translated("a::k<std::pair<int, T<4>>><<<1, 2>>>(x);") ==
        launcher("a::k<std::pair<int, T<4>>>", "a::k<std::pair<int, T<4>>>", "1, 2)(x);"));
  CHECK(translated("k<(a > b)><<<1, 2>>>(x);") ==
        launcher("k<(a > b)>", "k<(a > b)>", "1, 2)(x);"));
  CHECK(translated("return ::a::k<<<1, 2>>>(x);") ==
        "return " + launcher("::a::k", "::a::k", "1, 2)(x);"));
  CHECK(translated("kernels[i].run<<<1, 2>>>(x);") ==
        launcher("kernels[i].run", "kernels[i].run", "1, 2)(x);"));
  CHECK(translated("(*pointer)<<<1, 2>>>(x);") ==
        launcher("(*pointer)", "(*pointer)", "1, 2)(x);"));
  CHECK(translated("table[i]<<<1, 2>>>(x);") == launcher("table[i]", "table[i]", "1, 2)(x);"));
  CHECK(translated("this->k<<<1, 2>>>(x);") == launcher("this->k", "this->k", "1, 2)(x);"));
}

TEST_CASE("brackets in a configuration are matched, not searched") {
  CHECK(translated("k<<<n, f<g<int>>(x)>>>(y);") == launcher("k", "k", "n, f<g<int>>(x))(y);"));
  CHECK(translated("k<<<n, f<g<h<int>>>(x)>>>(y);") ==
        launcher("k", "k", "n, f<g<h<int>>>(x))(y);"));
  CHECK(translated("k<<<n, size<int>>>>(y);") == launcher("k", "k", "n, size<int>)(y);"));
  CHECK(translated("k<<<1 << 3, n >> 2>>>(y);") == launcher("k", "k", "1 << 3, n >> 2)(y);"));
  CHECK(translated("k<<<n < 4 ? 1 : 2, m>>>(y);") == launcher("k", "k", "n < 4 ? 1 : 2, m)(y);"));
  CHECK(translated("k<<<a < 1 && b < 2 && c < 3, m>>>(y);") ==
        launcher("k", "k", "a < 1 && b < 2 && c < 3, m)(y);"));
  CHECK(translated("k<<<dim3(1, 2), (a > b) ? 1 : 2>>>(l(m<<<3, 4>>>(y)));") ==
        launcher("k", "k", "dim3(1, 2), (a > b) ? 1 : 2)(l(") + launcher("m", "m", "3, 4)(y)));"));
}

TEST_CASE("a launch over several lines keeps them, with its comments") {
  const std::string source =
      "k<A,  // first >>>(\n  B>\n  <<<grid /* <<< */,\n     block>>>\n  (x);\nint after;\n";
  const std::string text = translated(source);
  CHECK(line_of(text, "int after") == 5);
  CHECK(line_of(text, "(x)") == 4);
  CHECK(text.find("::simt::launcher(\"k<A, B>\"") == 0);
}

TEST_CASE("a launch in a macro's argument or body is translated") {
  CHECK(translated("CHECK((k<a, b><<<1, 2>>>(x)));") ==
        "CHECK((" + launcher("k<a, b>", "k<a, b>", "1, 2)(x)));"));
  CHECK(translated("#define RUN(x) \\\n  k<<<1, 2>>>(x)\n") ==
        "#define RUN(x) \\\n  " + launcher("k", "k", "1, 2)(x)\n"));
  CHECK(translated("#define RUN(k, n) k<<<n, 2>>>(x)\n") ==
        "#define RUN(k, n) ::simt::launcher(#k, [&](auto... arguments) { k(arguments...); }, "
        "[&](auto of) -> decltype(of(k)) { return of(k); }, n, 2)(x)\n");
}

TEST_CASE("a kernel checks its launch bounds") {
  CHECK(
      translated("void __launch_bounds__(N * 2, 1) k(int x) { y(); }") ==
      "void __launch_bounds__(N * 2, 1) k(int x) { ::simt::check_launch_bounds(N * 2, 1); y(); }");
  CHECK(translated("void __launch_bounds__(8) k(int x); void l() { }") ==
        "void __launch_bounds__(8) k(int x); void l() { }");
}

TEST_CASE("an addition of a number whose result nobody uses says so") {
  const auto in_kernel = [](const std::string& body) {
    return "__global__ void k(int* x, int n) { " + body + " }";
  };
  const std::string told = "::simt::adds_a_constant(), ";
  CHECK(translated(in_kernel("atomicAdd(x, 1);")) == in_kernel(told + "atomicAdd(x, 1);"));
  CHECK(translated(in_kernel("if (n) atomicAdd(&x[n], -1); else atomicAdd(x, 1u);")) ==
        in_kernel("if (n) " + told + "atomicAdd(&x[n], -1); else " + told + "atomicAdd(x, 1u);"));
  for (const char* const other :
       {"n = atomicAdd(x, 1);", "atomicAdd(x, n);", "atomicAdd(x, n + 1);", "f(atomicAdd(x, 1));",
        "return atomicAdd(x, 1);", "atomicMax(x, 1);", "atomicAdd(x, 1) + 1;",
        "n = (int)atomicAdd(x, 1);", "return (int)atomicAdd(x, 1);", "(void)atomicAdd(x, 1);",
        "n = n ? 0 : atomicAdd(x, 1);", "n ? (void)0 : (void)atomicAdd(x, 1);",
        "atomicAdd(x, 1.0f);", "f(n) atomicAdd(x, 1);"}) {
    CHECK(translated(in_kernel(other)) == in_kernel(other));
  }
  CHECK(translated("void host() { atomicAdd(x, 1); }") == "void host() { atomicAdd(x, 1); }");
}

TEST_CASE("a loop says where it begins") {
  const auto in_kernel = [](const std::string& body) {
    return "__global__ void k(int* x, int n) { " + body + " }";
  };
  const std::string begins = "if (::simt::loop_begins(); false) {} else ";
  CHECK(translated(in_kernel("for (;;) x[0] = 1;")) == in_kernel(begins + "for (;;) x[0] = 1;"));
  CHECK(translated(in_kernel("if (n) while (n) --n; else for (int i : a) f(i);")) ==
        in_kernel("if (n) " + begins + "while (n) --n; else " + begins + "for (int i : a) f(i);"));
  // What ends a loop begins none.
  for (const std::string body :
       {"{ --n; }", "--n;", "if (n) { --n; }", "if (n) --n; else { n = 0; }", "{ g([] { ; }); }",
        "[[likely]] { --n; }", "IF(n) { --n; }", "FOR(i, 3) { --n; }"}) {
    CAPTURE(body);
    CHECK(translated(in_kernel("do " + body + " while (n);")) ==
          in_kernel(begins + "do " + body + " while (n);"));
  }
  CHECK(translated(in_kernel("do do --n; while (n % 4); while (n);")) ==
        in_kernel(begins + "do " + begins + "do --n; while (n % 4); while (n);"));
  CHECK(
      translated(in_kernel("do for (;;) --n; while (n); while (n) --n;")) ==
      in_kernel(begins + "do " + begins + "for (;;) --n; while (n); " + begins + "while (n) --n;"));
  // A label that somebody goes back to.
  CHECK(translated(in_kernel("again: --n; if (n) goto again; other: ++n;")) ==
        in_kernel("::simt::loop_begins(); again: --n; if (n) goto again; other: ++n;"));
  // Compilers let nothing come between.
  for (const std::string told : {"\n#pragma unroll\n", "  // four times\n#pragma GCC unroll 4\n"}) {
    CHECK(translated(in_kernel("--n;" + told + "for (;;) --n;")) ==
          in_kernel("--n; " + begins + told + "for (;;) --n;"));
  }
  CHECK(translated(in_kernel("--n; _Pragma(\"unroll\") for (;;) --n;")) ==
        in_kernel("--n; " + begins + "_Pragma(\"unroll\") for (;;) --n;"));
  CHECK(translated(in_kernel("while (n);")) == in_kernel("while (n);"));
  CHECK(translated("void host() { for (;;) ; }") == "void host() { for (;;) ; }");
}

TEST_CASE("a kernel declared in clusters is launched in them") {
  const std::string kernel =
      "template <class T> __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__ k(T* x) {}\n";
  CHECK(translated(kernel + "a::k<float><<<4, 32>>>(x); other<<<4, 32>>>(x);") ==
        kernel + launcher("a::k<float>", "a::k<float>", "4, 32).in_clusters(2, 1, 1)(x); ") +
            launcher("other", "other", "4, 32)(x);"));
  const std::string bounded =
      "__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(N * 2, 1) k(int* x);\n";
  CHECK(translated(bounded + "k<<<4, 32>>>(x);") ==
        bounded + launcher("k", "k", "4, 32).in_clusters(2, 1, 1)(x);"));
}

TEST_CASE("a shared variable becomes a reference") {
  CHECK(translated(in_function("__shared__ float a;")) == in_function(shared("a", "float")));
  CHECK(translated(in_function("static __shared__ float a[kN];")) ==
        in_function(shared("a", "float[kN]")));
  CHECK(translated(in_function("__shared__ float a[N], b[M][2], c;")) ==
        in_function(shared("a", "float[N]") + " " + shared("b", "float[M][2]") + " " +
                    shared("c", "float")));
  CHECK(translated(in_function("__shared__ Pair<int, float> best[kWarps];")) ==
        in_function(shared("best", "Pair<int, float>[kWarps]")));
  CHECK(translated(in_function("__shared__ typename a::B<T>::type x[f<1, 2>()];")) ==
        in_function(shared("x", "typename a::B<T>::type[f<1, 2>()]")));
  CHECK(translated(in_function("__shared__ unsigned long long x;")) ==
        in_function(shared("x", "unsigned long long")));
  CHECK(translated(in_function("volatile __shared__ int x[2];")) ==
        in_function(shared("x", "volatile int[2]")));
  CHECK(translated(in_function("__shared__ const float* p;")) ==
        in_function(shared("p", "const float*")));
  CHECK(translated(in_function("__shared__ float (*p)[4];")) ==
        in_function(shared("p", "float(*)[4]")));
  CHECK(translated(in_function("if (x) { __shared__ int y; }")) ==
        in_function("if (x) { " + shared("y", "int") + " }"));
}

TEST_CASE("a shared variable may be of a structure that is defined with it") {
  CHECK(translated(in_function("__shared__ struct { int i; float f; } a, b[2];")) ==
        in_function("struct simt_type_of_a { int i; float f; }; " + shared("a", "simt_type_of_a") +
                    " " + shared("b", "simt_type_of_a[2]")));
  CHECK(translated(in_function("__shared__ struct Pair {\n  int i; // one\n} a;")) ==
        in_function("struct Pair {\n  int i; // one\n}; " + shared("a", "Pair")));
  CHECK(translated(in_function("const __shared__ struct {int i;} a;")) ==
        in_function("struct simt_type_of_a {int i;}; " + shared("a", "const simt_type_of_a")));
  CHECK(translated(in_function("__shared__ struct alignas(16) Pair : Base { int i; } a;")) ==
        in_function("struct alignas(16) Pair : Base { int i; }; " + shared("a", "Pair")));
  CHECK(translated("__shared__ union { int i; } a;\n__device__ void f() { a.i = 1; }\n") ==
        "union simt_type_of_a { int i; }; " + described("a", "simt_type_of_a") +
            "\n__device__ void f() { " + reference_to_shared("a", "simt_type_of_a") +
            " a.i = 1; }\n");
}

TEST_CASE("a shared variable's alignment is kept") {
  const std::string text = translated(in_function("__shared__ alignas(16) float a[4];"));
  CHECK(text.find("struct alignas(16) simt_aligned_a {") != std::string::npos);
  CHECK(text.find("alignof(simt_aligned_a)") != std::string::npos);
  CHECK(translated(in_function("__align__(16) __shared__ float a[4];")) == text);
  CHECK(translated(in_function("__shared__ __align__(16) float a[4];")) == text);
}

TEST_CASE("a shared variable's declaration over several lines keeps them") {
  const std::string text =
      translated(in_function("__shared__ float a[2],  // one\n    b[3];\nint after;"));
  CHECK(line_of(text, "int after") == 3);
}

TEST_CASE("dynamic shared memory becomes a reference to an array without a size") {
  CHECK(translated(in_function("extern __shared__ float tile[];")) ==
        in_function("auto& tile = ::simt::dynamic_shared_variable<float[]>();"));
  CHECK(translated(in_function("extern __shared__ __align__(16) unsigned char raw[];")) ==
        in_function("auto& raw = ::simt::dynamic_shared_variable<unsigned char[]>();"));
  CHECK(translated(in_function("extern __shared__ alignas(sizeof(T)) T raw[];")) ==
        in_function("auto& raw = ::simt::dynamic_shared_variable<T[]>();"));
}

TEST_CASE("dynamic shared memory in the braces of a macro's body is translated") {
  CHECK(translated("#define MEMORY(T, n) \\\n  T* get() { \\\n    extern __shared__ T n[]; \\\n"
                   "    return n; }\n") ==
        "#define MEMORY(T, n) \\\n  T* get() { \\\n    auto& n = "
        "::simt::dynamic_shared_variable<T[]>(); \\\n    return n; }\n");
  // Who uses these is not known.
  for (const std::string unchanged :
       {"#define TILE(T) extern __shared__ T tile[];\n",
        "#define F(T) T f() { extern __shared__ \\\n T tile[]; return tile[0]; }\n"}) {
    CHECK(translated(unchanged) == unchanged);
  }
}

TEST_CASE("functions are told from namespaces and classes") {
  for (const std::string before :
       {"namespace a { namespace b::c {", "extern \"C\" { inline namespace d {",
        "namespace { struct alignas(16) S : B<int> {", "namespace { class X final {"}) {
    const std::string function =
        before + " template <class T, int n = (1 > 0)> __device__ auto f(T x) const -> int { ";
    CHECK(translated(function + "__shared__ int y; } } }") ==
          function + shared("y", "int") + " } } }");
    CHECK(translated(before + "\n__shared__ int y; } }") ==
          before + "\n" + described("y") + " } }");
  }
  CHECK(translated("void f() {}\n__shared__ int y;") == "void f() {}\n" + described("y"));
  const std::string others = "auto f = [] {};\nenum class E { a };\n\n";
  CHECK(translated(others + "__shared__ int y;") == others + described("y"));
}

TEST_CASE("both branches of a conditional may open the same function") {
  const std::string source =
      "#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n__shared__ int y; }\n";
  CHECK(translated(source).find("simt_shared_y") != std::string::npos);
  CHECK(translated(source + "__shared__ int z;\n").ends_with(described("z") + "\n"));
}

TEST_CASE(
    "a shared variable outside functions is referred to by the device functions that use it") {
  const std::string tile = "auto& tile = ::simt::dynamic_shared_variable<float[]>();";
  CHECK(translated("extern __shared__ float tile[];\n__global__ void k() { tile[0] = 1; }\n"
                   "__device__ int f() { return a.tile; }\nvoid host() { int tile; }\n") ==
        "\n__global__ void k() { " + tile +
            " tile[0] = 1; }\n__device__ int f() { return a.tile; }\nvoid host() { int tile; }\n");
  const std::string y = reference_to_shared("y", "int");
  CHECK(
      translated("__shared__ int y;\n__device__ void f() { y = 1; }\n__global__ void k() { y; }") ==
      described("y") + "\n__device__ void f() { " + y + " y = 1; }\n__global__ void k() { " + y +
          " y; }");
}

TEST_CASE("a function's own variables hide a shared variable outside functions") {
  for (const std::string function : {"__global__ void k(float* tile) { tile[0] = 1; }",
                                     "__device__ void f(int tile, int b) const { tile = 1; }"}) {
    CHECK(translated("extern __shared__ float tile[];\n" + function) == "\n" + function);
  }
  CHECK(translated("__shared__ int y;\n__device__ void f() { __shared__ float y; y = 1; }") ==
        described("y") + "\n__device__ void f() { " + shared("y", "float") + " y = 1; }");
}

TEST_CASE("a shared variable of an included file is referred to, too") {
  const auto header = translate("__shared__ int y;\nextern __shared__ int z[];\n", "/source.cuh");
  REQUIRE(header.outside.size() == 2);
  const auto source = translate("__device__ int f() { return y + z[0]; }", "/s.cu", header.outside);
  CHECK(source.text ==
        "#line 1 \"/s.cu\"\n__device__ int f() { " + reference_to_shared("y", "int") +
            " auto& z = ::simt::dynamic_shared_variable<int[]>(); return y + z[0]; }");
  CHECK(source.outside.size() == 2);
  const auto twice = translate("extern __shared__ int z[];\n__device__ int f() { return z[0]; }",
                               "/s.cu", header.outside);
  CHECK(twice.text ==
        "#line 1 \"/s.cu\"\n\n__device__ int f() { "
        "auto& z = ::simt::dynamic_shared_variable<int[]>(); return z[0]; }");
}

TEST_CASE("a variable of the device is made known behind its declaration") {
  CHECK(translated("__device__ int a; // b\nint after;") ==
        "__device__ int a;" + added("a", "kDevice") + " // b\nint after;");
  CHECK(translated("__constant__ float a[N][2], b = 1.0f, *c;") ==
        "__constant__ float a[N][2], b = 1.0f, *c;" + added("a", "kConstant") +
            added("b", "kConstant") + added("c", "kConstant"));
  for (const auto& [declaration, memory] : std::initializer_list<std::array<std::string, 2>>{
           {"static __device__ unsigned long long x = 0;", "kDevice"},
           {"__device__ __managed__ int x = 0;", "kManaged"},
           {"__managed__ int x{0};", "kManaged"},
           {"const __constant__ int x[] = {1, 2, f<1, 2>(3)};", "kConstant"},
           {"static const float __constant__ x[2] = {1, 2};", "kConstant"},
           {"alignas(16) __constant__ float x[4];", "kConstant"},
           {"__constant__ __align__(16) float4 x[4];", "kConstant"},
           {"[[maybe_unused]] inline __device__ volatile int x;", "kDevice"},
           {"__constant__ std::array<a::B<int, 4>, 2> x;", "kConstant"},
           {"__constant__ struct Parameters { int n, m; float f(); } x;", "kConstant"},
           {"__constant__ struct { int n; } x = {3};", "kConstant"},
           {"__constant__ const struct Parameters x;", "kConstant"},
           {"__device__ float (*x)(float, int) = add;", "kDevice"},
           {"__device__ float (*x[2])(float) = {add, mul};", "kDevice"},
           {"__device__ int* const __restrict__ x = nullptr;", "kDevice"},
           {"__constant__ decltype(f(1)) x;", "kConstant"}}) {
    CAPTURE(declaration);
    const std::string text = "struct S {};\n" + declaration;
    CHECK(translated(text) == text + added("x", memory));
    const std::string in_namespaces = "namespace a { extern \"C\" { ";
    CHECK(translated(in_namespaces + declaration + " } }") ==
          in_namespaces + declaration + added("x", memory) + " } }");
  }
  const std::string text = translated("__constant__ float a[2] = {\n 1,\n#if A\n 2\n#endif\n};\n");
  CHECK(text.ends_with("};" + added("a", "kConstant") + "\n"));
}

TEST_CASE("what may be no definition of a variable of the device is left alone") {
  for (const std::string source :
       {"extern __constant__ int x;",
        "extern __device__ int x[];",
        "extern \"C\" __device__ int x;",
        "struct S { static __device__ int x; };",
        "class S { __device__ S& f(); __device__ S(); };",
        "__device__ int S::x;",
        "template <class T> __device__ T x;",
        "template <> __device__ int x<int>;",
        "__device__ int f(int x);",
        "__device__ int f() { return 0; }\n__global__ void g(int a, int b) {}\nint x;",
        "__device__ __forceinline__ float2 f(float2 a) { return a; } int x, y;",
        "__host__ __device__ inline auto f(int a = 3) -> std::pair<int, T<4>> { return {}; }",
        "__device__ S operator+(S a, S b);",
        "__device__ S::operator int() const { return 0; }",
        "__device__ S& S::operator=(const S& x) { return *this; }",
        "__device__ X x(3);",
        "auto f = [] __device__ (int x) { return x; };",
        "using F = int (*)(int); MACRO(__device__ x)",
        "void f() { static __device__ int x; }",
        "__device__ void f(); __device__ int",
        "__device__",
        "struct S { int a; } __device__ s;",
        "DECLARE(int) __device__ x;",
        "__device__ int& x = y;",
        "template <class T> struct S { __device__ T x; };"}) {
    CAPTURE(source);
    CHECK(translated(source) == source);
  }
}

TEST_CASE("kernels that are launched by a function get their names") {
  const auto named = [](const std::string& name) {
    return "::simt::named_kernel(\"" + name + "\", " + name + ")";
  };
  CHECK(translated(in_function("cudaLaunchKernelEx(&config, k<float, 4>, a, b);")) ==
        in_function("cudaLaunchKernelEx(&config, " + named("k<float, 4>") + ", a, b);"));
  for (const std::string cast : {"(void*)k", "(const void *)k", "reinterpret_cast<void*>(k)",
                                 "static_cast<const void*>(k)", "k"}) {
    CHECK(
        translated(in_function("cudaLaunchCooperativeKernel(" + cast + ", grid, block, args);")) ==
        in_function("cudaLaunchCooperativeKernel(" + named("k") + ", grid, block, args);"));
  }
  CHECK(translated(in_function("cudaLaunchKernel(&k, f(1, 2), block, args);")) ==
        in_function("cudaLaunchKernel(::simt::named_kernel(\"k\", &k), f(1, 2), block, args);"));
  CHECK(translated(in_function("cudaLaunchKernel((void*)\n  k, 1, 2, args);")) ==
        in_function("cudaLaunchKernel(::simt::named_kernel(\"k\", \nk), 1, 2, args);"));
}

TEST_CASE("kernels of a graph's nodes keep their parameters") {
  const std::string declared = "cudaKernelNodeParams p; ";
  for (const std::string access : {"p.func", "q->func"}) {
    CHECK(translated(in_function(declared + access + " = (void*)k<float>;")) ==
          in_function(declared + access + " = ::simt::named_kernel(\"k<float>\", k<float>);"));
  }
  for (const std::string& other : {declared + "p.func = nullptr;", declared + "p.func == (void*)k;",
                                   std::string("p.func = (void*)k;")}) {
    CHECK(translated(in_function(other)) == in_function(other));
  }
}

TEST_CASE("kernels may launch kernels") {
  CHECK(translated(in_function("k<<<1, 2>>>(x);")).find("::simt::launcher(\"k\", ") !=
        std::string::npos);
}

TEST_CASE("what the CPU cannot do is refused by name and line") {
  CHECK(refused("\n__shared__ float row[4] = {};") ==
        "2: the __shared__ variable 'row' has an initializer, which CUDA does not allow");
  CHECK(refused(in_function("__shared__ int x = 3;")) ==
        "2: the __shared__ variable 'x' has an initializer, which CUDA does not allow");
  CHECK(refused(in_function("__shared__ int;")) == "2: __shared__ without a variable's name");
  CHECK(refused(in_function("\nasm volatile(\"bar.sync 0;\");")) ==
        "3: inline PTX ('asm volatile') cannot run on a CPU, but for single instructions "
        "that simt/docs/run.md names under \"What is refused\"; give a C++ alternative under "
        "#ifdef SIMT_EXECUTOR");
  CHECK(refused(in_function("asm(\"mov.u32 %0, %smid;\" : \"=r\"(x));")).starts_with("2: "));
  CHECK(refused("k<<<1, 2;\n") == "1: launch '<<<' without its '>>>('");
  CHECK(refused("\n= <<<1, 2>>>(x);\n") == "2: launch without a kernel before '<<<'");
  CHECK(refused("\n__shared__ int x") == "2: __shared__ variable without its ';'");
  CHECK(refused("int y;\n__shared__ int x[(k<<<1, 2>>>(3), 4)];\n") ==
        "2: one of CUDA's constructs inside another");
  CHECK(refused("__shared__ int x[sizeof(R\"(a\nb)\")];\n") ==
        "1: a literal over several lines in one of CUDA's constructs");
}

TEST_CASE("the halves of a cluster's barrier become calls") {
  CHECK(translated(in_function(
            "asm volatile(\"barrier.cluster.arrive.relaxed.aligned;\" ::: \"memory\");")) ==
        in_function("::simt::ptx::barrier_cluster_arrive_relaxed_aligned();"));
  CHECK(translated(in_function("asm(\"barrier.cluster.arrive.relaxed;\");")) ==
        in_function("::simt::ptx::barrier_cluster_arrive_relaxed();"));
  CHECK(translated(in_function("asm(\"barrier.cluster.wait;\" : : : \"memory\");")) ==
        in_function("::simt::ptx::barrier_cluster_wait();"));
  // Without it, compilers may move accesses across the barrier.
  CHECK(!refused(in_function("asm volatile(\"barrier.cluster.wait;\");")).empty());
  CHECK(!refused(in_function("asm volatile(\"barrier.cluster.arrive.release;\");")).empty());
  CHECK(!refused(in_function("asm(\"barrier.cluster.wait;\" : \"memory\");")).empty());
  CHECK(!refused(in_function("asm(\"barrier.cluster.arrive %0;\" :: \"r\"(x));")).empty());
  CHECK(!refused(in_function("asm(\"barrier.cluster.wait;\" :: \"r\"(x));")).empty());
}

TEST_CASE("loads and stores of PTX by which blocks tell each other of their data are calls") {
  struct {
    const char* ptx;
    const char* call;
  } const known[] = {{"asm volatile(\"ld.relaxed.sys.global.u64 %0,[%1];\" : \"=l\"(v) : \"l\"(p + "
                      "i) : \"memory\");",
                      "::simt::ptx::load_relaxed<8>(p + i, v);"},
                     {"asm(\"ld.acquire.gpu.f32 %0, [%1];\" : \"=f\"(v) : \"l\"(p));",
                      "::simt::ptx::load_acquire<4>(p, v);"},
                     {"asm(\"ld.volatile.global.b32 %0, [ %1 ];\" : \"=r\"(v) : \"l\"(p));",
                      "::simt::ptx::load_volatile<4>(p, v);"},
                     {"asm(\"st.relaxed.cta.f64 [%0], %1;\" :: \"l\"(p), \"d\"(v) : \"memory\");",
                      "::simt::ptx::store_relaxed<8>(p, v);"},
                     {"asm(\"st.release.sys.global.s32 [%0],%1;\" : : \"l\"(p), \"r\"(f(v, 1)));",
                      "::simt::ptx::store_release<4, true>(p, f(v, 1));"},
                     {"asm(\"st.release.cluster.b64 [%0],%1;\" : : \"l\"(p), \"l\"(v));",
                      "::simt::ptx::store_release<8, false>(p, v);"},
                     {"asm(\"st.volatile.u32 [%0],%1;\" :: \"l\"(p), \"r\"(v));",
                      "::simt::ptx::store_volatile<4>(p, v);"}};
  for (const auto& each : known) {
    CAPTURE(each.ptx);
    CHECK(translated(in_function(each.ptx)) == in_function(each.call));
  }
  for (const char* unknown :
       {"asm(\"ld.relaxed.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"ld.release.sys.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"st.acquire.sys.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v));",
        "asm(\"ld.relaxed.sys.shared.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"ld.relaxed.sys.v2.u32 {%0, %1}, [%2];\" : \"=r\"(v), \"=r\"(w) : \"l\"(p));",
        "asm(\"ld.relaxed.sys.u32 %0, [%1+4];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"ld.relaxed.sys.u32 %0, %1;\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"ld.relaxed.sys.u32 %0, [%1];\" : \"=l\"(v) : \"l\"(p));",
        "asm(\"ld.relaxed.sys.u32 %0, [%1];\" : \"=r\"(v) : \"r\"(p));",
        "asm(\"ld.relaxed.sys.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p) : \"cc\");",
        "asm(\"st.relaxed.sys.u32 [%0], %1;\" :: \"l\"(p));", "asm(\"ld.relaxed.sys.u32\");",
        "asm(\"st.relaxed.sys.u32 [%0], %1;\" :: \"l\"(p, \"r\"(v));"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
}

TEST_CASE("plain loads and stores of PTX are calls, whatever they advise the caches") {
  struct {
    const char* ptx;
    const char* call;
  } const known[] = {
      {"asm(\"ld.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
       "::simt::ptx::load_plain<4>(p, v);"},
      {"asm volatile(\"ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];\" : "
       "\"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d) : \"l\"(p + 1));",
       "::simt::ptx::load_plain<4>(p + 1, a, b, c, d);"},
      {"asm(\"ld.cs.v2.f64 {%0,%1},[%2];\" : \"=d\"(a), \"=d\"(b) : \"l\"(p) : \"memory\");",
       "::simt::ptx::load_plain<8>(p, a, b);"},
      {"asm volatile(\"st.global.cs.v4.f32 [%0], {%1,%2,%3,%4};\" :: \"l\"(p), \"f\"(a), \"f\"(b), "
       "\"f\"(c), \"f\"(d) : \"memory\");",
       "::simt::ptx::store_plain<4>(p, a, b, c, d);"},
      {"asm(\"st.wt.s64 [%0], %1;\" :: \"l\"(p), \"l\"(v) : \"memory\");",
       "::simt::ptx::store_plain<8>(p, v);"}};
  for (const auto& each : known) {
    CAPTURE(each.ptx);
    CHECK(translated(in_function(each.ptx)) == in_function(each.call));
  }
  for (const char* unknown :
       {"asm(\"ld.shared.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"ld.global.L2::512B.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"st.global.nc.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v) : \"memory\");",
        "asm(\"ld.nc.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));",
        // Without "memory", compilers may move accesses across the store.
        "asm(\"st.wt.s64 [%0], %1;\" :: \"l\"(p), \"l\"(v));",
        "asm volatile(\"st.global.cs.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v));",
        "asm(\"ld.global.v2.u32 {%1, %0}, [%2];\" : \"=r\"(v), \"=r\"(w) : \"l\"(p));",
        "asm(\"ld.global.v2.u32 %0, [%2];\" : \"=r\"(v), \"=r\"(w) : \"l\"(p));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%1];\" : \"=r\"(v), \"=r\"(w) : \"l\"(p));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(v), \"=f\"(w) : \"l\"(p));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(v) : \"l\"(p));",
        "asm(\"ld.global.v4.u64 {%0,%1,%2,%3}, [%4];\" : \"=l\"(a), \"=l\"(b), \"=l\"(c), "
        "\"=l\"(d) : \"l\"(p));",
        "asm(\"st.global.v2.u32 [%0], {%1};\" :: \"l\"(p), \"r\"(v) : \"memory\");"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
}

TEST_CASE("values of one or two bytes are extended to their registers") {
  CHECK(translated(in_function(
            "asm(\"ld.acquire.sys.global.u8 %0, [%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\");")) ==
        in_function("::simt::ptx::extended<unsigned char>(v, [&](auto& small) { "
                    "::simt::ptx::load_acquire<1>(p, small); });"));
  CHECK(translated(in_function("asm(\"ld.s16 %0, [%1];\" : \"=h\"(v) : \"l\"(p));")) ==
        in_function("::simt::ptx::extended<short>(v, [&](auto& small) { "
                    "::simt::ptx::load_plain<2>(p, small); });"));
  // The address last, and no comma between the operands, as some write it.
  CHECK(translated(in_function(
            "asm(\"st.release.sys.global.u8 [%1], %0;\" ::\"r\"(v) \"l\"(p) : \"memory\");")) ==
        in_function("::simt::ptx::store_release<1, true>(p, static_cast<unsigned char>(v));"));
  for (const char* unknown :
       {"asm(\"ld.u8 %0, [%1];\" : \"=l\"(v) : \"l\"(p));",
        "asm(\"ld.v2.u8 {%0, %1}, [%2];\" : \"=r\"(v), \"=r\"(w) : \"l\"(p));",
        "asm(\"st.relaxed.sys.u32 [%1], %1;\" :: \"r\"(v), \"l\"(p));",
        "asm(\"st.relaxed.sys.u32 [%1], %0;\" :: \"r\"(v), \"r\"(p));"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
}

TEST_CASE("special registers are read by functions") {
  CHECK(translated(in_function("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));")) ==
        in_function("(x) = ::simt::ptx::laneid();"));
  CHECK(translated(in_function("asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(*t));")) ==
        in_function("(*t) = ::simt::ptx::globaltimer();"));
  CHECK(translated(in_function("asm(\"mov.b32 %0, %%ctaid.z;\" : \"=r\"(x));")) ==
        in_function("(x) = ::simt::ptx::ctaid_z();"));
  for (const char* unknown :
       {"asm(\"mov.u32 %0, %%smid;\" : \"=r\"(x));", "asm(\"mov.u64 %0, %%laneid;\" : \"=l\"(x));",
        "asm(\"mov.u32 %0, %%laneid;\" : \"=l\"(x));",
        "asm(\"mov.u32 %1, %%laneid;\" : \"=r\"(x));",
        "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x) : \"r\"(y));",
        "asm(\"mov.u32 %0, 4;\" : \"=r\"(x));", "asm(\"mov.u32\");"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
}

TEST_CASE("products of matrices, and what loads their factors, are calls") {
  CHECK(translated(in_function(
            "asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1,%2,%3},\\n\" "
            "\"{%4, %5}, {%6}, {%7,%8,%9,%10};\\n\" : \"=f\"(d[0]), \"=f\"(d[1]), \"=f\"(d[2]), "
            "\"=f\"(d[3]) : \"r\"(a), \"r\"(b), \"r\"(c), \"f\"(e), \"f\"(f), \"f\"(g), "
            "\"f\"(h));")) ==
        in_function("::simt::ptx::mma<16, 8, 8, false>(::simt::Location::current(), "
                    "::simt::ptx::MatrixTypes<::simt::MatrixElement::kFloat, "
                    "::simt::MatrixElement::kHalf, ::simt::MatrixElement::kHalf, "
                    "::simt::MatrixElement::kFloat>(), ::std::tie(d[0], d[1], d[2], d[3]), a, b, "
                    "c, e, f, g, h);"));
  CHECK(translated(in_function(
            "asm(\"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, "
            "{%0,%1};\" : \"+r\"(d), \"+r\"(e) : \"r\"(a), \"r\"(b));")) ==
        in_function("::simt::ptx::mma<8, 8, 16, true>(::simt::Location::current(), "
                    "::simt::ptx::MatrixTypes<::simt::MatrixElement::kInt, "
                    "::simt::MatrixElement::kUnsigned8, ::simt::MatrixElement::kSigned8, "
                    "::simt::MatrixElement::kInt>(), ::std::tie(d, e), a, b, d, e);"));
  CHECK(translated(in_function("asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
                               "{%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"r\"(p));")) ==
        in_function("::simt::ptx::ldmatrix<2, true>(::simt::Location::current(), "
                    "::simt::ptx::in_shared_memory(p), a, b);"));
  CHECK(translated(in_function("asm(\"ldmatrix.sync.aligned.x1.m8n8.shared::cta.b16 {%0}, "
                               "[%1];\\n\" : \"=r\"(a) : \"r\"(p));")) ==
        in_function("::simt::ptx::ldmatrix<1, false>(::simt::Location::current(), "
                    "::simt::ptx::in_shared_memory(p), a);"));
  CHECK(translated(in_function("asm(\"ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];\" : \"=r\"(a) "
                               ": \"l\"(p));")) ==
        in_function("::simt::ptx::ldmatrix<1, false>(::simt::Location::current(), "
                    "::simt::ptx::object_at<const void>(p), a);"));
  CHECK(!refused(in_function("asm(\"ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];\" : \"=r\"(a) : "
                             "\"r\"(p));"))
             .empty());
  for (const char* unknown : {"asm(\"ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%0}, [%1];\" : "
                              "\"=r\"(a) : \"r\"(p));",
                              "asm(\"ldmatrix.sync.aligned.m8n8.x1.b8 {%0}, [%1];\" : \"=r\"(a) : "
                              "\"r\"(p));",
                              "asm(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0}, [%1];\" : "
                              "\"=r\"(a) : \"r\"(p));",
                              "asm(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1+16];\" : "
                              "\"=r\"(a) : \"r\"(p));"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
  CHECK(translated(in_function("asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(t) : \"f\"(x));")) ==
        in_function("::simt::ptx::cvt_rna_tf32_f32(t, x);"));
}

TEST_CASE("addresses in shared memory are calls") {
  CHECK(translated(in_function("asm(\"{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; "
                               "}\\n\" : \"=r\"(x) : \"l\"(p));")) ==
        in_function("(x) = ::simt::ptx::shared_address(p);"));
  CHECK(translated(in_function("asm(\"cvta.to.shared.u64 %0, %1;\" : \"=l\"(x) : \"l\"(p));")) ==
        in_function("(x) = ::simt::ptx::shared_address(p);"));
  for (const char* unknown :
       {"asm(\"cvta.to.global.u64 %0, %1;\" : \"=l\"(x) : \"l\"(p));",
        "asm(\"cvta.to.shared.u64 %0, %1;\" : \"=r\"(x) : \"l\"(p));",
        "asm(\"{ .reg .u64 a; cvta.to.shared.u64 b, %1; cvt.u32.u64 %0, a; }\" : \"=r\"(x) : "
        "\"l\"(p));"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
}

TEST_CASE("asynchronous copies of PTX are calls") {
  CHECK(translated(in_function("asm volatile(\"cp.async.cg.shared.global.L2::128B [%0], [%1], "
                               "%2;\\n\" ::\"r\"(to), \"l\"(from), \"n\"(16));")) ==
        in_function("::simt::start_async_copy(::simt::ptx::in_shared_memory(to), "
                    "::simt::ptx::object_at<const void>(from), 16, (16) - (16), "
                    "::simt::Location::current());"));
  CHECK(translated(in_function("asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4, %2;\" :: "
                               "\"r\"(to), \"l\"(from), \"r\"(n));")) ==
        in_function("::simt::start_async_copy(::simt::ptx::in_shared_memory(to), "
                    "::simt::ptx::object_at<const void>(from), 4, (4) - (n), "
                    "::simt::Location::current());"));
  CHECK(translated(in_function("asm volatile(\"cp.async.commit_group;\\n\" ::);")) ==
        in_function("::simt::commit_async_copies();"));
  CHECK(translated(in_function("asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(2));")) ==
        in_function("::simt::wait_for_async_copies(2);"));
  CHECK(translated(in_function("asm volatile(\"cp.async.wait_all;\");")) ==
        in_function("(::simt::commit_async_copies(), ::simt::wait_for_async_copies(0));"));
  for (const char* unknown :
       {"asm(\"cp.async.bulk.commit_group;\");", "asm(\"cp.async.wait_group;\");",
        "asm(\"cp.async.ca.shared.global [%0], [%1];\" :: \"r\"(to), \"l\"(from));",
        "asm(\"cp.async.ca.shared.global [%0], %1, 16;\" :: \"r\"(to), \"l\"(from));",
        "asm(\"cp.async.ca.shared.global [%0], [%1], 16;\" :: \"l\"(to), \"r\"(from));",
        "asm(\"cp.async.wait_group %0;\" : \"=r\"(n));",
        "asm(\"cp.async.ca.global.shared [%0], [%1], 16;\" :: \"r\"(to), \"l\"(from));"}) {
    CAPTURE(unknown);
    CHECK(!refused(in_function(unknown)).empty());
  }
}

TEST_CASE("other instructions on matrices are refused, with the reason") {
  struct {
    const char* spelled;
    const char* reason;
  } const refusals[] = {
      {"asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");", "(wgmma works on"},
      {"asm(\"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0};\" : \"=f\"(d));",
       "(a sparse factor is not computed)"},
      {"asm(\"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0};\" : \"=r\"(d));",
       "(of mma.sync, types of less than 8 bits"},
      {"asm(\"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};\" :: \"r\"(p), \"r\"(a));",
       "(stmatrix is not computed)"},
      // A register is missing; one is of another kind; an output is no input; a sum of half.
      {"asm(\"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0}, {%1}, {%2}, {%0};\" : "
       "\"+r\"(d) : \"r\"(a), \"r\"(b));",
       "(of mma.sync"},
      {"asm(\"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};\" : "
       "\"+f\"(d), \"+f\"(e) : \"r\"(a), \"r\"(b));",
       "(of mma.sync"},
      {"asm(\"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};\" : "
       "\"=r\"(d), \"=r\"(e) : \"r\"(a), \"r\"(b));",
       "(of mma.sync"},
      {"asm(\"mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%0,%1}, {%2,%3}, {%4}, "
       "{%0,%1};\" "
       ": \"+r\"(d), \"+r\"(e) : \"r\"(a), \"r\"(b), \"r\"(c));",
       "(of mma.sync"}};
  for (const auto& [spelled, reason] : refusals) {
    CAPTURE(spelled);
    const std::string message = refused(in_function(spelled));
    CHECK(message.find(reason) != std::string::npos);
  }
}

TEST_CASE("an instruction may be spelled in several literals") {
  CHECK(translated(in_function("asm(\"vabsdiff4.u32.u32.u32.add\"\n\" %0, %1, %2, %3;\"\n: "
                               "\"=r\"(d) : \"r\"(a), \"r\"(b), \"r\"(c));")) ==
        in_function("::simt::ptx::vabsdiff4_u32_u32_u32_add(d, a, b, c)\n\n;"));
  CHECK(!refused(in_function("asm(\"vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;\" : \"=f\"(d) : "
                             "\"r\"(a), \"r\"(b), \"r\"(c));"))
             .empty());
}

TEST_CASE("inline PTX in a macro becomes a call, or an error where the macro is used") {
  CHECK(translated("#define COMMIT() asm volatile(\"cp.async.commit_group;\\n\" ::)\n")
            .find("#define COMMIT() ::simt::commit_async_copies()") != std::string::npos);
  CHECK(translated(
            "#define EX2(y, x) asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x))\n") ==
        "#define EX2(y, x) ::simt::ptx::ex2_approx_ftz_f32(y, x)\n");
  const std::string refused_later = translated(
      "#define LANE(x) \\\n  asm volatile(\"mov.u32 %0, %%smid;\" \\\n : \"=r\"(x))\nint y;\n");
  CHECK(refused_later.find("_Pragma(\"GCC error \\\"inline PTX in the macro 'LANE' cannot") !=
        std::string::npos);
  CHECK(line_of(refused_later, "int y") == 3);
  CHECK(translated("#define SYNC() asm volatile(\"bar.sync 0;\")\n").find("'SYNC'") !=
        std::string::npos);
  // Of the host's processor.
  const std::string pause = "#define PAUSE() asm volatile(\"pause\" ::: \"memory\")\n";
  CHECK(translated(pause) == pause);
}

TEST_CASE("inline PTX of one known instruction becomes a call") {
  CHECK(translated(in_function(
            "asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y[f(1, 2)]) : \"f\"(x + 1));")) ==
        in_function("::simt::ptx::ex2_approx_ftz_f32(y[f(1, 2)], x + 1);"));
  CHECK(translated(in_function(
            "asm volatile(\" max.NaN.f32 %0,%2 , %1; \"\n: \"=f\"(y) : \"f\"(a), \"f\"(b)\n);")) ==
        in_function("::simt::ptx::max_NaN_f32(y, b, a)\n\n;"));
  for (const char* unknown :
       {"asm(\"ex2.approx.f16 %0, %1;\" : \"=h\"(y) : \"h\"(x));",
        "asm(\"ex2.approx.f32 %0, %1; ex2.approx.f32 %0, %0;\" : \"=f\"(y) : \"f\"(x));",
        "asm(\"ex2.approx.f32 %0, %2;\" : \"=f\"(y) : \"f\"(x));",
        "asm(\"ex2.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x) : \"memory\");",
        "asm(\"ex2.approx.f32 %0, 1.0;\" : \"=f\"(y));", "asm(\"ex2.approx.f32\");", "asm(\"\");",
        "asm(\"ex2.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"x);",
        "asm(\"ex2.approx.f32 %1, %0;\" : \"=f\"(y) : \"f\"(x));",
        "asm(\"ex2.approx.f32 %0, %0;\" : \"=f\"(y) : \"f\"(x));",
        "asm(\"max.NaN.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));",
        "asm(\"ex2.approx.f32 %0, %1;\" : \"=r\"(y) : \"f\"(x));",
        "asm(\"ex2.approx.f32 %0, %1;\" : \"+f\"(y) : \"f\"(x));", "asm();"}) {
    CAPTURE(unknown);
    CHECK(refused(in_function(unknown)).starts_with("2: inline PTX"));
  }
}

TEST_CASE("refusals come by line") {
  const auto translation = translate(
      "__shared__ int b = 1;\n" + in_function("asm(\"\");") + "__shared__ int a = 1;\n", "/s.cu");
  REQUIRE(translation.refusals.size() == 3);
  CHECK(translation.refusals[0].line == 1);
  CHECK(translation.refusals[1].line == 3);
  CHECK(translation.refusals[2].line == 5);
}

TEST_CASE("branches that the CPU never compiles are left alone") {
  const std::string ptx = in_function("asm(\"x\");");
  for (const std::string& source :
       {"#if 0\n" + ptx + "#endif\n", "#ifndef SIMT_EXECUTOR\n" + ptx + "#endif\n",
        "#ifdef SIMT_EXECUTOR\nint a;\n#else\n" + ptx + "#endif\n",
        "#if !defined(SIMT_EXECUTOR)\n" + ptx + "#endif\n",
        "#if A\n#elif defined(SIMT_EXECUTOR) || B\nint b;\n#else\n" + ptx + "#endif\n"}) {
    CHECK(translated(source) == source);
  }
  CHECK(refused("#ifdef OTHER\n" + ptx + "#endif\n").starts_with("3: "));
  CHECK(refused("#ifdef SIMT_EXECUTOR\n" + ptx + "#endif\n").starts_with("3: "));
  CHECK(refused("#ifndef SIMT_EXECUTOR\n#else\n" + ptx + "#endif\n").starts_with("4: "));
}

namespace {

std::string line(int number) {
  return "#line " + std::to_string(number) + " \"/source.cu\"\n";
}

/// What stands before host code that begins in this line.
std::string host(int number) {
  return "\n#pragma push_macro(\"__CUDA_ARCH__\")\n#undef __CUDA_ARCH__\n" + line(number);
}
std::string device(int number) {
  return "\n#pragma push_macro(\"__CUDA_ARCH__\")\n#undef __CUDA_ARCH__\n"
         "#define __CUDA_ARCH__ 900\n" +
         line(number);
}
/// What stands behind both.
std::string back(int number) {
  return "\n#pragma pop_macro(\"__CUDA_ARCH__\")\n" + line(number);
}

std::string translation_of(const std::string& source) {
  const auto translation = translate(source, "/source.cu");
  CHECK(translation.refusals.empty());
  CHECK(translation.text.starts_with(kFirstLine));
  return translation.text.substr(kFirstLine.size());
}

}  // namespace

TEST_CASE("device code has an architecture") {
  for (const std::string condition : {"#ifdef __CUDA_ARCH__", "#if A"}) {
    const std::string body = "\n" + condition + "\nf();\n#endif\n";
    for (const std::string head :
         {"__global__ void k() {", "struct S { __device__ void k() const {",
          "void host() { auto f = [=] __device__ (int i) {"}) {
      const std::string end = head.find("k()") == std::string::npos ? "}; }" : "}";
      CHECK(translation_of(head + body + end) == head + device(1) + body + back(5) + end);
    }
  }
  CHECK(translation_of("void host() {\n#if A\n#endif\n}") == "void host() {\n#if A\n#endif\n}");
  CHECK(translation_of("__global__ void k() { f(); }") == "__global__ void k() { f(); }");
}

TEST_CASE("a function of both sides that asks for the architecture has two bodies") {
  const std::string body = "\n#ifdef __CUDA_ARCH__\n__shared__ int x;\n#endif\n";
  const std::string made = "\n#ifdef __CUDA_ARCH__\n" + shared("x", "int") + "\n#endif\n";
  for (const std::string head : {"__host__ __device__ int f() {", "BOTH int f() {"}) {
    CHECK(translation_of(head + body + "}") == head + " if (::simt::on_device()) {" + device(1) +
                                                   made + back(5) + "} else {" + host(1) + made +
                                                   back(5) + "}}");
  }
}

TEST_CASE("branches for another architecture or side are left alone") {
  const std::string ptx = "asm(\"x\");\n#endif\n}\n";
  const std::string kernel = "__global__ void k() {\n";
  for (const std::string condition :
       {"#ifndef __CUDA_ARCH__", "#if __CUDA_ARCH__ < 700", "#if !(__CUDA_ARCH__ >= 0x2bc)",
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ <= 890 || 0", "#if A\n#elif !__CUDA_ARCH__",
        "#if __CUDA_ARCH__ == 900\n#else", "#if A && __CUDA_ARCH__ != 900ull"}) {
    CHECK(translation_of(kernel + condition + "\n" + ptx).find("asm") != std::string::npos);
  }
  for (const std::string condition :
       {"#ifdef __CUDA_ARCH__", "#if __CUDA_ARCH__ >= 700", "#if __CUDA_ARCH__ + 1 < 3",
        "#if A || !defined __CUDA_ARCH__", "#if (__CUDA_ARCH__", "#if F(__CUDA_ARCH__) < 700"}) {
    CHECK_FALSE(translate(kernel + condition + "\n" + ptx, "/source.cu").refusals.empty());
  }
}

TEST_CASE("outside functions the architecture is the device's") {
  const std::string function = "#if __CUDA_ARCH__ >= 700\n__device__ void f();\n#endif";
  CHECK(translation_of("int a;\n" + function + "  // b\nint c;\n") ==
        "int a;\n" + device(2) + function + "  " + back(4) + "// b\nint c;\n");
  const std::string ifdef = "#ifdef __CUDA_ARCH__\nvoid f() {";
  const std::string body = "\n#ifdef A\n#endif\n";
  CHECK(translation_of(ifdef + body + "}\n#endif") ==
        device(1) + ifdef + host(2) + body + back(5) + "}\n#endif" + back(6));
  const std::string same = "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\n" +
                           in_function("asm(\"x\");") + "#endif\n";
  CHECK(translation_of(same) == same);
  CHECK(translate(function, "/source.cu").remarks.empty());
  const std::string macros = "\n#ifdef __CUDA_ARCH__\n#define ON_DEVICE 1\n#endif\n";
  REQUIRE(translate(macros, "/source.cu").remarks.size() == 1);
  CHECK(translate(macros, "/source.cu").remarks[0].line == 2);
  CHECK(translate("#ifdef __CUDA_ARCH__\nint a;\n#endif", "/source.cu").remarks.size() == 1);
}

TEST_CASE("a byte-order mark is no code") {
  CHECK(translated("\xEF\xBB\xBFint a;\n") == "int a;\n");
}

TEST_CASE("host code may have an assembler's instructions") {
  for (const std::string source :
       {"void f() { asm(\"pause\"); }\n", "int f() { __asm__ volatile(\"cpuid\" : : \"a\"(0)); }\n",
        "void f() asm(\"g\");\n"}) {
    CHECK(translated(source) == source);
  }
  CHECK(refused("DEVICE int f() {\n  asm(\"mov.u32 %0, %%smid;\" : \"=r\"(x));\n}\n")
            .starts_with("2: "));
}

TEST_CASE("the path in the first line is a string literal") {
  CHECK(translate("int a;\n", "/a \"b\"\\c.cu").text ==
        "#line 1 \"/a \\\"b\\\"\\\\c.cu\"\nint a;\n");
}

TEST_SUITE_END();

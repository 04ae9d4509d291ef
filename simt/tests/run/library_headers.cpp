// What is made of a header of CUB's before it is translated, and of its translation.
#include "simt/run/library_headers.h"

#include <algorithm>
#include <doctest/doctest.h>

namespace {

using simt::run::for_host_compiler;
using simt::run::with_names_of_library;

}  // namespace

TEST_SUITE_BEGIN("library_headers");

TEST_CASE("a function in PTX is left out, and its lines stay") {
  const std::string header =
      "struct Scan {\n"
      "  __device__ int step(int x) {\n"
      "    asm volatile(\"add.s32 %0, %0, 1;\" : \"+r\"(x));\n"
      "    return x;\n"
      "  }\n"
      "  template <typename T> T step(T x) { return x + 1; }\n"
      "};\n";
  const std::string kept = for_host_compiler(header);
  CHECK(kept.size() == header.size());
  CHECK(kept.find("asm") == std::string::npos);
  CHECK(kept.find("int step") == std::string::npos);
  CHECK(kept.find("template <typename T> T step(T x) { return x + 1; }\n};\n") !=
        std::string::npos);
  CHECK(std::count(kept.begin(), kept.end(), '\n') == 7);
}

TEST_CASE("a word in a comment or a string is no function in PTX") {
  const std::string header = "int f() { return g(\"asm\"); }  // asm\n";
  CHECK(for_host_compiler(header) == header);
}

TEST_CASE("a type that is named as its template is qualified") {
  CHECK(for_host_compiler("typedef Scan<A<B>, 1> Scan;") == "typedef ::cub::Scan<A<B>, 1> Scan;");
  CHECK(for_host_compiler("typedef Scan<A> ScanOfA;") == "typedef Scan<A> ScanOfA;");
  CHECK(for_host_compiler("typedef") == "typedef");
}

TEST_CASE("a launch is given the name of its kernel") {
  CHECK(for_host_compiler("l(g, b).doit(scan_kernel, x);") ==
        "l(g, b).doit(\"cub::scan_kernel\", scan_kernel, x);");
  CHECK(for_host_compiler("l.doit(passes.sweep, x);") ==
        "l.doit(\"cub::sweep\", passes.sweep, x);");
  CHECK(for_host_compiler("l.doit(Sweep<A, 1>, x);") == "l.doit(\"cub::Sweep\", Sweep<A, 1>, x);");
  CHECK(with_names_of_library("::simt::launcher(\"sum\", f); ::simt::launcher(\"scan\", g);") ==
        "::simt::launcher(\"cub::sum\", f); ::simt::launcher(\"cub::scan\", g);");
}

TEST_SUITE_END();

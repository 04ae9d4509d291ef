// Which of a compiler's errors are told as names of CUDA that the executor has not.
#include "simt/run/compiler_messages.h"

#include <doctest/doctest.h>

namespace {

using simt::run::lacks_only_main;
using simt::run::names_without_stand_in;

/// What g++ says of a name that is not declared, and what it suggests.
std::string undeclared(const std::string& name, const std::string& suggested = "") {
  std::string line = "a.cu:8:3: error: \u2018" + name + "\u2019 was not declared in this scope";
  if (!suggested.empty()) line += "; did you mean \u2018" + suggested + "\u2019?";
  return line + "\n    8 |   " + name + "(1);\n";
}

/// The only message, empty without one.
std::string told(const std::string& messages) {
  const auto names = names_without_stand_in(messages);
  REQUIRE(names.size() < 2);
  return names.empty() ? "" : names[0];
}

}  // namespace

TEST_SUITE_BEGIN("compiler_messages");

TEST_CASE("a name of CUDA's is told with its part, also where a template calls it") {
  const std::string expected =
      "a.cu:8: error: 'cudaGraphCreate': not available on the CPU executor (graphs)";
  CHECK(told(undeclared("cudaGraphCreate", "cudaStreamCreate")) == expected);
  CHECK(
      told("a.cu:8:3: error: there are no arguments to \u2018cudaGraphCreate\u2019 that depend on "
           "a template parameter, so a declaration must be available [-fpermissive]\n") ==
      expected);
  CHECK(told(undeclared("curand_uniform")).ends_with("(cuRAND)"));
}

TEST_CASE("a name of CUDA's is told in C as well") {
  const std::string expected =
      "a.c:8: error: 'cudaGraphCreate': not available on the CPU executor (graphs)";
  CHECK(
      told("a.c:8:3: error: implicit declaration of function \u2018cudaGraphCreate\u2019; did you "
           "mean \u2018cudaEventCreate\u2019? [-Werror=implicit-function-declaration]\n") ==
      expected);
  CHECK(told("a.c:8:3: error: call to undeclared function 'cudaGraphCreate'; ISO C99 and later do "
             "not support implicit function declarations\n") == expected);
  CHECK(told("a.c:8:3: error: \u2018cudaGraphCreate\u2019 undeclared (first use in this "
             "function)\n") == expected);
}

TEST_CASE("a misspelt name comes with what the compiler takes it for") {
  CHECK(told(undeclared("cudaMyChekc", "cudaMyCheck"))
            .ends_with("(the runtime API); did you mean 'cudaMyCheck'?"));
  CHECK(told(undeclared("cudaMemcpyy", "cudaMemcpy")).ends_with("did you mean 'cudaMemcpy'?"));
  CHECK(told(undeclared("__sycnthreads", "__syncthreads"))
            .ends_with("did you mean '__syncthreads'?"));
}

TEST_CASE("what the compiler takes it for is left out where that is far off or no name of CUDA's") {
  CHECK(told(undeclared("cudaFoo", "cudaPos")).ends_with("(the runtime API)"));
  CHECK(told(undeclared("__mine_load_n", "__atomic_load_n")).ends_with("(device functions)"));
  CHECK(told(undeclared("__clzz", "__builtin_clz")).ends_with("(device functions)"));
  CHECK(told(undeclared("cudaMalloq", "cuda_malloq")).ends_with("(the runtime API)"));
}

TEST_CASE("a header of CUDA's that the compiler does not find is told with its library") {
  CHECK(told("a.cu:8:10: fatal error: cudnn_frontend.h: No such file or directory\n") ==
        "a.cu:8: error: <cudnn_frontend.h>: not available on the CPU executor (cuDNN)");
  CHECK(told("a.cu:8:10: fatal error: 'npp.h' file not found\n").ends_with("(NPP)"));
  CHECK(told("a.cu:8:10: fatal error: mine.h: No such file or directory\n").empty());
}

TEST_CASE("a header of NVIDIA's samples is told with the folder that has it") {
  for (const char* message : {"a.cu:8:10: fatal error: helper_cuda.h: No such file or directory\n",
                              "a.cu:8:10: fatal error: 'helper_cuda.h' file not found\n"}) {
    CHECK(told(message).starts_with("a.cu:8: error: <helper_cuda.h>: no folder that was named"));
    CHECK(told(message).ends_with("-I cuda-samples/Common"));
  }
  CHECK(told("a.cu:8:10: fatal error: helper_mine.h: No such file or directory\n").empty());
}

TEST_CASE("a header of a library that runs here is told with the package that brings it") {
  CHECK(told("a.cu:8:10: fatal error: 'cub/cub.cuh' file not found\n") ==
        "a.cu:8: error: <cub/cub.cuh>: not available on the CPU executor (CUB is not installed, or "
        "has no such header; the package libcub-dev brings it)");
  CHECK(told("a.cu:8:10: fatal error: thrust/sort.h: No such file or directory\n")
            .ends_with("the package libthrust-dev brings it)"));
  CHECK(told("a.cu:8:10: fatal error: thrust/async/sort.h: No such file or directory\n")
            .ends_with("(asynchronous algorithms of Thrust's)"));
}

TEST_CASE("a name that <cuda/ptx> lacks is told where it is said to be a member") {
  const auto missing = [](const std::string& name, const std::string& scope) {
    return told("a.cu:8:3: error: \u2018" + name + "\u2019 is not a member of \u2018" + scope +
                "\u2019\n");
  };
  const std::string expected =
      "a.cu:8: error: 'mapa': not available on the CPU executor (a part of <cuda/ptx>)";
  CHECK(missing("mapa", "ptx") == expected);
  CHECK(missing("mapa", "cuda::ptx") == expected);
  CHECK(told("a.cu:8:3: error: no member named 'mapa' in namespace 'cuda::ptx'\n") == expected);
  CHECK(
      told("a.cu:8:3: error: \u2018mapa\u2019 has not been declared in \u2018cuda::ptx\u2019\n") ==
      expected);
  CHECK(missing("fence_proxy_async", "my_alias").ends_with("(a part of <cuda/ptx>)"));
  CHECK(told(undeclared("mbarrier_arrive_no_complete")).ends_with("(a part of <cuda/ptx>)"));
  CHECK(missing("mapa", "mine").empty());
  CHECK(missing("mapa", "mine::ptx").empty());
  CHECK(told(undeclared("mapa")).empty());
  CHECK(missing("mbarrier_arive", "ptx").empty());
}

TEST_CASE("a variant of a barrier's function that orders no memory is told") {
  const std::string expected =
      "a.cu:8: error: 'mbarrier_arrive' with sem_relaxed: not available on the CPU executor (a "
      "part of <cuda/ptx>)";
  CHECK(told("a.cu:8:47: error: use of deleted function \u2018void "
             "cuda::ptx::mbarrier_arrive(sem_relaxed_t, scope_t<Scope>, Rest&& ...) [with Rest = "
             "{}]\u2019\n") == expected);
  CHECK(told("a.cu:8:47: error: call to deleted function 'mbarrier_arrive'\n") == expected);
  CHECK(told("a.cu:8:47: error: call to deleted function 'arrive'\n").empty());
}

TEST_CASE("the program's own names are left to the compiler") {
  for (const char* name : {"thrust_force", "wmma_tile", "curandom", "cufftlike", "customer"})
    CHECK(told(undeclared(name)).empty());
  CHECK(!told(undeclared("thrust")).empty());
}

TEST_CASE("a program without main is told from one that misses more") {
  const std::string no_main =
      "/usr/bin/ld: Scrt1.o: in function `_start':\n(.text+0x17): undefined reference to `main'\n"
      "collect2: error: ld returned 1 exit status\n";
  CHECK(lacks_only_main(no_main));
  CHECK(lacks_only_main("ld.lld: error: undefined symbol: main\n"));
  CHECK_FALSE(lacks_only_main(no_main + "a.cpp:(.text+0x3): undefined reference to `helper()'\n"));
  CHECK_FALSE(lacks_only_main("a.cpp:(.text+0x3): undefined reference to `main_loop()'\n"));
  CHECK_FALSE(lacks_only_main("a.cu:3:1: error: expected ';'\n"));
}

TEST_SUITE_END();

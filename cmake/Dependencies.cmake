# What simt needs (Threads, nlohmann_json, CLI11, fmt and, for tests, doctest) is used here, too; the rest is found or fetched as
# there: the system's packages where they exist (Debian 12 and Ubuntu 24.04 have them all: ./worklog installs them), else
# sources pinned by their hash.

include(${CMAKE_SOURCE_DIR}/simt/cmake/SimtDependencies.cmake)

if(WORKLOG_TESTS)
  FetchContent_Declare(rapidcheck SYSTEM
    URL https://github.com/emil-e/rapidcheck/archive/ff6af6fc683159deb51c543b065eba14dfcf329b.zip
    URL_HASH SHA256=60951dbc4de162622f51a4a34117c269a9921833a51dddce36f4cc80a5f7cf9f
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(rapidcheck)
endif()

if(WORKLOG_BENCH)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  FetchContent_Declare(benchmark SYSTEM
    URL https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
        https://deb.debian.org/debian/pool/main/b/benchmark/benchmark_1.7.1.orig.tar.gz
    URL_HASH SHA256=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 1.7)
  FetchContent_MakeAvailable(benchmark)
endif()

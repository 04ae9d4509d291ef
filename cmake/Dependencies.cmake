# The system's packages where they exist (Debian 12 and Ubuntu 24.04 have them all: ./worklog installs them), else sources
# pinned by their hash. Only what is missing is downloaded.

include(FetchContent)
find_package(Threads REQUIRED)

set(BOOST_INCLUDE_LIBRARIES context)
FetchContent_Declare(Boost SYSTEM
  URL https://github.com/boostorg/boost/releases/download/boost-1.84.0/boost-1.84.0.tar.xz
  URL_HASH SHA256=2e64e5d79a738d0fa6fb546c6e5c2bd28f88d268a2a080546f74e5ff98f29d0e
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 1.74 COMPONENTS context)

FetchContent_Declare(nlohmann_json SYSTEM
  URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
      https://deb.debian.org/debian/pool/main/n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz
  URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 3.11)
FetchContent_MakeAvailable(Boost nlohmann_json)

if(WORKLOG_TESTS)
  FetchContent_Declare(doctest SYSTEM
    URL https://github.com/doctest/doctest/archive/refs/tags/v2.4.9.tar.gz
    URL_HASH SHA256=19b2df757f2f3703a5e63cee553d85596875f06d91a3333acd80a969ef210856
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 2.4)
  FetchContent_Declare(rapidcheck SYSTEM
    URL https://github.com/emil-e/rapidcheck/archive/ff6af6fc683159deb51c543b065eba14dfcf329b.zip
    URL_HASH SHA256=60951dbc4de162622f51a4a34117c269a9921833a51dddce36f4cc80a5f7cf9f
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(doctest rapidcheck)
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

# The system's packages where they exist (Debian 12 and Ubuntu 24.04 have them all), else sources pinned by their hash. Only
# what is missing is downloaded.

include(FetchContent)
find_package(Threads REQUIRED)

# For the ranks of NCCL's stand-in that are in several processes. Without it, they are in one. (MPI's functions for C++ were
# taken out of it in 2012.)
if(NOT SIMT_HOST_SANITIZER)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX)
endif()

# For cuBLAS's stand-in. Without it, programs that include <cublas_v2.h> are refused. A sanitizer does not see what its threads do.
if(NOT SIMT_HOST_SANITIZER)
  find_package(OpenBLAS)
endif()

# With it, the ways that code leaves open to lanes are read from the code itself. Without it, only those that lanes take are known.
find_package(Zydis 4.0 CONFIG)

set(BOOST_INCLUDE_LIBRARIES context)
FetchContent_Declare(Boost SYSTEM
  URL https://github.com/boostorg/boost/releases/download/boost-1.84.0/boost-1.84.0.tar.xz
  URL_HASH SHA256=2e64e5d79a738d0fa6fb546c6e5c2bd28f88d268a2a080546f74e5ff98f29d0e
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 1.74 GLOBAL COMPONENTS context)

FetchContent_Declare(nlohmann_json SYSTEM
  URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
      https://deb.debian.org/debian/pool/main/n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz
  URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 3.11)

FetchContent_Declare(CLI11 SYSTEM
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
  URL_HASH SHA256=26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 2.1)

FetchContent_Declare(fmt SYSTEM
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 9.1)
FetchContent_MakeAvailable(Boost nlohmann_json CLI11 fmt)

if(SIMT_TESTS)
  FetchContent_Declare(doctest SYSTEM
    URL https://github.com/doctest/doctest/archive/refs/tags/v2.4.9.tar.gz
    URL_HASH SHA256=19b2df757f2f3703a5e63cee553d85596875f06d91a3333acd80a969ef210856
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 2.4)
  FetchContent_MakeAvailable(doctest)
endif()

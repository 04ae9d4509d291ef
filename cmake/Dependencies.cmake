# The system's packages where they exist (Debian and Ubuntu have all of them), else sources pinned by their hash.

include(FetchContent)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Boost REQUIRED COMPONENTS context)
if(WORKLOG_TESTS)
  find_package(doctest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(WORKLOG_BENCH)
  find_package(benchmark REQUIRED)
endif()

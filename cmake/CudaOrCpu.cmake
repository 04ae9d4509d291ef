# Decides whether steps are also built for the GPU. Sets WORKLOG_HAS_CUDA.
#
# WORKLOG_CUDA=AUTO (the default) takes nvcc if there is one; ON demands it; OFF ignores it. The CPU executor is built in
# any case.

set(WORKLOG_CUDA AUTO CACHE STRING "Build for the GPU: AUTO, ON or OFF")
set_property(CACHE WORKLOG_CUDA PROPERTY STRINGS AUTO ON OFF)

set(WORKLOG_HAS_CUDA FALSE)
if(WORKLOG_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: not used (WORKLOG_CUDA=OFF); steps run on the CPU executor")
  return()
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(WORKLOG_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WORKLOG_CUDA=ON, but no nvcc was found. Put it on the PATH or set CMAKE_CUDA_COMPILER.")
  endif()
  message(STATUS "CUDA: no nvcc found; steps run on the CPU executor")
  return()
endif()

# Before enable_language: CMake would pick an old architecture, and "native" is an error without a GPU.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  find_program(worklog_nvidia_smi nvidia-smi)
  set(gpu_count 0)
  if(worklog_nvidia_smi)
    execute_process(COMMAND ${worklog_nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE compute_caps OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gpus "${compute_caps}")
    list(LENGTH gpus gpu_count)
  endif()
  if(gpu_count GREATER 0)
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
endif()
enable_language(CUDA)
# After enable_language, and told how: CMake 3.25 does not know that nvcc takes C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)
set(WORKLOG_HAS_CUDA TRUE)
# Everything that nvcc compiles, and nothing of the CPU executor's.
add_custom_target(gpu_programs)
message(STATUS "CUDA: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")

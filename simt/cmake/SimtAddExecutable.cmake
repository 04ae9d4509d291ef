# CUDA sources as targets that run on the CPU executor.
#
#   simt_add_executable(NAME SOURCE...)
#   simt_add_library(NAME [STATIC|OBJECT] SOURCE...)
#
# As add_executable and add_library, and what these take is as ever: target_link_libraries, target_include_directories and so
# on. Sources in CUDA (.cu) are translated to C++ first. Headers with device code (.cuh) are named among the sources, so that
# the translated sources find them translated, too; they lie in the source's folder or below it. All sources, those in C++
# too, are compiled with the executor's instrumentation.

function(simt_add_executable target)
  add_executable(${target})
  simt_target_sources(${target} ${ARGN})
endfunction()

function(simt_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 own "STATIC;OBJECT" "" "")
  if(own_OBJECT)
    add_library(${target} OBJECT)
  else()
    add_library(${target} STATIC)
  endif()
  simt_target_sources(${target} ${own_UNPARSED_ARGUMENTS})
endfunction()

# Gives a target sources in CUDA and C++, which are named from the current folder.
function(simt_target_sources target)
  if(NOT ARGN)
    message(FATAL_ERROR "${target}: no source is named")
  endif()
  set(root ${CMAKE_CURRENT_BINARY_DIR}/translated)
  foreach(source IN LISTS ARGN)
    if(NOT source MATCHES "\\.cuh?$")
      target_sources(${target} PRIVATE ${source})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE original)
    if(NOT EXISTS ${original})
      message(FATAL_ERROR "${target}: ${original} does not exist")
    endif()
    cmake_path(RELATIVE_PATH original BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    if(name MATCHES "^\\.\\./")
      message(FATAL_ERROR "${target}: ${source} does not lie below ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    set(translated ${root}/${name})
    if(name MATCHES "\\.cu$")
      string(APPEND translated ".cpp")
      # What nvcc does for such files, too. A precompiled header comes first and knows no other macros.
      if(NOT TARGET simt_precompiled)
        set_source_files_properties(${translated} PROPERTIES
          COMPILE_OPTIONS "-include;cuda_runtime.h;-D__CUDACC__=1;-D__NVCC__=1")
      endif()
    endif()
    cmake_path(GET translated PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${translated}
      COMMAND simt::translate ${original} ${translated}
      DEPENDS simt::translate ${original}
      COMMENT "Translating ${name} for the CPU executor" VERBATIM)
    target_sources(${target} PRIVATE ${translated})
  endforeach()
  # What a source includes from beside it that needs no translation.
  target_include_directories(${target} BEFORE PRIVATE ${root} ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC simt::device_code)
  if(TARGET simt_precompiled)
    target_precompile_headers(${target} REUSE_FROM simt_precompiled)
  endif()
endfunction()

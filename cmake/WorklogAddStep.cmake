# A step is a directory under steps/ with a softmax.cu, a README.md and a CMakeLists.txt of one call: worklog_add_step().
#
# For steps/05_warp_shuffle that call makes
#   step_05_warp_shuffle       the program that verifies, counts and (on a GPU) times the step: built by nvcc where CUDA
#                              was found, else the same as
#   step_05_warp_shuffle_cpu   the program on the CPU executor
# and tells the tests and the bench of it. Nothing else in the repository names a step.

include(${CMAKE_CURRENT_LIST_DIR}/WorklogBlockSizes.cmake)

# Every directory in steps/ that has a CMakeLists.txt.
function(worklog_add_all_steps)
  file(GLOB step_lists CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/steps/*/CMakeLists.txt)
  foreach(step_list IN LISTS step_lists)
    get_filename_component(directory ${step_list} DIRECTORY)
    add_subdirectory(${directory})
  endforeach()
endfunction()

# Object libraries of one step, for all steps: what tests and bench link to.
define_property(GLOBAL PROPERTY WORKLOG_CPU_STEP_OBJECTS BRIEF_DOCS "Object libraries of all steps, CPU executor")
define_property(GLOBAL PROPERTY WORKLOG_GPU_STEP_OBJECTS BRIEF_DOCS "Object libraries of all steps, GPU")

# Translates CUDA sources (.cu, .cuh) of this directory for the CPU executor and adds them to an object library.
#   worklog_add_cpu_kernels(TARGET SOURCE...)
function(worklog_add_cpu_kernels target)
  simt_add_library(${target} OBJECT ${ARGN})
  target_link_libraries(${target} PRIVATE worklog_warnings)
endfunction()

# Tells each kernel file which step and variant it registers.
function(worklog_name_steps target step)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    set(variant "")
    if(source MATCHES "variants/([a-z0-9_]+)\\.cu(\\.cpp)?$")
      set(variant ${CMAKE_MATCH_1})
    endif()
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
      COMPILE_DEFINITIONS "WORKLOG_STEP_NAME=\"${step}\";WORKLOG_STEP_VARIANT=\"${variant}\"")
  endforeach()
endfunction()

# Tells a step's programs the block sizes that stand beside its softmax.cu, for the given object libraries.
function(worklog_add_block_sizes step kernels)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/block_sizes.json)
  if(NOT EXISTS ${file})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/block_sizes.cpp)
  worklog_write_block_sizes(${step} ${file} ${source} ${kernels})
  foreach(target IN LISTS ARGN)
    target_sources(${target} PRIVATE ${source})
  endforeach()
endfunction()

# Those of the kernels that programs for a GPU have: all, or the step's own.
function(worklog_gpu_kernels result)
  set(kernels ${ARGN})
  if(NOT WORKLOG_GPU_VARIANTS)
    list(FILTER kernels EXCLUDE REGEX "^variants/")
  endif()
  set(${result} ${kernels} PARENT_SCOPE)
endfunction()

function(worklog_add_step)
  get_filename_component(step ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT step MATCHES "^[0-9][0-9]_[a-z0-9_]+$")
    message(FATAL_ERROR "steps/${step}: a step's directory is named NN_slug, such as 05_warp_shuffle")
  endif()
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/softmax.cu)
    message(FATAL_ERROR "steps/${step}: softmax.cu is missing")
  endif()
  file(GLOB kernels CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} softmax.cu variants/*.cu)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cuh variants/*.cuh)
  set(target step_${step})

  worklog_add_cpu_kernels(${target}_cpu_objects ${kernels} ${headers})
  worklog_name_steps(${target}_cpu_objects ${step})
  worklog_add_block_sizes(${step} "${kernels}" ${target}_cpu_objects)
  add_executable(${target}_cpu)
  target_link_libraries(${target}_cpu PRIVATE ${target}_cpu_objects worklog_cpu_step_main)
  set_property(GLOBAL APPEND PROPERTY WORKLOG_CPU_STEP_OBJECTS ${target}_cpu_objects)

  if(WORKLOG_HAS_CUDA)
    worklog_gpu_kernels(gpu_kernels ${kernels})
    add_library(${target}_gpu_objects OBJECT ${gpu_kernels})
    target_link_libraries(${target}_gpu_objects PUBLIC worklog_gpu PRIVATE worklog_warnings)
    worklog_name_steps(${target}_gpu_objects ${step})
    add_executable(${target})
    target_link_libraries(${target} PRIVATE ${target}_gpu_objects worklog_gpu_step_main)
    worklog_add_block_sizes(${step} "${kernels}" ${target}_gpu_objects)
    set_property(GLOBAL APPEND PROPERTY WORKLOG_GPU_STEP_OBJECTS ${target}_gpu_objects)
    add_dependencies(gpu_programs ${target})
  else()
    # Once, and not by each build: one that has nothing to do shall say so.
    set(link ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${target})
    add_custom_command(OUTPUT ${link} COMMAND ${CMAKE_COMMAND} -E create_symlink ${target}_cpu ${link}
                       DEPENDS ${target}_cpu VERBATIM)
    add_custom_target(${target} DEPENDS ${link})
  endif()

  worklog_add_exercises(${step})

  if(WORKLOG_TESTS)
    worklog_add_step_tests(${step})
  endif()
endfunction()

# For a step, or its exercise, that has clusters: they came with compute capability 9.0, and for earlier GPUs it cannot be
# compiled. worklog_needs_clusters(TARGET..), after worklog_add_step()
function(worklog_needs_clusters)
  if(WORKLOG_HAS_CUDA)
    set_target_properties(${ARGN} PROPERTIES CUDA_ARCHITECTURES 90)
  endif()
endfunction()

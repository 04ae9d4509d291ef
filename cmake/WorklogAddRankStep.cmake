# A step whose columns are split among ranks: worklog_add_rank_step() instead of worklog_add_step(). Its targets are
#   step_21_many_gpus       bin/ranks_21_many_gpus, on GPUs, where CUDA and NCCL were found, else the same as
#   step_21_many_gpus_cpu   bin/ranks_21_many_gpus_cpu, on the CPU executor, which has a device for each rank
# and, where MPI was found, those of processes that mpirun starts: the same with _mpi at the end.
#
# What counts lines, sweeps block sizes and times one device at a time looks for bin/step_* and passes these by.

function(worklog_add_rank_program target flavour)
  foreach(program IN ITEMS ${target} ${target}_mpi)
    if(program STREQUAL "${target}_mpi" AND NOT TARGET worklog_${flavour}_ranks_of_processes)
      continue()
    endif()
    add_executable(${program})
    string(REGEX REPLACE "^step_" "ranks_" name ${program})
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${name})
    if(program STREQUAL target)
      target_link_libraries(${program} PRIVATE worklog_${flavour}_ranks_of_threads)
    else()
      target_link_libraries(${program} PRIVATE worklog_${flavour}_ranks_of_processes)
    endif()
    target_link_libraries(${program} PRIVATE ${ARGN} worklog_${flavour}_ranks_main)
  endforeach()
endfunction()

function(worklog_add_rank_step)
  get_filename_component(step ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  file(GLOB kernels CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} softmax.cu variants/*.cu)
  set(target step_${step})

  worklog_add_cpu_kernels(${target}_cpu_objects ${kernels})
  target_link_libraries(${target}_cpu_objects PRIVATE worklog_cpu_ranks)
  worklog_name_steps(${target}_cpu_objects ${step})
  worklog_add_rank_program(${target}_cpu cpu ${target}_cpu_objects)

  if(TARGET worklog_gpu_ranks)
    worklog_gpu_kernels(gpu_kernels ${kernels})
    add_library(${target}_gpu_objects OBJECT ${gpu_kernels})
    target_link_libraries(${target}_gpu_objects PUBLIC worklog_gpu_ranks PRIVATE worklog_warnings)
    worklog_name_steps(${target}_gpu_objects ${step})
    worklog_add_rank_program(${target} gpu ${target}_gpu_objects)
    add_dependencies(gpu_programs ${target})
  else()
    set(link ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/ranks_${step})
    add_custom_command(OUTPUT ${link} COMMAND ${CMAKE_COMMAND} -E create_symlink ranks_${step}_cpu ${link}
                       DEPENDS ${target}_cpu VERBATIM)
    add_custom_target(${target} DEPENDS ${link})
  endif()

  worklog_add_exercises(${step})
endfunction()

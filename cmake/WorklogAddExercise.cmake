# An exercise is a directory exercise/ in a step: skeleton.cu with the gap, solution.cu with the gap filled, and README.md,
# its page. worklog_add_step finds it; nothing else names it.
#
# For steps/05_warp_shuffle that makes
#   exercise_05_warp_shuffle   all that `./worklog check 05` needs beside a learner's copy: not a part of `all`
# and tells tests/exercises of it.

define_property(GLOBAL PROPERTY WORKLOG_EXERCISES BRIEF_DOCS "Steps that have an exercise")

function(worklog_add_exercise step)
  set(target exercise_${step})
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} exercise/*.cuh)
  foreach(role IN ITEMS skeleton solution)
    worklog_add_cpu_kernels(${target}_${role} exercise/${role}.cu ${headers})
    target_compile_definitions(${target}_${role}
      PRIVATE WORKLOG_STEP_NAME="${step}" WORKLOG_STEP_VARIANT="${role}")
    set_target_properties(${target}_${role} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endforeach()
  # What is given to a gap is not always used before it is filled.
  target_compile_options(${target}_skeleton PRIVATE -Wno-unused-parameter)
  set_property(GLOBAL APPEND PROPERTY WORKLOG_EXERCISES ${step})

  # A learner's copy is compiled by exercise_build, as a step is.
  simt_write_toolchain(${CMAKE_BINARY_DIR}/exercises/${step}/toolchain.txt
    COMPILE -I${CMAKE_BINARY_DIR}/translated "-DWORKLOG_STEP_NAME=\"${step}\"" "-DWORKLOG_STEP_VARIANT=\"yours\""
    LINK $<TARGET_OBJECTS:worklog_exercise_main> $<TARGET_OBJECTS:${target}_solution>
         $<TARGET_FILE:worklog_exercise> $<TARGET_FILE:worklog_cpu>)
  add_custom_target(${target} DEPENDS exercise_build worklog_exercise worklog_exercise_main ${target}_solution)

  if(WORKLOG_HAS_CUDA)
    # For its test on a GPU (tests/exercises).
    add_library(${target}_gpu_objects OBJECT exercise/solution.cu)
    if(WORKLOG_WERROR)
      set_target_properties(${target}_gpu_objects PROPERTIES
        CUDA_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/cmake/no_stack_frame.sh)
    endif()
    target_compile_definitions(${target}_gpu_objects
      PRIVATE WORKLOG_STEP_NAME="${step}" WORKLOG_STEP_VARIANT="solution")
    target_link_libraries(${target}_gpu_objects PRIVATE worklog_gpu worklog_warnings)
  endif()
endfunction()

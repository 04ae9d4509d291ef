# An exercise is a directory exercise/ in a step: skeleton.cu with the gap, solution.cu with the gap filled, and README.md,
# its page. A second one is exercise_b/, and so on. worklog_add_step finds them; nothing else names them.
#
# For steps/05_warp_shuffle/exercise that makes
#   exercise_05_warp_shuffle   all that `./worklog check 05` needs beside a learner's copy: not a part of `all`
# and for its exercise_b the same for 05b_warp_shuffle; and tells tests/exercises of both.

define_property(GLOBAL PROPERTY WORKLOG_EXERCISES BRIEF_DOCS "Exercises, such as 05_warp_shuffle and 05b_warp_shuffle")

# Sets `result` to steps/05_warp_shuffle/exercise_b for 05b_warp_shuffle.
function(worklog_exercise_folder exercise result)
  if(NOT exercise MATCHES "^([0-9][0-9])([b-z]?)_(.+)$")
    message(FATAL_ERROR "${exercise}: an exercise is named as 05_warp_shuffle or 05b_warp_shuffle")
  endif()
  set(folder steps/${CMAKE_MATCH_1}_${CMAKE_MATCH_3}/exercise)
  if(CMAKE_MATCH_2)
    string(APPEND folder _${CMAKE_MATCH_2})
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

# Of the step in the current directory.
function(worklog_add_exercises step)
  file(GLOB pages CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} exercise/README.md exercise_[b-z]/README.md)
  foreach(page IN LISTS pages)
    get_filename_component(folder ${page} DIRECTORY)
    string(REGEX REPLACE "^exercise_?" "" letter ${folder})
    string(REGEX REPLACE "^([0-9][0-9])_" "\\1${letter}_" exercise ${step})
    worklog_add_exercise(${exercise} ${folder})
  endforeach()
endfunction()

function(worklog_add_exercise exercise folder)
  set(target exercise_${exercise})
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${folder}/*.cuh)
  foreach(role IN ITEMS skeleton solution)
    worklog_add_cpu_kernels(${target}_${role} ${folder}/${role}.cu ${headers})
    target_compile_definitions(${target}_${role}
      PRIVATE WORKLOG_STEP_NAME="${exercise}" WORKLOG_STEP_VARIANT="${role}")
    set_target_properties(${target}_${role} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endforeach()
  # What is given to a gap is not always used before it is filled.
  target_compile_options(${target}_skeleton PRIVATE -Wno-unused-parameter)
  set_property(GLOBAL APPEND PROPERTY WORKLOG_EXERCISES ${exercise})

  # A learner's copy is compiled by exercise_build, as a step is.
  simt_write_toolchain(${CMAKE_BINARY_DIR}/exercises/${exercise}/toolchain.txt
    COMPILE -I${CMAKE_BINARY_DIR}/translated "-DWORKLOG_STEP_NAME=\"${exercise}\"" "-DWORKLOG_STEP_VARIANT=\"yours\""
    LINK $<TARGET_OBJECTS:worklog_exercise_main> $<TARGET_OBJECTS:${target}_solution>
         $<TARGET_FILE:worklog_exercise> $<TARGET_FILE:worklog_cpu> $<TARGET_FILE:fmt::fmt>)
  add_custom_target(${target} DEPENDS exercise_build worklog_exercise worklog_exercise_main ${target}_solution)

  if(WORKLOG_HAS_CUDA)
    # For its test on a GPU (tests/exercises).
    add_library(${target}_gpu_objects OBJECT ${folder}/solution.cu)
    target_compile_definitions(${target}_gpu_objects
      PRIVATE WORKLOG_STEP_NAME="${exercise}" WORKLOG_STEP_VARIANT="solution")
    target_link_libraries(${target}_gpu_objects PRIVATE worklog_gpu worklog_warnings)
  endif()
endfunction()

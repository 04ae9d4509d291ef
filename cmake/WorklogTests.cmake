# Tests are doctest programs that CTest runs in pieces, one entry a test suite, so that `ctest -j` has something to balance.
#
# For every step this makes
#   step_NN_slug_tests       the contract of the operation (tests/steps) on the CPU executor
#   step_NN_slug_gpu_tests   the same on a GPU, where CUDA was found; skipped on a machine without one, unless the
#                            environment has REQUIRE_GPU=1

# Whether this compiler makes of each kernel what the pages show: of a statement's lines, compilers choose which one an access
# stands in, and they branch where others select. Pages are written with g++ 12.
set(worklog_counts_as_pages FALSE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(worklog_counts_as_pages TRUE)
endif()

# The suites of tests/steps. The sweeps take the longest, so they start first (CTest's COST).
set(worklog_long_suites every_width_f32 every_width_f16 every_width_bf16 every_k)
set(worklog_short_suites inputs identities exact shapes launches top_k cross_entropy attention bad_input)
# Those of which the test command has a part: contract::wants_every_case.
set(worklog_thinned_suites inputs shapes identities top_k attention counts)
# Those that give a step rows of logits, which attention has none of: its own suite has their like.
set(worklog_suites_of_logits every_width_f32 every_width_f16 every_width_bf16 inputs identities exact counts)
set(worklog_cpu_suites every_width_f32 ${worklog_short_suites} counts)
set(worklog_gpu_suites ${worklog_long_suites} ${worklog_short_suites} full_size huge)

# A program from doctest sources: worklog_add_test_program(TARGET cpu|gpu SOURCE...). Expectations run once each; what they test
# is in libraries, optimized as ever.
function(worklog_add_test_program target flavour)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE worklog_${flavour}_test_main simt_cold_code worklog_warnings)
endfunction()

# One CTest entry that runs a suite of a program: worklog_add_suite(ENTRY PROGRAM SUITE)
function(worklog_add_suite entry program suite)
  add_test(NAME ${entry} COMMAND ${program} --test-suite=${suite})
  set_tests_properties(${entry} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

# Whether the step or a variant of it takes a problem of this kind, such as TopK, which its source must name: the others have
# nothing to test there.
function(worklog_takes step problem result)
  set(${result} FALSE PARENT_SCOPE)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/steps/${step}/*.cu* ${CMAKE_SOURCE_DIR}/steps/${step}/variants/*.cu*)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} lines REGEX "worklog::${problem}<")
    if(lines)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(worklog_add_step_tests step)
  set(program step_${step}_tests)
  worklog_add_test_program(${program} cpu)
  target_link_libraries(${program} PRIVATE worklog_cpu_contract_tests step_${step}_cpu_objects)
  foreach(problem_and_suites IN ITEMS "TopK;top_k;every_k" "CrossEntropy;cross_entropy" "Attention;attention")
    list(POP_FRONT problem_and_suites problem)
    worklog_takes(${step} ${problem} has_tests)
    if(NOT has_tests)
      foreach(suites IN ITEMS worklog_cpu_suites worklog_gpu_suites worklog_short_suites worklog_long_suites
                              worklog_thinned_suites)
        list(REMOVE_ITEM ${suites} ${problem_and_suites})
      endforeach()
    endif()
  endforeach()
  worklog_takes(${step} Attention is_attention)
  if(is_attention)
    foreach(suites IN ITEMS worklog_cpu_suites worklog_gpu_suites worklog_short_suites worklog_long_suites worklog_thinned_suites)
      list(REMOVE_ITEM ${suites} ${worklog_suites_of_logits})
    endforeach()
  endif()
  foreach(suite IN LISTS worklog_cpu_suites)
    worklog_add_suite(${step}.${suite} ${program} ${suite})
    # CTest's own jobs fill the cores. A launch here takes no second: one that takes a minute never ends.
    set_tests_properties(${step}.${suite} PROPERTIES LABELS cpu
                         ENVIRONMENT "SIMT_WORKERS=1;SIMT_TIME_LIMIT=60")
  endforeach()
  if(TEST ${step}.every_width_f32)
    set_tests_properties(${step}.every_width_f32 PROPERTIES COST 100)
  endif()
  # `thorough` has every case of these, and of widths twice as many: where .ci/run has both parts, it leaves them out here.
  foreach(suite IN LISTS worklog_thinned_suites ITEMS every_width_f32)
    if(TEST ${step}.${suite})
      set_property(TEST ${step}.${suite} APPEND PROPERTY LABELS thinned)
    endif()
  endforeach()
  # All cases take minutes, so `./worklog test` goes without some, and without all widths of half types:
  # `ctest -C thorough -L thorough` runs these.
  foreach(suite IN LISTS worklog_long_suites worklog_thinned_suites)
    add_test(NAME ${step}.all.${suite} CONFIGURATIONS thorough COMMAND ${program} --test-suite=${suite})
    set_tests_properties(${step}.all.${suite} PROPERTIES LABELS thorough COST 100 SKIP_RETURN_CODE 77 TIMEOUT 900
                         ENVIRONMENT "SIMT_WORKERS=1;SIMT_TIME_LIMIT=60;WORKLOG_THOROUGH=1")
  endforeach()
  foreach(suite IN LISTS worklog_short_suites)
    set_tests_properties(${step}.${suite} PROPERTIES COST 50)
  endforeach()

  # Counts by line and traced requests, with which report/tests compares what the pages show.
  set(annotations ${CMAKE_BINARY_DIR}/annotations/${step}.json)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/annotations)
  add_test(NAME ${step}.annotations COMMAND step_${step}_cpu --annotations ${annotations})
  set_tests_properties(${step}.annotations PROPERTIES FIXTURES_SETUP annotations LABELS cpu)
  set_property(GLOBAL APPEND PROPERTY WORKLOG_ANNOTATIONS ${annotations})

  if(WORKLOG_HAS_CUDA)
    set(program step_${step}_gpu_tests)
    worklog_add_test_program(${program} gpu)
    target_link_libraries(${program} PRIVATE worklog_gpu_contract_tests step_${step}_gpu_objects)
    add_dependencies(gpu_programs ${program})
    foreach(suite IN LISTS worklog_gpu_suites)
      worklog_add_suite(gpu.${step}.${suite} ${program} ${suite})
      set_tests_properties(gpu.${step}.${suite} PROPERTIES LABELS gpu RESOURCE_LOCK gpu)
    endforeach()
  endif()
endfunction()

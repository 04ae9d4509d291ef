# Tests are doctest programs that CTest runs in pieces, one entry a test suite, so that `ctest -j` has something to balance.

# A program from doctest sources: simt_add_test_program(TARGET SOURCE...). Expectations run once each; what they test is in
# libraries, optimized as ever.
function(simt_add_test_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE simt_test_main simt_cold_code simt_warnings)
endfunction()

# One CTest entry that runs a suite of a program: simt_add_suite(ENTRY PROGRAM SUITE)
function(simt_add_suite entry program suite)
  add_test(NAME ${entry} COMMAND ${program} --test-suite=${suite})
  set_tests_properties(${entry} PROPERTIES LABELS cpu SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

# The same expectations, of the real thing, where the project around this one compiles CUDA.
set(simt_has_cuda FALSE)
get_property(simt_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CUDA" IN_LIST simt_languages)
  set(simt_has_cuda TRUE)
  add_custom_target(simt_gpu_programs)
endif()

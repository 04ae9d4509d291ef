# A build in which a sanitizer watches the host's code: of the executor, the translator, common/ and the tests. Kernels are left
# out: the executor checks their accesses itself, by the same instrumentation (simt/CMakeLists.txt).
#   address   AddressSanitizer and UndefinedBehaviorSanitizer
#   thread    ThreadSanitizer, with g++
set(WORKLOG_SANITIZE "" CACHE STRING "Sanitizer of the host's code: address, thread, or empty for none")
set_property(CACHE WORKLOG_SANITIZE PROPERTY STRINGS "" address thread)

if(WORKLOG_SANITIZE STREQUAL "address")
  set(worklog_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(WORKLOG_SANITIZE STREQUAL "thread")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "WORKLOG_SANITIZE=thread needs g++: other compilers instrument kernels in another way")
  endif()
  # Without its shadow of the call stack, which would have to follow each switch of fibers. To ThreadSanitizer, all fibers of a
  # worker are one thread, and they are: none runs beside another.
  # -Wno-tsan: it knows no fences, and the executor's only one is the kernels'.
  set(worklog_sanitizer_flags -fsanitize=thread -Wno-tsan "SHELL:--param tsan-instrument-func-entry-exit=0")
  # Its library has functions of the same names as the executor's hooks.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/simt/cmake/rename_hooks.sh ${CMAKE_CXX_COMPILER_LAUNCHER})
elseif(WORKLOG_SANITIZE)
  message(FATAL_ERROR "WORKLOG_SANITIZE is '${WORKLOG_SANITIZE}': it can be address, thread, or empty")
endif()

if(WORKLOG_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${worklog_sanitizer_flags}>" $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  # Beside the sanitizers' code, g++ takes members of std::regex for uninitialized.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  add_link_options(${worklog_sanitizer_flags})
  set(SIMT_HOST_SANITIZER ${WORKLOG_SANITIZE})
endif()

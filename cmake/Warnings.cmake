# The warnings that our own code must not cause; errors with -DWORKLOG_WERROR=ON, as CI builds.

add_library(worklog_warnings INTERFACE)
set(worklog_warning_flags -Wall -Wextra)
if(WORKLOG_WERROR)
  list(APPEND worklog_warning_flags -Werror)
endif()
target_compile_options(worklog_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${worklog_warning_flags}>
  # -Wunknown-pragmas: kernels say #pragma unroll
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas>
  # -Wunused-const-variable: nvcc alone reads the argument of __launch_bounds__
  $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-Wno-unused-const-variable>)
if(WORKLOG_WERROR)
  target_compile_options(worklog_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror>)
endif()

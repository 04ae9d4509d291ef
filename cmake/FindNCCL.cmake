# Finds NCCL: its header and library below NCCL_ROOT, beside the CUDA Toolkit, among the system's, or in the Python package that
# PyTorch installs (nvidia/nccl, whose library has no name but libnccl.so.2).
#
# Sets NCCL_FOUND and NCCL_VERSION, and makes NCCL::nccl.

find_program(NCCL_PYTHON python3)
mark_as_advanced(NCCL_PYTHON)
set(nccl_wheel "")
if(NCCL_PYTHON)
  execute_process(
    COMMAND ${NCCL_PYTHON} -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
    OUTPUT_VARIABLE nccl_wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${nccl_wheel}/include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR  # else another version's "nccl" wins
             HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib ${nccl_wheel}/lib)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

set(NCCL_VERSION "")
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_lines REGEX "#define NCCL_(MAJOR|MINOR|PATCH) [0-9]+")
  string(REGEX MATCHALL "[0-9]+" nccl_numbers "${nccl_lines}")
  list(JOIN nccl_numbers . NCCL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl SHARED IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES
    IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()

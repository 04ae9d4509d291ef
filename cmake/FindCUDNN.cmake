# Finds cuDNN: its header and library beside the CUDA Toolkit, below CUDNN_ROOT, among the system's, or in the Python package
# that PyTorch installs (nvidia/cudnn, whose library has no name but libcudnn.so.9).
#
# Sets CUDNN_FOUND and CUDNN_VERSION, and makes CUDNN::cudnn.

find_program(CUDNN_PYTHON python3)
mark_as_advanced(CUDNN_PYTHON)
set(cudnn_wheel "")
if(CUDNN_PYTHON)
  execute_process(
    COMMAND ${CUDNN_PYTHON} -c "import nvidia.cudnn; print(list(nvidia.cudnn.__path__)[0])"
    OUTPUT_VARIABLE cudnn_wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

find_path(CUDNN_INCLUDE_DIR cudnn_version.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${cudnn_wheel}/include)
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9 NAMES_PER_DIR  # else another version's "cudnn" wins
             HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib ${cudnn_wheel}/lib)
mark_as_advanced(CUDNN_INCLUDE_DIR CUDNN_LIBRARY)

set(CUDNN_VERSION "")
if(CUDNN_INCLUDE_DIR)
  file(STRINGS ${CUDNN_INCLUDE_DIR}/cudnn_version.h cudnn_lines REGEX "#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) [0-9]+")
  string(REGEX MATCHALL "[0-9]+" cudnn_numbers "${cudnn_lines}")
  list(JOIN cudnn_numbers . CUDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDNN REQUIRED_VARS CUDNN_LIBRARY CUDNN_INCLUDE_DIR VERSION_VAR CUDNN_VERSION)

if(CUDNN_FOUND AND NOT TARGET CUDNN::cudnn)
  add_library(CUDNN::cudnn SHARED IMPORTED)
  set_target_properties(CUDNN::cudnn PROPERTIES
    IMPORTED_LOCATION ${CUDNN_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR})
endif()

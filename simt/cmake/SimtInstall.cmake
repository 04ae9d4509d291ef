# cmake --install: the program `simt`, and what find_package(simt) finds.

include(CMakePackageConfigHelpers)

get_target_property(boost_is_the_systems Boost::context IMPORTED)
if(NOT boost_is_the_systems)
  set(simt_reason "simt: cannot be installed, because Boost.Context is not the system's but was fetched; install libboost-context-dev and configure in an empty folder")
  message(STATUS "${simt_reason}")
  # A project that simt is a part of may be installed without it.
  set(simt_unless_asked)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(simt_unless_asked EXCLUDE_FROM_ALL)
  endif()
  install(CODE "message(FATAL_ERROR [=[${simt_reason}]=])" COMPONENT simt ${simt_unless_asked})
  return()
endif()

set(simt_is_installable TRUE)

set(simt_headers ${CMAKE_INSTALL_INCLUDEDIR}/simt)
set(simt_package ${CMAKE_INSTALL_LIBDIR}/cmake/simt)
set_target_properties(simt_executor PROPERTIES EXPORT_NAME executor)
set_target_properties(simt_nccl PROPERTIES EXPORT_NAME nccl)
set_target_properties(simt_curand PROPERTIES EXPORT_NAME curand)
set(libraries simt_executor simt_nccl simt_curand)
if(TARGET simt_cublas)
  set_target_properties(simt_cublas PROPERTIES EXPORT_NAME cublas)
  list(APPEND libraries simt_cublas)
endif()
set_target_properties(simt_device_code PROPERTIES EXPORT_NAME device_code)
set_target_properties(simt_translate PROPERTIES EXPORT_NAME translate)

install(TARGETS simt RUNTIME COMPONENT simt)
install(TARGETS ${libraries} simt_device_code EXPORT simt_targets ARCHIVE COMPONENT simt)
install(TARGETS simt_translate EXPORT simt_targets
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/simt COMPONENT simt)
install(EXPORT simt_targets FILE simtTargets.cmake NAMESPACE simt:: DESTINATION ${simt_package} COMPONENT simt)

# NVIDIA's names, and of the executor what device code and users call.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${simt_headers}/include COMPONENT simt)
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/executor/*.h)
list(FILTER public_headers EXCLUDE REGEX "/writable_thread_index\\.h$")
install(FILES ${public_headers} DESTINATION ${simt_headers}/executor COMPONENT simt)
install(FILES ${PROJECT_SOURCE_DIR}/nccl/link_counters.h DESTINATION ${simt_headers}/nccl COMPONENT simt)

# What `simt run` compiles and links programs with.
install(FILES $<TARGET_OBJECTS:simt_run_recorder> DESTINATION ${CMAKE_INSTALL_LIBDIR}/simt RENAME recorder.o COMPONENT simt)
install(FILES ${PROJECT_BINARY_DIR}/run/installed/toolchain.txt DESTINATION ${CMAKE_INSTALL_LIBDIR}/simt COMPONENT simt)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/simtConfig.cmake.in ${PROJECT_BINARY_DIR}/simtConfig.cmake
                              INSTALL_DESTINATION ${simt_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/simtConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/simtConfig.cmake ${PROJECT_BINARY_DIR}/simtConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/SimtAddExecutable.cmake
        DESTINATION ${simt_package} COMPONENT simt)

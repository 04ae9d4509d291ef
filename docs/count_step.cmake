# Verifies and counts a step for the site, in fp32, unless the same program has done so already for the report:
#   cmake -D PROGRAM=.. -D OPTION=--records -D REPORTED=.. -D OUT=.. -P count_step.cmake
# The report's file may hold more types: nothing on the site shows them.

if(EXISTS "${REPORTED}" AND "${REPORTED}" IS_NEWER_THAN "${PROGRAM}")
  configure_file("${REPORTED}" "${OUT}" COPYONLY)
  file(TOUCH "${OUT}")
else()
  execute_process(COMMAND "${PROGRAM}" --type f32 "${OPTION}" "${OUT}" COMMAND_ERROR_IS_FATAL ANY)
endif()

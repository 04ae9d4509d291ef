# Threads a block, by the width of a row, in a file beside a step's softmax.cu: block_sizes.json. It tunes, and no idea
# depends on it; a kernel without an entry is launched in blocks of 256.
#
#   {
#     "softmax.cu": {
#       "block_sizes": [
#         {"up_to_cols": 1024, "block_size": 128},
#         {"block_size": 256}
#       ],
#       "few_rows_block_sizes": [{"block_size": 1024}]
#     },
#     "variants/safe.cu": {"block_sizes": [{"block_size": 512}]}
#   }
#
# Entries stand by ascending width, the last without "up_to_cols": it is for all wider rows. "few_rows_block_sizes" may be
# left out; common/step/step.h says which rows are few. So may "half_block_sizes", for elements of two bytes in more rows than
# those. `worklog_check_block_sizes --write` writes the file from a sweep.

# An error that names the file.
function(worklog_bad_block_sizes file message)
  file(RELATIVE_PATH shown ${CMAKE_SOURCE_DIR} ${file})
  message(FATAL_ERROR "${shown}: ${message}")
endfunction()

# One list of entries as C++ writes it, {{1024, 128}, {kAnyWidth, 256}}: worklog_block_size_list(OUT FILE JSON KERNEL LIST)
function(worklog_block_size_list out file json kernel list)
  string(JSON type TYPE ${json} ${kernel} ${list})
  if(NOT type STREQUAL "ARRAY")
    worklog_bad_block_sizes(${file} "${kernel}: ${list} is no list")
  endif()
  string(JSON entries LENGTH ${json} ${kernel} ${list})
  if(entries EQUAL 0)
    worklog_bad_block_sizes(${file} "${kernel}: ${list} is empty; its last entry is {\"block_size\": ...}, for the widest rows")
  endif()
  set(initializers)
  set(narrower 0)
  math(EXPR last "${entries} - 1")
  foreach(i RANGE ${last})
    math(EXPR number "${i} + 1")
    set(place "${kernel}: ${list}, entry ${number}")
    string(JSON fields ERROR_VARIABLE error LENGTH ${json} ${kernel} ${list} ${i})
    string(JSON size ERROR_VARIABLE no_size GET ${json} ${kernel} ${list} ${i} block_size)
    string(JSON width ERROR_VARIABLE no_width GET ${json} ${kernel} ${list} ${i} up_to_cols)
    if(no_size)
      worklog_bad_block_sizes(${file} "${place} has no block_size")
    endif()
    if(NOT size MATCHES "^[1-9][0-9]?[0-9]?[0-9]?$" OR size GREATER 1024)
      worklog_bad_block_sizes(${file} "${place}: block_size is ${size}, but a block has 32 to 1024 threads")
    endif()
    math(EXPR past "${size} % 32")
    if(NOT past EQUAL 0)
      worklog_bad_block_sizes(${file} "${place}: block_size is ${size}, which is no multiple of a warp's 32 threads")
    endif()
    if(i EQUAL last)
      if(NOT no_width)
        worklog_bad_block_sizes(${file} "${place} is the last and must be for all wider rows: without up_to_cols")
      endif()
      set(expected_fields 1)
      list(APPEND initializers "{worklog::BlockSizes::kAnyWidth, ${size}}")
    else()
      if(no_width)
        worklog_bad_block_sizes(${file} "${place} has no up_to_cols, which only the last entry leaves out")
      endif()
      string(LENGTH "${width}" digits)
      if(NOT width MATCHES "^[1-9][0-9]*$" OR digits GREATER 18)
        worklog_bad_block_sizes(${file} "${place}: up_to_cols is ${width}, but must be a whole number of columns from 1 on")
      endif()
      if(NOT width GREATER narrower)
        worklog_bad_block_sizes(${file} "${place}: up_to_cols is ${width}, but must be more than ${narrower}, the one before")
      endif()
      set(narrower ${width})
      set(expected_fields 2)
      list(APPEND initializers "{${width}, ${size}}")
    endif()
    if(NOT fields EQUAL expected_fields)
      worklog_bad_block_sizes(${file} "${place} has ${fields} fields; there are only up_to_cols and block_size")
    endif()
  endforeach()
  list(JOIN initializers ", " joined)
  set(${out} "{${joined}}" PARENT_SCOPE)
endfunction()

# Reads FILE and writes SOURCE, a C++ file that registers what it says of the kernels of STEP, which are files in the same
# directory. SOURCE keeps its time if nothing changed. worklog_write_block_sizes(STEP FILE SOURCE KERNEL...)
function(worklog_write_block_sizes step file source)
  file(READ ${file} json)
  string(JSON kernels ERROR_VARIABLE error LENGTH "${json}")
  if(error)
    worklog_bad_block_sizes(${file} "${error}")
  endif()
  string(JSON type TYPE "${json}")
  if(NOT type STREQUAL "OBJECT" OR kernels EQUAL 0)
    worklog_bad_block_sizes(${file} "must be an object with an entry for each kernel's file, such as \"softmax.cu\"")
  endif()
  set(known_lists block_sizes few_rows_block_sizes half_block_sizes)
  set(registrations "")
  math(EXPR last "${kernels} - 1")
  foreach(i RANGE ${last})
    string(JSON kernel MEMBER ${json} ${i})
    if(NOT kernel IN_LIST ARGN)
      list(JOIN ARGN ", " known)
      worklog_bad_block_sizes(${file} "\"${kernel}\" is no kernel's file of this step; there are ${known}")
    endif()
    string(JSON type TYPE ${json} ${kernel})
    if(NOT type STREQUAL "OBJECT")
      worklog_bad_block_sizes(${file} "${kernel} must be an object with block_sizes and, if they differ, few_rows_block_sizes and half_block_sizes")
    endif()
    set(lists)
    string(JSON members LENGTH ${json} ${kernel})
    foreach(j RANGE ${members})
      if(j LESS members)
        string(JSON list MEMBER ${json} ${kernel} ${j})
        list(APPEND lists ${list})
      endif()
    endforeach()
    foreach(list IN LISTS lists)
      if(NOT list IN_LIST known_lists)
        worklog_bad_block_sizes(${file} "${kernel}: \"${list}\" is none of block_sizes, few_rows_block_sizes and half_block_sizes")
      endif()
    endforeach()
    if(NOT "block_sizes" IN_LIST lists)
      worklog_bad_block_sizes(${file} "${kernel} has no block_sizes")
    endif()
    set(tables "")
    foreach(list IN LISTS known_lists)
      if(list IN_LIST lists)
        worklog_block_size_list(initializers ${file} "${json}" ${kernel} ${list})
        string(APPEND tables "\n      .${list} = ${initializers},")
      endif()
    endforeach()
    set(variant "")
    if(kernel MATCHES "^variants/(.*)\\.cu$")
      set(variant ${CMAKE_MATCH_1})
    endif()
    string(APPEND registrations
      "    {\"${step}\", \"${variant}\", {${tables}}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
// Made by CMake from block_sizes.json of step @step@.

#include "common/step/block_sizes.h"

static const worklog::BlockSizesRegistration worklog_block_sizes[] = {
@registrations@};
]])
endfunction()

# cmake -D FILE=block_sizes.json -D SOURCE=out.cpp -P write.cmake: as a step's CMakeLists.txt does, in a process of its own.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/WorklogBlockSizes.cmake)
worklog_write_block_sizes(05_example ${FILE} ${SOURCE} softmax.cu variants/safe.cu)

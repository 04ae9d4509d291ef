# cmake -D PROGRAM=worklog_check_block_sizes -D STEPS=steps -D OUT=FOLDER -P written.cmake: what --write makes of a sweep.
cmake_minimum_required(VERSION 3.25)
set(step 05_warp_shuffle)
set(file ${OUT}/steps/${step}/block_sizes.json)
file(REMOVE_RECURSE ${OUT}/steps)
file(COPY ${STEPS}/${step}/block_sizes.json DESTINATION ${OUT}/steps/${step})
file(READ ${file} before)

# One width of the sweep, with the times of blocks of 32, 64 and 1024 threads.
function(swept dtype rows cols us_32 us_64 us_1024)
  set(row "{\"step\": \"${step}\", \"variant\": \"\", \"dtype\": \"${dtype}\", \"rows\": ${rows}, \"cols\": ${cols}, \"block_sizes\": {")
  string(APPEND row "\"32\": {\"median_us\": ${us_32}, \"spread\": 0.01}, \"64\": {\"median_us\": ${us_64}, \"spread\": 0.01}, ")
  string(APPEND row "\"1024\": {\"median_us\": ${us_1024}, \"spread\": 0.01}}}")
  set(sweep ${sweep} ${row} PARENT_SCOPE)
endfunction()

# Of many rows: 32 threads up to 320 columns, then 64, which are nearly as good as the best at 4000. Few rows want the 1024
# that they have, which must stay as they are, whatever is best in fp16. Of many fp16 rows: 64 threads at every width.
swept(f32 4000 100 10.0 12.0 20.0)
swept(f32 4000 320 10.0 12.0 20.0)
swept(f32 4000 1000 15.0 10.0 20.0)
swept(f32 4000 4000 30.0 10.2 10.0)
swept(f32 10 4000 30.0 20.0 10.0)
swept(f16 4000 100 12.0 10.0 20.0)
swept(f16 4000 1000 12.0 10.0 20.0)
swept(f16 10 4000 10.0 20.0 30.0)
list(JOIN sweep ", " sweep)
file(WRITE ${OUT}/sweep.json "{\"sweep\": [${sweep}]}")

execute_process(COMMAND ${PROGRAM} --write ${OUT}/steps ${OUT}/sweep.json
  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "exit code ${result}: ${said}")
endif()
file(READ ${file} after)

set(wanted [=[[{"up_to_cols": 320, "block_size": 32}, {"block_size": 64}]]=])
string(JSON expected SET "${before}" softmax.cu block_sizes "${wanted}")
string(JSON expected SET "${expected}" softmax.cu half_block_sizes [=[[{"block_size": 64}]]=])
string(JSON same EQUAL "${expected}" "${after}")
if(NOT same)
  message(FATAL_ERROR "expected of ${file}\n${expected}\nbut it says\n${after}\n${said}")
endif()
string(FIND "${after}" "\n      {\"up_to_cols\": 320, \"block_size\": 32},\n      {\"block_size\": 64}\n    ],\n" found)
if(found EQUAL -1)
  message(FATAL_ERROR "an entry should have a line of its own:\n${after}")
endif()

# What cannot be read leaves the file as it is.
file(WRITE ${OUT}/sweep.json "{\"sweep\": [")
execute_process(COMMAND ${PROGRAM} --write ${OUT}/steps ${OUT}/sweep.json
  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
file(READ ${file} still)
if(NOT result EQUAL 2 OR NOT still STREQUAL after)
  message(FATAL_ERROR "exit code ${result} of half a sweep: ${said}\n${still}")
endif()

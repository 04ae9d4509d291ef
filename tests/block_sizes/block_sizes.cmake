# cmake -D OUT=FOLDER -P block_sizes.cmake
cmake_minimum_required(VERSION 3.25)
set(file ${OUT}/block_sizes.json)
set(source ${OUT}/block_sizes.cpp)

# Runs write.cmake on the text. Sets `result`, and `said`, its message without line breaks.
macro(write_table json)
  file(REMOVE ${source})
  file(WRITE ${file} "${json}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -D FILE=${file} -D SOURCE=${source} -P ${CMAKE_CURRENT_LIST_DIR}/write.cmake
    WORKING_DIRECTORY ${OUT} RESULT_VARIABLE result ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
endmacro()

# Fails, and says of which text.
macro(fail message json)
  message(SEND_ERROR "${message}\nof ${json}\nwhich says: ${said}")
endmacro()

# The text must be refused with this message, and leave nothing.
function(refuses message json)
  write_table("${json}")
  if(result EQUAL 0)
    fail("accepted, but '${message}' was expected" "${json}")
  endif()
  string(FIND "${said}" "block_sizes.json: ${message}" found)
  if(found EQUAL -1)
    fail("'${message}' is not said" "${json}")
  endif()
  if(EXISTS ${source})
    fail("left a source file" "${json}")
  endif()
endfunction()

# The source made of the text must hold this.
function(writes expected json)
  write_table("${json}")
  if(NOT result EQUAL 0)
    fail("refused" "${json}")
    return()
  endif()
  file(READ ${source} text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(FIND "${text}" "${expected}" found)
  if(found EQUAL -1)
    set(said "${text}")
    fail("'${expected}' was not written" "${json}")
  endif()
endfunction()

writes([[{"05_example", "", { .block_sizes = {{worklog::BlockSizes::kAnyWidth, 256}},}},]]
       [[{"softmax.cu": {"block_sizes": [{"block_size": 256}]}}]])
writes([[{"05_example", "safe", { .block_sizes = {{100, 32}, {1024, 96}, {worklog::BlockSizes::kAnyWidth, 1024}}, .few_rows_block_sizes = {{worklog::BlockSizes::kAnyWidth, 512}}, .half_block_sizes = {{worklog::BlockSizes::kAnyWidth, 64}},}},]]
       [[{"variants/safe.cu": {"few_rows_block_sizes": [{"block_size": 512}], "half_block_sizes": [{"block_size": 64}], "block_sizes": [
          {"up_to_cols": 100, "block_size": 32}, {"up_to_cols": 1024, "block_size": 96}, {"block_size": 1024}]}}]])

function(refuses_entries message entries)
  refuses("softmax.cu: block_sizes${message}" "{\"softmax.cu\": {\"block_sizes\": ${entries}}}")
endfunction()

refuses("failed parsing json string" [[{"softmax.cu": ]])
refuses("failed parsing json string" "")
refuses("must be an object with an entry for each kernel's file" "[]")
refuses("must be an object with an entry for each kernel's file" "{}")
refuses("\"variants/sfe.cu\" is no kernel's file of this step; there are softmax.cu, variants/safe.cu"
        [[{"variants/sfe.cu": {"block_sizes": [{"block_size": 256}]}}]])
refuses("softmax.cu must be an object" [[{"softmax.cu": 256}]])
refuses("softmax.cu has no block_sizes" [[{"softmax.cu": {}}]])
refuses("softmax.cu has no block_sizes" [[{"softmax.cu": {"few_rows_block_sizes": [{"block_size": 256}]}}]])
refuses("softmax.cu: \"sizes\" is none of block_sizes, few_rows_block_sizes and half_block_sizes"
        [[{"softmax.cu": {"sizes": [{"block_size": 256}]}}]])
refuses_entries(" is no list" "256")
refuses_entries(" is empty" "[]")
refuses_entries(", entry 1 has no block_size" "[256]")
refuses_entries(", entry 1 has no block_size" [=[[{"up_to_cols": 100}]]=])
refuses_entries(", entry 1: block_size is 0, but a block has 32 to 1024 threads" [=[[{"block_size": 0}]]=])
refuses_entries(", entry 1: block_size is 1056, but a block has 32 to 1024 threads" [=[[{"block_size": 1056}]]=])
refuses_entries(", entry 1: block_size is many, but a block has 32 to 1024 threads" [=[[{"block_size": "many"}]]=])
refuses_entries(", entry 1: block_size is 100, which is no multiple of a warp's 32 threads" [=[[{"block_size": 100}]]=])
refuses_entries(", entry 1 is the last and must be for all wider rows" [=[[{"up_to_cols": 100, "block_size": 32}]]=])
refuses_entries(", entry 1 has no up_to_cols" [=[[{"block_size": 32}, {"block_size": 64}]]=])
refuses_entries(", entry 1: up_to_cols is -1, but must be a whole number"
                [=[[{"up_to_cols": -1, "block_size": 32}, {"block_size": 64}]]=])
refuses_entries(", entry 2: up_to_cols is 100, but must be more than 100, the one before"
                [=[[{"up_to_cols": 100, "block_size": 32}, {"up_to_cols": 100, "block_size": 64}, {"block_size": 64}]]=])
refuses_entries(", entry 1 has 2 fields" [=[[{"block_size": 32, "blocksize": 64}]]=])

# SPDX-License-Identifier: Apache-2.0
# Runs an example in a fresh directory and expects what it says.
file(REMOVE_RECURSE ${DIRECTORY})
execute_process(COMMAND ${PROGRAM} ${DIRECTORY} OUTPUT_VARIABLE output RESULT_VARIABLE code)
file(REMOVE_RECURSE ${DIRECTORY})
if(NOT code EQUAL 0 OR NOT output STREQUAL "Ann is 30\nreplayed: yes\n")
  message(FATAL_ERROR "exit ${code}, output:\n${output}")
endif()

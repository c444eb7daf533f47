# SPDX-License-Identifier: Apache-2.0
# braid_layer(NAME DEPS lower… [LIBS system…]): one folder, with its subfolders = one static library,
# one link test, one unit-test program made of the *_test.cc.
#
# The link test loads the whole archive into a program: a call upwards, hidden from the
# includes, ends in an undefined reference there.
function(braid_layer name)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")

  add_library(braid_${name} STATIC ${sources})
  target_include_directories(braid_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(braid_${name} PUBLIC braid_options PRIVATE ${arg_LIBS})
  foreach(dep IN LISTS arg_DEPS)
    if(NOT TARGET braid_${dep})
      message(FATAL_ERROR "${name} -> ${dep}: a layer uses only layers listed before it")
    endif()
    target_link_libraries(braid_${name} PUBLIC braid_${dep})
  endforeach()

  set_property(GLOBAL APPEND PROPERTY BRAID_LAYERS ${name})

  if(NOT BRAID_TESTS)
    return()
  endif()
  add_executable(braid_${name}_link ${PROJECT_SOURCE_DIR}/cmake/link_main.cc)
  target_link_libraries(braid_${name}_link PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,braid_${name}>")
  add_test(NAME link.${name} COMMAND braid_${name}_link)
  set_tests_properties(link.${name} PROPERTIES LABELS link)
  if(tests)
    braid_test(${name} SOURCES ${tests} LAYERS ${name} LABELS unit)
  endif()
endfunction()

# braid_test(NAME SOURCES … LAYERS … [LIBS …] [LABELS …]): one GoogleTest program, one ctest entry.
# Label `threads` marks what CI also runs under ThreadSanitizer.
function(braid_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LAYERS;LIBS;LABELS" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  foreach(layer IN LISTS arg_LAYERS)
    target_link_libraries(${name}_test PRIVATE braid_${layer})
  endforeach()
  target_link_libraries(${name}_test PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name}_test)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "BRAID_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

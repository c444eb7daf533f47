# SPDX-License-Identifier: Apache-2.0
# Target header_check: each header of include/ and of the layers compiles alone.
# Not part of `all`; the gcc stage of tools/test builds it.
function(braid_header_check)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*.h)
  set(units)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "^${PROJECT_SOURCE_DIR}/(include|src)/" "" name ${header})
    string(REGEX REPLACE "[/.]" "_" unit ${name})
    set(unit ${CMAKE_BINARY_DIR}/header_check/${unit}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${name}\"\n#include \"${name}\"\n")
    list(APPEND units ${unit})
  endforeach()
  add_library(header_check OBJECT EXCLUDE_FROM_ALL ${units})
  target_include_directories(header_check PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(header_check PRIVATE braid_options fmt::fmt)
  target_compile_options(header_check PRIVATE -O0)
endfunction()
braid_header_check()

# SPDX-License-Identifier: Apache-2.0
# Installs the public headers, one static library of all layers below the command line, the program
# if it exists, a CMake package (braid::braid) and a pkg-config module (braid).
if(BRAID_SANITIZE OR BRAID_FUZZ OR BRAID_COVERAGE)
  return()  # instrumented libraries are of no use elsewhere
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY BRAID_LAYERS)
list(REMOVE_ITEM layers cli)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:braid_\\1>" OUTPUT_VARIABLE objects)
add_library(braid_archive STATIC ${objects})
set_target_properties(braid_archive PROPERTIES OUTPUT_NAME braid LINKER_LANGUAGE CXX)

file(RELATIVE_PATH BRAID_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/braid.pc.in braid.pc @ONLY)
write_basic_package_version_file(braid-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS braid_archive ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/braid DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/braid-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/braid-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/braid)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/braid.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET braid)
  install(TARGETS braid RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

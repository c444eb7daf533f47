# SPDX-License-Identifier: Apache-2.0
# find_package(braid) gives the target braid::braid, with the system libraries that it needs.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(PkgConfig)
pkg_check_modules(braid_xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(braid_re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(braid_simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(braid_lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(braid_zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(braid_zlib REQUIRED IMPORTED_TARGET zlib)

get_filename_component(braid_prefix "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)  # lib/cmake
get_filename_component(braid_library_dir "${braid_prefix}" DIRECTORY)       # lib
find_path(braid_INCLUDE_DIR braid/result.h REQUIRED
  HINTS ${braid_library_dir}/../include ${braid_library_dir}/../../include NO_DEFAULT_PATH)
find_library(braid_ISAL_LIBRARY isal REQUIRED)
find_library(braid_ROCKSDB_LIBRARY rocksdb REQUIRED)

if(NOT TARGET braid::braid)
  add_library(braid::braid STATIC IMPORTED)
  set_target_properties(braid::braid PROPERTIES
    IMPORTED_LOCATION ${braid_library_dir}/libbraid.a
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_INCLUDE_DIRECTORIES ${braid_INCLUDE_DIR}
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES
      "fmt::fmt;OpenSSL::Crypto;PkgConfig::braid_xxhash;PkgConfig::braid_re2;PkgConfig::braid_simdjson;PkgConfig::braid_lz4;PkgConfig::braid_zstd;PkgConfig::braid_zlib;${braid_ISAL_LIBRARY};${braid_ROCKSDB_LIBRARY};Threads::Threads")
endif()

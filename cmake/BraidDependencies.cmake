# SPDX-License-Identifier: Apache-2.0
# Debian packages only (tools/setup installs them); each is linked by the one layer that needs it.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
find_program(FLATC flatc REQUIRED)  # flatbuffers-compiler; libflatbuffers-dev has headers only
find_library(ISAL_LIBRARY isal REQUIRED)
find_library(ROCKSDB_LIBRARY rocksdb REQUIRED)
if(BRAID_TESTS)
  find_package(GTest REQUIRED)
endif()

# SPDX-License-Identifier: Apache-2.0
# One interface target carries the warnings and instrumentation of every target.
add_library(braid_options INTERFACE)
target_compile_options(braid_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Clang blames std::stable_sort for a deprecated function inside g++ 12's own library; g++ itself
  # still reports what we use ourselves.
  target_compile_options(braid_options INTERFACE -Wthread-safety -Wno-deprecated-declarations)
else()
  # g++ 12 sees an overlap in every optimised `"text" + std::string` (GCC bug 105651).
  target_compile_options(braid_options INTERFACE -Wno-restrict)
endif()
if(BRAID_SANITIZE)
  string(REPLACE ";" "," braid_sanitize "${BRAID_SANITIZE}")
  target_compile_options(braid_options INTERFACE -fsanitize=${braid_sanitize} -fno-sanitize-recover=all)
  target_link_options(braid_options INTERFACE -fsanitize=${braid_sanitize})
endif()
if(BRAID_COVERAGE)
  target_compile_options(braid_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(braid_options INTERFACE -fprofile-instr-generate)
endif()
if(BRAID_FUZZ)
  target_compile_options(braid_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_consumer.sh BUILD_DIR SCRATCH_DIR COMPILER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 scratch=$2 compiler=$3

rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null

cmake -S "$here/consumer" -B "$scratch/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/build"
"$scratch/build/consumer"

# The .pc file holds the prefix of the configuration, so it is told where it lies now.
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name braid.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --define-variable=prefix="$scratch/prefix" --cflags --libs braid)
"$compiler" -std=c++20 "$here/consumer/consumer.cc" "${flags[@]}" -o "$scratch/by_pkg_config"
"$scratch/by_pkg_config"

// SPDX-License-Identifier: Apache-2.0
// A program of somebody who installed Braid.
#include <iostream>

#include <braid/braid.h>

int main() {
  const auto ulid = braid::Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  if (!ulid || ulid->to_string() != "01ARZ3NDEKTSV4RRFFQ69G5FAV") return 1;
  std::cout << braid::name_of(braid::ErrorCode::locked) << '\n';
  return 0;
}

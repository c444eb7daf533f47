// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz harness over stored inputs: each file named, and each file of each folder named.
// Linked with a harness where libFuzzer is not: the corpus becomes a regression test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> inputs_below(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

bool replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // A harness that stops the process should leave the name of the input behind.
  std::fprintf(stderr, "%s (%zu bytes)\n", path.c_str(), bytes.size());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t inputs_count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const std::filesystem::path& path : inputs_below(argv[i])) {
      if (!replay(path)) return 1;
      ++inputs_count;
    }
  }
  std::printf("%zu inputs replayed\n", inputs_count);
  if (inputs_count == 0) std::fprintf(stderr, "no input: the corpus is empty or missing\n");
  return inputs_count == 0 ? 1 : 0;
}

# SPDX-License-Identifier: Apache-2.0
"""Each check is green on a small tree and red once one fault is planted in it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
CMAKE_SPDX = "# SPDX-License-Identifier: Apache-2.0\n"

TREE = {
    "CMakeLists.txt": CMAKE_SPDX +
                      "foreach(layer IN ITEMS base env log commit lang/gq engine cli)\n",
    "src/base/CMakeLists.txt": CMAKE_SPDX + "braid_layer(base)\n",
    "src/env/CMakeLists.txt": CMAKE_SPDX + "braid_layer(env DEPS base LIBS Threads::Threads)\n",
    "src/log/CMakeLists.txt": CMAKE_SPDX + "braid_layer(log DEPS base env)\n",
    "src/commit/CMakeLists.txt": CMAKE_SPDX + "braid_layer(commit DEPS base log)\n",
    "src/lang/gq/CMakeLists.txt": CMAKE_SPDX + "braid_layer(gq DEPS base)\n",
    "include/braid/id.h": SPDX + "// Ids. Layer: base.\n#pragma once\n",
    "src/base/text.h": SPDX + '// Text.\n#pragma once\n#include "braid/id.h"\n',
    "src/env/env.h": SPDX + "// The machine.\n#pragma once\n#include <mutex>\n"
                            '#include "base/text.h"\n',
    "src/log/log.h": SPDX + "// The log.\n//\n// Invariants\n//   L1  Appends are ordered.\n"
                            '#pragma once\n#include "env/env.h"\n',
    "src/log/log.cc": SPDX + '#include "log/log.h"\n\nint append(int at) {\n'
                             "  // The caller holds the tail (L1).\n  return at + 1;\n}\n",
    "src/log/log_test.cc": SPDX + '#include <thread>\n#include "log/log.h"\n'
                                  "// L1\nTEST(Log, AppendsInOrder) {\n  EXPECT_EQ(1, 1);\n}\n"
                                  "TEST(Log, IsEmptyAtFirst) {}\n",
    "src/commit/commit.h": SPDX + '// Commits.\n#pragma once\n#include "log/log.h"\n',
    "src/lang/gq/parser.h": SPDX + '// Parser.\n#pragma once\n#include "base/text.h"\n',
    "tools/allow.txt": "",
    "README.md": "See `src/log/log.h` and [invariants](docs/invariants.md).\n",
    "docs/invariants.md": "| number | text | checked in | tests |\n|---|---|---|---|\n"
                          "| L1 | Appends are ordered. | src/log/log.cc | Log.AppendsInOrder |\n",
}


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path, text in TREE.items():
            self.write(path, text)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def append(self, path, text):
        self.write(path, (self.root / path).read_text() + text)

    def replace(self, path, old, new):
        text = (self.root / path).read_text()
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def run_check(self, name):
        return subprocess.run([sys.executable, TOOLS / name, "--root", self.root],
                              capture_output=True, text=True, check=False)

    def assert_green(self, name):
        done = self.run_check(name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def assert_red(self, name, *expected):
        """Exactly one finding, which contains each expected text."""
        done = self.run_check(name)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        *lines, summary = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, done.stdout)
        self.assertTrue(summary.endswith(" 1 findings"), summary)
        for text in expected:
            self.assertIn(text, lines[0])


class Layers(CheckTest):
    def red(self, *expected):
        self.assert_red("check_layers", *expected)

    def test_a_clean_tree_is_green(self):
        self.assert_green("check_layers")

    def test_an_include_upwards_is_red(self):
        self.append("src/env/env.h", '#include "log/log.h"\n')
        self.red("src/env/env.h:6", "lies above")

    def test_an_undeclared_lower_layer_is_red(self):
        self.append("src/commit/commit.h", '#include "env/env.h"\n')
        self.red("src/commit/commit.h", "does not declare")

    def test_a_declared_edge_upwards_is_red(self):
        self.replace("src/env/CMakeLists.txt", "DEPS base", "DEPS base log")
        self.red("src/env/CMakeLists.txt", "points up")

    def test_the_query_stack_including_the_write_stack_is_red(self):
        self.append("src/lang/gq/parser.h", '#include "commit/commit.h"\n')
        self.red("src/lang/gq/parser.h", "stacks")

    def test_the_query_stack_declaring_the_write_stack_is_red(self):
        self.replace("src/lang/gq/CMakeLists.txt", "DEPS base", "DEPS base commit")
        self.red("src/lang/gq/CMakeLists.txt", "stacks")

    def test_a_public_header_without_a_layer_is_red(self):
        self.write("include/braid/other.h", SPDX + "// Other.\n#pragma once\n")
        self.red("include/braid/other.h", "names no layer")

    def test_a_public_header_including_a_private_one_is_red(self):
        self.append("include/braid/id.h", '#include "base/text.h"\n')
        self.red("include/braid/id.h", "private")

    def test_a_public_header_of_a_higher_layer_is_red_below_it(self):
        self.write("include/braid/graph.h", SPDX + "// Graphs. Layer: engine.\n#pragma once\n")
        self.append("src/log/log.h", '#include "braid/graph.h"\n')
        self.red("src/log/log.h", "lies above")

    def test_a_test_may_use_an_undeclared_lower_layer_but_none_above(self):
        self.append("src/log/log_test.cc", '#include "base/text.h"\n')
        self.assert_green("check_layers")
        self.append("src/log/log_test.cc", '#include "commit/commit.h"\n')
        self.red("src/log/log_test.cc", "lies above")

    def test_an_include_that_does_not_exist_is_red(self):
        self.append("src/log/log.h", '#include "base/gone.h"\n')
        self.red("base/gone.h")

    def test_our_header_in_angle_brackets_is_red(self):
        self.append("src/log/log.h", "#include <base/text.h>\n")
        self.red("use quotes")

    def test_a_folder_that_is_no_layer_is_red(self):
        self.write("src/misc/misc.h", SPDX + "// Misc.\n#pragma once\n")
        self.red("src/misc/misc.h", "not in the list")


class Style(CheckTest):
    def red(self, *expected):
        self.assert_red("check_style", *expected)

    def plant(self, line, *expected):
        self.append("src/log/log.cc", line + "\n")
        self.red("src/log/log.cc", *expected)

    def test_a_clean_tree_is_green(self):
        self.assert_green("check_style")

    def test_a_file_without_the_spdx_line_is_red(self):
        self.write("src/log/bare.cc", "int x;\n")
        self.red("src/log/bare.cc:1: spdx")

    def test_a_thread_header_outside_env_is_red(self):
        self.plant("#include <thread>", "machine")

    def test_a_system_header_outside_env_is_red(self):
        self.plant("#include <sys/stat.h>", "machine")

    def test_a_mutex_outside_env_is_red(self):
        self.plant("std::mutex m;", "machine")

    def test_a_clock_outside_env_is_red(self):
        self.plant("auto t = std::chrono::system_clock::now();", "machine")

    def test_a_call_of_the_c_library_that_reads_the_machine_is_red(self):
        self.plant('const char* home = std::getenv("HOME");', "machine")

    def test_the_machine_is_free_in_env_and_in_tests(self):
        self.append("src/env/env.h", "#include <unistd.h>\n")
        self.append("src/log/log_test.cc", "std::mutex m;\n")
        self.assert_green("check_style")

    def test_sleeping_is_red_even_in_a_test(self):
        self.append("src/log/log_test.cc", "void f() { std::this_thread::sleep_for(x); }\n")
        self.red("src/log/log_test.cc", "sleep")

    def test_printing_outside_cli_is_red(self):
        self.plant('void f() { std::printf("x"); }', "output")

    def test_raw_new_is_red(self):
        self.plant("int* p = new int(1);", "raw-memory")

    def test_raw_delete_is_red(self):
        self.plant("void f(int* p) { delete p; }", "raw-memory")

    def test_a_deleted_function_is_no_raw_delete(self):
        self.append("src/log/log.cc", "struct S { S(const S&) = delete; };\n")
        self.assert_green("check_style")

    def test_throwing_is_red(self):
        self.plant("void f() { throw 1; }", "exceptions")

    def test_the_c_assert_is_red(self):
        self.plant("void f() { assert(true); }", "banned")

    def test_ending_the_process_is_red(self):
        self.plant("void f() { std::abort(); }", "process")

    def test_words_in_comments_and_literals_are_free(self):
        self.append("src/log/log.cc", '// A new thread: std::mutex, throw, delete it.\n'
                                      'const char* s = "new delete throw std::mutex";\n'
                                      "const int n = 1'000;  /* new */\n"
                                      'const char* r = R"(throw "new")";\n')
        self.assert_green("check_style")

    def test_a_long_line_is_red(self):
        self.plant("int " + "x" * 100 + ";", "line-length")

    def test_a_long_file_is_red(self):
        self.append("src/log/log.cc", "int x;\n" * 600)
        self.red("file-length")

    def test_a_long_function_is_red(self):
        self.append("src/log/log.cc", "void f() {\n" + "  g();\n" * 69 + "}\n")
        self.red("src/log/log.cc:8: function-length: 71 lines")

    def test_a_function_of_seventy_lines_is_green(self):
        self.append("src/log/log.cc", "void f() {\n" + "  g();\n" * 68 + "}\n")
        self.assert_green("check_style")

    def test_a_long_constructor_with_a_braced_initializer_is_red(self):
        self.append("src/log/log.cc", "S::S(int a) : a_{a}, b_(a) {\n" + "  g();\n" * 69 + "}\n")
        self.red("function-length: 71 lines")

    def test_a_long_class_of_short_functions_is_green(self):
        self.append("src/log/log.h", "class C {\n" + "  int f() { return 1; }\n" * 90 + "};\n")
        self.assert_green("check_style")

    def test_a_marker_is_red(self):
        self.plant("// TO" + "DO: later", "marker")

    def test_a_header_without_pragma_once_is_red(self):
        self.write("src/log/more.h", SPDX + "// More.\n")
        self.red("src/log/more.h", "pragma-once")

    def test_a_header_without_an_opening_comment_is_red(self):
        self.write("src/log/more.h", SPDX + "#pragma once\n")
        self.red("src/log/more.h", "opening-comment")

    def test_an_allowed_exception_is_green_and_a_needless_one_red(self):
        self.append("src/log/log.cc", "void f() { throw 1; }\n")
        self.write("tools/allow.txt", "exceptions | src/log/log.cc | a reason\n")
        self.assert_green("check_style")
        self.replace("src/log/log.cc", "throw 1;", "")
        self.red("tools/allow.txt:1: allow-list")

    def test_an_exception_without_a_reason_is_red(self):
        self.write("tools/allow.txt", "exceptions | src/log/log.cc |\n")
        self.red("tools/allow.txt:1: allow-list")


class Invariants(CheckTest):
    def red(self, *expected):
        self.assert_red("check_invariants", *expected)

    def test_a_clean_tree_is_green(self):
        self.assert_green("check_invariants")

    def test_a_number_that_the_named_file_does_not_repeat_is_red(self):
        self.replace("src/log/log.cc", "(L1)", "(L11)")
        self.red("L1: no comment in src/log/log.cc")

    def test_a_missing_file_is_red(self):
        self.replace("docs/invariants.md", "log.cc", "gone.cc")
        self.red("there is no file src/log/gone.cc")

    def test_a_missing_test_is_red(self):
        self.replace("src/log/log_test.cc", "AppendsInOrder", "Appends")
        self.red("there is no test Log.AppendsInOrder")

    def test_a_test_that_does_not_name_the_number_is_red(self):
        self.replace("src/log/log_test.cc", "// L1\n", "")
        self.red("no comment '// L1' at test Log.AppendsInOrder")

    def test_the_comment_of_the_next_test_does_not_count(self):
        self.replace("src/log/log_test.cc", "// L1\n", "")
        self.replace("src/log/log_test.cc", "TEST(Log, IsEmpty", "// L1\nTEST(Log, IsEmpty")
        self.red("no comment '// L1' at test Log.AppendsInOrder")

    def test_a_row_without_a_statement_is_red(self):
        self.replace("src/log/log.h", "//   L1  Appends", "// Appends")
        self.red("L1: no header states it")

    def test_a_statement_without_a_row_is_red(self):
        self.replace("src/log/log.h", "#pragma once", "//   L2  Reads are exact.\n#pragma once")
        self.red("L2 is stated here but has no row")

    def test_a_number_stated_twice_is_red(self):
        self.replace("src/commit/commit.h", "#pragma once", "//   L1  Mine.\n#pragma once")
        self.red("src/log/log.h", "L1 is already src/commit/commit.h's")

    def test_a_row_without_a_test_is_red(self):
        self.replace("docs/invariants.md", "| Log.AppendsInOrder |", "| |")
        self.red("number | text | file | tests")


class Docs(CheckTest):
    def red(self, *expected):
        self.assert_red("check_docs", *expected)

    def test_a_clean_tree_is_green(self):
        self.assert_green("check_docs")

    def test_a_path_that_is_gone_is_red(self):
        self.append("README.md", "See `src/log/gone.h`.\n")
        self.red("README.md:2", "src/log/gone.h")

    def test_a_broken_link_is_red(self):
        self.append("README.md", "See [this](docs/gone.md#part).\n")
        self.red("README.md:2", "docs/gone.md")

    def test_a_glob_matches_something_or_is_red(self):
        self.append("README.md", "See `src/*/log.h`.\n")
        self.assert_green("check_docs")
        self.append("README.md", "See `src/*/gone.h`.\n")
        self.red("src/*/gone.h")

    def test_a_line_number_is_red(self):
        self.append("README.md", "See `src/log/log.h:3`.\n")
        self.red("no line numbers")

    def test_patterns_and_code_blocks_are_left_alone(self):
        self.append("README.md", "`src/<layer>/` and\n```\n`src/log/gone.h`\n```\n")
        self.assert_green("check_docs")


if __name__ == "__main__":
    unittest.main()

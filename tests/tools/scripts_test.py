# SPDX-License-Identifier: Apache-2.0
"""The scripts that count and choose tests: what failed may never be counted as passed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


class JunitCounts(Scratch):
    def counts(self, *cases):
        report = self.write("r.xml", "<testsuite>" + "".join(cases) + "</testsuite>")
        done = run(ROOT / "tools/junit_counts", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_passed_and_failed_are_told_apart(self):
        self.assertEqual(self.counts('<testcase name="a" status="run"/>',
                                     '<testcase name="b" status="fail"><failure/></testcase>',
                                     '<testcase name="c" status="run"/>'), ["2", "1", "0", "b"])

    def test_a_missing_program_is_a_failure(self):
        self.assertEqual(self.counts('<testcase name="a" status="notrun">'
                                     '<skipped message="Unable to find executable"/></testcase>'),
                         ["0", "1", "0", "a"])

    def test_a_test_that_skips_itself_is_neither(self):
        self.assertEqual(self.counts('<testcase name="a" status="notrun">'
                                     '<skipped message="SKIP_RETURN_CODE=77"/></testcase>',
                                     '<testcase name="b" status="disabled"/>'), ["0", "0", "2"])

    def test_a_state_nobody_thought_of_is_a_failure(self):
        self.assertEqual(self.counts('<testcase name="a" status="crashed"/>'),
                         ["0", "1", "0", "a"])

    def test_no_report_is_an_error(self):
        self.assertNotEqual(run(ROOT / "tools/junit_counts", self.folder / "gone").returncode, 0)

    def test_half_a_report_is_an_error(self):
        report = self.write("r.xml", '<testsuite><testcase name="a" status="run"/>')
        self.assertNotEqual(run(ROOT / "tools/junit_counts", report).returncode, 0)


class CtestTargets(Scratch):
    def test_programs_of_the_label_also_those_in_the_environment(self):
        bin_folder = f"{self.folder.resolve()}/bin"
        self.write("CTestTestfile.cmake", "\n".join([
            f'add_test([=[log]=] "{bin_folder}/log_test")',
            'set_tests_properties([=[log]=] PROPERTIES  LABELS "unit;threads" TIMEOUT "600")',
            f'add_test([=[kill]=] "/bin/sh" "kill.sh" "{bin_folder}/braid")',
            f'set_tests_properties([=[kill]=] PROPERTIES  ENVIRONMENT "X={bin_folder}/helper" '
            'LABELS "threads")',
            f'add_test([=[other]=] "{bin_folder}/other_test")',
            'set_tests_properties([=[other]=] PROPERTIES  LABELS "unit" TIMEOUT "600")', ""]))

        done = run(ROOT / "tools/ctest_targets", self.folder, "threads")

        self.assertEqual(done.stdout.split(), ["braid", "helper", "log_test"])


class CompileFail(Scratch):
    def run_case(self, text):
        case = self.write("case.cc", text)
        return run(ROOT / "tests/compile_fail/run_case.py", case, "--", "g++-12", "-fsyntax-only")

    def test_a_mistake_with_the_expected_diagnostic_passes(self):
        done = self.run_case("// expect: nothing_like_it\n#ifdef BRAID_MISTAKE\n"
                             "int x = nothing_like_it;\n#endif\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_mistake_that_compiles_fails(self):
        done = self.run_case("// expect: x\n#ifdef BRAID_MISTAKE\nint y;\n#endif\n")
        self.assertIn("the mistake compiles", done.stderr)

    def test_another_diagnostic_fails(self):
        done = self.run_case("// expect: some other\n#ifdef BRAID_MISTAKE\nint x = y;\n#endif\n")
        self.assertIn("expected /some other/", done.stderr)

    def test_a_control_that_does_not_compile_fails(self):
        done = self.run_case("// expect: y\nint x = y;\n#ifdef BRAID_MISTAKE\n#endif\n")
        self.assertIn("the control does not compile", done.stderr)


if __name__ == "__main__":
    unittest.main()

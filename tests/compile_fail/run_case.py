# SPDX-License-Identifier: Apache-2.0
"""run_case.py CASE.cc -- COMPILER FLAGS...: the control compiles, the mistake does not."""

import re
import subprocess
import sys


def compiled(command):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})


def main():
    case, _, *compiler = sys.argv[1:]
    with open(case, encoding="utf-8") as file:
        text = file.read()
    expected = re.search(r"^// expect: (.+)$", text, re.MULTILINE)
    if not expected or "BRAID_MISTAKE" not in text:
        return f"{case}: needs a line '// expect: <regular expression>' and a BRAID_MISTAKE"
    control = compiled(compiler + [case])
    if control.returncode != 0:
        return f"{case}: the control does not compile\n{control.stderr}"
    mistake = compiled(compiler + ["-DBRAID_MISTAKE", case])
    if mistake.returncode == 0:
        return f"{case}: the mistake compiles"
    if not re.search(expected.group(1), mistake.stderr):
        return f"{case}: expected /{expected.group(1)}/, got\n{mistake.stderr}"
    return 0


sys.exit(main())

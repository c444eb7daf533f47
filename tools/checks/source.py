# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the tree's files, C++ text without comments, findings, the allow-list."""

import argparse
import fnmatch
import pathlib
import re
import sys

CXX_SUFFIXES = {".cc", ".h"}
# What tools make or fetch is not ours to check.
SKIPPED_FOLDERS = {"corpus", "__pycache__", "node_modules"}
CXX_FOLDERS = ("include", "src", "tests", "bench", "examples", "cmake")


def root_from_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2],
                        help="the source tree to check (default: the one this script lies in)")
    return parser.parse_args().root.resolve()


def cxx_files(root, folders=CXX_FOLDERS):
    """Paths relative to `root`, sorted."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if SKIPPED_FOLDERS.intersection(path.relative_to(root).parts):
                continue
            if path.suffix in CXX_SUFFIXES and path.is_file():
                found.append(path.relative_to(root))
    return sorted(found)


def is_test(path):
    """Tests may use threads, files and clocks of their own."""
    return path.parts[0] in ("tests", "bench") or path.name.endswith("_test.cc")


TOKEN = re.compile(
    r'//[^\n]*'                                       # comment to the end of the line
    r'|/\*.*?\*/'                                     # block comment
    r'|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'    # raw string
    r'|"(?:\\.|[^"\\\n])*"'                           # string
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",          # character, but not 1'000
    re.DOTALL)


def code_only(text):
    """`text` with comments and the contents of literals blanked; lines keep their numbers."""

    def blank(match):
        lexeme = match.group(0)
        kept = "" if lexeme.startswith(("//", "/*")) else '""'
        return kept + "".join("\n" for c in lexeme if c == "\n")

    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Findings:
    """Collects `path:line: rule: text`; an entry of the allow-list silences one rule in one place.

    The list (tools/allow.txt) has lines `rule | path glob | reason`. An entry that silences nothing
    is itself a finding, so the list cannot grow stale.
    """

    def __init__(self, root, rules):
        self.root = root
        self.lines = []
        self.entries = []
        path = root / "tools" / "allow.txt"
        if not path.is_file():
            return
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 3 or not all(fields):
                self.lines.append(f"tools/allow.txt:{number}: allow-list: rule | path | reason")
            elif fields[0] in rules:
                self.entries.append({"rule": fields[0], "glob": fields[1], "line": number,
                                     "used": False})

    def add(self, path, line, rule, text):
        for entry in self.entries:
            if entry["rule"] == rule and fnmatch.fnmatch(str(path), entry["glob"]):
                entry["used"] = True
                return
        self.lines.append(f"{path}:{line}: {rule}: {text}")

    def finish(self, name, checked):
        """Prints what was found and ends the program: 0 clean, 1 findings."""
        for entry in self.entries:
            if not entry["used"]:
                self.lines.append(f"tools/allow.txt:{entry['line']}: allow-list: nothing needs "
                                  f"'{entry['rule']} | {entry['glob']}'")
        for line in self.lines:
            print(line)
        print(f"{name}: {checked}, {len(self.lines)} findings")
        sys.exit(1 if self.lines else 0)

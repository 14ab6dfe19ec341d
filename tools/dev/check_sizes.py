#!/usr/bin/env python3
"""Checks that no source file grows past what a person reads in one sitting: warns at 600 lines, fails at 800."""
import sys

from tree import ROOT, finish, project_files

WARN = 600
FAIL = 800
SUFFIXES = (".h", ".cc", ".py", ".cmake", ".txt", ".sh", ".ts", ".tsx", ".css")
# Files that may be longer, each with its reason.
EXCEPTIONS = {}


def main():
    problems = []
    longest = 0
    for path in project_files(*SUFFIXES):
        if path.parts[:2] == ("tests", "data"):
            continue
        n_lines = len((ROOT / path).read_bytes().splitlines())
        longest = max(longest, n_lines)
        if n_lines > FAIL and str(path) not in EXCEPTIONS:
            problems.append(f"{path}: {n_lines} lines, at most {FAIL}; split it by what its parts are")
        elif n_lines > WARN:
            print(f"warning: {path}: {n_lines} lines, look for a part that can stand alone")
    problems += [f"{name}: an exception in check_sizes.py, but no such file" for name in EXCEPTIONS if not (ROOT / name).is_file()]
    return finish(problems, f"the longest file has {longest} lines")


if __name__ == "__main__":
    sys.exit(main())

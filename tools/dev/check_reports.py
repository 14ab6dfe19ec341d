#!/usr/bin/env python3
"""Checks docs/REPORTS.md: every test `file: name` is in that file, and each row has one."""
import re
import sys

from tree import ROOT, finish

TEST = re.compile(r"`((?:[\w-]+/)+[\w.-]+\.(?:cc|py|mjs)): ([^`]+)`")


def has_test(path, name):
    text = path.read_text()
    if path.suffix == ".cc":
        suite, _, case = name.partition(".")
        return re.search(rf"^TEST(_F|_P)?\({re.escape(suite)},\s*{re.escape(case)}\)", text, re.MULTILINE)
    if path.suffix == ".py":
        return re.search(rf"^(async )?def {re.escape(name)}\(", text, re.MULTILINE)
    return f'test("{name}"' in text


def main():
    problems = []
    n_tests = 0
    for row in (ROOT / "docs/REPORTS.md").read_text().splitlines():
        if not re.match(r"\| \d+ \|", row):
            continue
        number = row.split("|")[1].strip()
        tests = TEST.findall(row)
        n_tests += len(tests)
        if not tests:
            problems.append(f"docs/REPORTS.md: row {number} names no test")
        for file, name in tests:
            if not (ROOT / file).is_file():
                problems.append(f"docs/REPORTS.md: row {number}: {file} does not exist")
            elif not has_test(ROOT / file, name):
                problems.append(f"docs/REPORTS.md: row {number}: {file} has no test {name}")
    return finish(problems, f"{n_tests} tests are where docs/REPORTS.md says")


if __name__ == "__main__":
    sys.exit(main())

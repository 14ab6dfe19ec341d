#!/usr/bin/env python3
"""Checks docs/TOKEN.md: every hop `file: function` names a file under src/ that has a function of that name."""
import re
import sys

from tree import ROOT, finish

HOP = re.compile(r"`((?:[\w-]+/)+[\w.-]+\.(?:cc|h)): ([\w:~]+)`")
LEAST_HOPS = 8


def main():
    text = (ROOT / "docs/TOKEN.md").read_text()
    problems = []
    hops = HOP.findall(text)
    for file, function in hops:
        path = ROOT / "src" / file
        if not path.is_file():
            problems.append(f"docs/TOKEN.md: src/{file} does not exist")
        elif not re.search(rf"\b{re.escape(function)}\s*[(<]", path.read_text()):
            problems.append(f"docs/TOKEN.md: src/{file} has no function {function}")
    if len(hops) < LEAST_HOPS:
        problems.append(f"docs/TOKEN.md: {len(hops)} hops found, want at least {LEAST_HOPS}")
    return finish(problems, f"{len(hops)} hops are where docs/TOKEN.md says")


if __name__ == "__main__":
    sys.exit(main())

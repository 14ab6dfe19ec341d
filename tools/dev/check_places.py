#!/usr/bin/env python3
"""Checks that no file names a folder of somebody's machine or the host of a package registry: packages go by name."""
import re
import sys

from tree import ROOT, finish, project_files

# Written so that they do not match themselves.
PATTERNS = {
    "a folder of one machine": re.compile(r"(?<![\w.~$}/-])/(?:wor[k]|roo[t]|home/\w+|User[s]/\w+|mn[t])/[\w.]"),
    "a package registry's host": re.compile(
        r"\b(?:py[p]i\.org|python[h]osted\.org|npm[j]s\.(?:org|com)|yarn[p]kg\.com|deb\.debia[n]\.org"
        r"|archive\.ubunt[u]\.com|crates\.i[o]|proxy\.golan[g]\.org|conan\.i[o])"),
}


def main():
    problems = []
    files = project_files()
    for path in files:
        data = (ROOT / path).read_bytes()
        if b"\0" in data[:4096]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            for what, pattern in PATTERNS.items():
                found = pattern.search(line)
                if found:
                    problems.append(f"{path}:{number}: names {what}: {found[0]}")
    return finish(problems, f"{len(files)} files name no machine and no registry")


if __name__ == "__main__":
    sys.exit(main())

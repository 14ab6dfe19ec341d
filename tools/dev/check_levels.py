#!/usr/bin/env python3
"""Checks that includes and CMake targets keep to the table of docs/LEVELS.md."""
import re
import sys

from tree import ROOT, finish, project_files

INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/([\w./]+)"')
TEST_FILE = re.compile(r"_(test|bench|fuzz)\.cc$")


def read_table():
    """{folder: (level, folders it may include)} and {public header: folder}."""
    folders, headers = {}, {}
    for line in (ROOT / "docs/LEVELS.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            folders[cells[1]] = (int(cells[0]), set(cells[2].split()))
            headers.update({header: cells[1] for header in cells[3].split()})
    return folders, headers


def check_table(folders):
    for folder, (level, allowed) in folders.items():
        for other in sorted(allowed):
            if other not in folders:
                yield f"docs/LEVELS.md: {folder} may include {other}, which has no row"
            elif folders[other][0] >= level:
                yield f"docs/LEVELS.md: {folder} (level {level}) may not include {other} (level {folders[other][0]})"


def expand_lists(cmake):
    """Puts the words of set() and list(APPEND) where their ${VARIABLE} stands."""
    values = {}
    for name, words in re.findall(r"\b(?:set|list)\(\s*(?:APPEND\s+)?(\w+)\s+([^)]*)\)", cmake):
        values[name] = values.get(name, "") + " " + words
    return re.sub(r"\$\{(\w+)\}", lambda found: values.get(found[1], ""), cmake)


def read_module(folder):
    """The DEPS and TEST_DEPS of the folder's CMake target; None where it has none yet."""
    file = ROOT / "src" / folder / "CMakeLists.txt"
    text = expand_lists(re.sub(r"#.*", "", file.read_text())) if file.exists() else ""
    call = re.search(r"reckon_module\(\s*(\w+)([^)]*)\)", text)
    if not call:
        return None
    lists, current = {}, None
    for word in call[2].split():
        if re.fullmatch(r"SOURCES|DEPS|LINK|TESTS|TEST_DEPS", word):
            current = lists.setdefault(word, set())
        elif current is not None:
            current.add(word.removeprefix("reckon_"))
    return lists.get("DEPS", set()), lists.get("TEST_DEPS", set())


def check_module(folder, allowed, module):
    if module is None:
        return
    for extra in sorted(module[0] - allowed - {"base"}):
        yield f"src/{folder}/CMakeLists.txt: DEPS names {extra}, which docs/LEVELS.md does not allow"


def check_includes(folders, headers, modules):
    for path in project_files(".h", ".cc"):
        if path.parts[0] != "src" or len(path.parts) < 3:
            continue
        folder = path.parts[1]
        if folder not in folders:
            yield f"{path}: the folder has no row in docs/LEVELS.md"
            continue
        allowed = folders[folder][1] | {"base", folder}
        deps, test_deps = modules.get(folder) or (allowed, set())
        linked = deps | {"base", folder}
        if TEST_FILE.search(path.name):
            linked |= test_deps
            allowed |= test_deps
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if not include:
                continue
            other = headers.get(include[2], "") if include[1] == "reckon" else include[1]
            if other == "":
                yield f"{path}:{number}: reckon/{include[2]} has no row in docs/LEVELS.md"
            elif other in folders and other not in allowed:
                yield f"{path}:{number}: {folder} may not include {other}"
            elif other in folders and include[1] != "reckon" and other not in linked:
                yield f"{path}:{number}: includes {other}, which the DEPS of src/{folder}/CMakeLists.txt leave out"


def main():
    folders, headers = read_table()
    if not folders:
        return finish(["docs/LEVELS.md: no table found"], "")
    modules = {folder: read_module(folder) for folder in folders}
    problems = list(check_table(folders))
    for folder, (_, allowed) in folders.items():
        problems += check_module(folder, allowed, modules[folder])
    problems += check_includes(folders, headers, modules)
    return finish(problems, f"{len(folders)} folders keep to their levels")


if __name__ == "__main__":
    sys.exit(main())

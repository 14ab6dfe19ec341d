"""Real chat templates x conversations: the text of `reckon render` is the text of jinja2, and both refuse the same.

RECKON_TEST_FULL=1 takes every conversation with every template; else each template takes a share of them, so that all
conversations are seen.
"""

import json
import os
import subprocess

import contexts
import pytest
import reference
from template_files import templates_folder

NOW = 1_750_000_000
SHARE = 12  # of the conversations, one in so many

CONTEXTS = list(contexts.contexts())


def pytest_generate_tests(metafunc):
    if "template" in metafunc.fixturenames:
        files = sorted(templates_folder().glob("*.jinja"))
        metafunc.parametrize("template", files, ids=[file.stem for file in files])


def render(binary, template, context):
    return subprocess.run([binary, "render", "--template", template, "--context", context, "--now", str(NOW)],
                          capture_output=True, timeout=60, check=False)


@pytest.fixture(scope="session")
def context_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contexts")
    for name, context in CONTEXTS:
        (folder / name).write_text(json.dumps(context), encoding="utf-8")
    return folder


def test_renders_as_jinja2_does(binary, template, context_files):
    expected = reference.Template(template.read_text(encoding="utf-8"), NOW)
    start = sum(template.name.encode()) % SHARE
    chosen = CONTEXTS if os.environ.get("RECKON_TEST_FULL") else CONTEXTS[start::SHARE]
    wrong = []
    for name, context in chosen:
        want = expected.render(context)
        process = render(binary, template, context_files / name)
        assert process.returncode in (0, 1, 4), (name, process.returncode, process.stderr)
        if isinstance(want, Exception):
            same = process.returncode in (1, 4) and process.stderr.startswith(b"reckon: error: ")
        else:
            same = process.returncode == 0 and process.stdout == want.encode("utf-8")
        if not same:
            wrong.append((name, want, process.stdout.decode("utf-8", "replace"), process.stderr.decode()))
    assert not wrong, f"{len(wrong)} of {len(chosen)} differ, the first: {wrong[0]}"


def test_there_are_many_templates():
    assert len(list(templates_folder().glob("*.jinja"))) >= 68

"""Fixtures for tests of the real program: RECKON_BIN is the binary, RECKON_TEST_MODEL a small chat model (GGUF)."""
import os
import pathlib
import subprocess

import pytest


def _path(variable):
    value = os.environ.get(variable)
    if not value or not pathlib.Path(value).exists():
        pytest.fail(f"set {variable} to an existing file", pytrace=False)
    return pathlib.Path(value).resolve()


@pytest.fixture(scope="session")
def binary():
    return _path("RECKON_BIN")


@pytest.fixture(scope="session")
def model():
    return _path("RECKON_TEST_MODEL")


@pytest.fixture
def reckon(binary, tmp_path):
    """Runs the program in an empty folder, without a terminal; returns the finished process."""

    def run(*args, stdin="", timeout=120, text=True, **environment):
        env = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")}
        env.update({"LC_ALL": "C.UTF-8", "RECKON_HISTORY": ""}, **environment)
        return subprocess.run(
            [str(binary), *map(str, args)], input=stdin, capture_output=True, text=text, timeout=timeout, cwd=tmp_path, env=env
        )

    return run

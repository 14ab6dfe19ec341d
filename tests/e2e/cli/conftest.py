"""Fixtures for tests of the program at the command line."""
import os
import subprocess

import pytest


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

"""Fixtures of the tests with the real program: RECKON_BIN is the binary, RECKON_TEST_MODEL a small chat model (GGUF)."""
import os
import pathlib

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

"""Fixtures: RECKON_BIN is the program."""

import os
import pathlib

import pytest


@pytest.fixture(scope="session")
def binary():
    value = os.environ.get("RECKON_BIN") or os.environ.get("RECKON_BINARY")
    if not value or not pathlib.Path(value).exists():
        pytest.fail("set RECKON_BIN to an existing file", pytrace=False)
    return pathlib.Path(value).resolve()

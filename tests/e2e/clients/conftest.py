"""Fixtures of the tests with real clients: RECKON_BIN is the program, RECKON_TEST_MODEL a small chat model (GGUF)."""
import os
import pathlib

import pytest

from service import Service


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


@pytest.fixture(scope="session")
def service(binary, model, tmp_path_factory):
    """One service for all tests of this folder; they change nothing in it."""
    running = Service(binary, model, tmp_path_factory.mktemp("service") / "log", "--alias", "reckon")
    yield running
    assert running.stop() == 0


@pytest.fixture
def client(service):
    """OpenAI's client without retries, so that a test sees the first answer."""
    import openai

    with openai.OpenAI(base_url=service.openai_url, api_key="none", max_retries=0, timeout=120) as made:
        yield made


@pytest.fixture(scope="session")
def ask():
    """A question that the small model answers in a few tokens, always in the same way."""
    return {
        "model": "reckon",
        "messages": [{"role": "user", "content": "Write one sentence about the sea."}],
        "temperature": 0,
        "max_tokens": 24,
    }

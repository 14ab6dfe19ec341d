"""Fixtures of the tests with real clients."""
import pytest

from service import Service


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

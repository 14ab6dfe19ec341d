"""A running `reckon serve` and OpenAI's clients for it."""
import openai
import pytest

from service import Service


@pytest.fixture
def start_server(binary, model, tmp_path):
    """Starts services of the test's own; whatever still runs at its end is killed."""
    started = []

    def start(*flags):
        started.append(Service(binary, model, tmp_path / f"log{len(started)}", "--ctx", 2048, *flags))
        return started[-1]

    yield start
    for running in started:
        running.process.kill()
        running.stop()


@pytest.fixture(scope="session")
def server(binary, model, tmp_path_factory):
    running = Service(binary, model, tmp_path_factory.mktemp("server") / "log", "--ctx", 2048, "--alias", "tiny")
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def client(server):
    return openai.OpenAI(base_url=server.openai_url, api_key="none", timeout=300, max_retries=0)


@pytest.fixture
def async_client(server):
    return openai.AsyncOpenAI(base_url=server.openai_url, api_key="none", timeout=300, max_retries=0)

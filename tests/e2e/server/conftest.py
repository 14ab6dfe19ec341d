"""A running `reckon serve`: RECKON_BIN is the binary, RECKON_TEST_MODEL a small chat model (GGUF)."""
import os
import pathlib
import signal
import subprocess
import urllib.request

import openai
import pytest


def _path(variable):
    value = os.environ.get(variable)
    if not value or not pathlib.Path(value).exists():
        pytest.fail(f"set {variable} to an existing file", pytrace=False)
    return pathlib.Path(value).resolve()


class Server:
    """Starts on a free port; the greeting, printed when it is ready, says which."""

    def __init__(self, *flags):
        env = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")}
        command = [_path("RECKON_BIN"), "serve", "-m", _path("RECKON_TEST_MODEL"), "--port", "0", "--ctx", "2048", *flags]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env=env)
        self.greeting = self.process.stdout.readline()
        assert "http" in self.greeting, self.greeting
        self.url = self.greeting.split(" at ")[1].split()[0]

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return answer.read().decode()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=60)


@pytest.fixture(scope="session")
def server():
    running = Server("--alias", "tiny")
    yield running
    assert running.stop() == 0


@pytest.fixture
def start_server():
    started = []

    def start(*flags):
        started.append(Server(*flags))
        return started[-1]

    yield start
    for running in started:
        running.stop(signal.SIGKILL)


@pytest.fixture(scope="session")
def client(server):
    return openai.OpenAI(base_url=server.url + "/v1", api_key="none", timeout=300, max_retries=0)


@pytest.fixture
def async_client(server):
    return openai.AsyncOpenAI(base_url=server.url + "/v1", api_key="none", timeout=300, max_retries=0)

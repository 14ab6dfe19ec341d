"""Services for the cases of docs/REPORTS.md: the small model as it is, and one that a template makes think."""
import pathlib

import pytest

from service import Service

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def service(binary, model, tmp_path_factory):
    running = Service(binary, model, tmp_path_factory.mktemp("plain") / "log", "--ctx", 1024, "--result-cache", 0)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def thinker(binary, model, tmp_path_factory):
    """The template opens the thought and drops those of earlier turns. The model never closes one: budgets do."""
    running = Service(binary, model, tmp_path_factory.mktemp("thinker") / "log", "--ctx", 2048, "--result-cache", 0,
                      "--chat-template", HERE / "thinker.jinja")
    yield running
    assert running.stop() == 0


@pytest.fixture
def start(binary, model, tmp_path):
    """Starts services of the test's own; whatever still runs at its end is killed."""
    started = []

    def run(*flags):
        started.append(Service(binary, model, tmp_path / f"log{len(started)}", "--result-cache", 0, *flags))
        return started[-1]

    yield run
    for running in started:
        running.process.kill()
        running.stop()

"""Prometheus's own tool finds nothing to object to. Runs with script/test --full, which installs it."""
import pathlib
import subprocess

import pytest

from service import Service

MONITORING = pathlib.Path(__file__).resolve().parents[3] / "share" / "monitoring"


def test_the_metrics(binary, model, tmp_path):
    service = Service(binary, model, tmp_path / "log", "--ctx", 512)
    service.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 4})
    _, metrics = service.get("/metrics")
    assert service.stop() == 0
    done = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [["check", "config", "prometheus.yml"], ["test", "rules", "alerts_test.yml"]], ids=lambda c: c[0])
def test_the_files(command):
    done = subprocess.run(["promtool", *command], cwd=MONITORING, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

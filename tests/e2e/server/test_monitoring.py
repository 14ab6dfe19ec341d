"""What share/monitoring asks of /metrics is there."""
import json
import pathlib
import re

import pytest

MONITORING = pathlib.Path(__file__).resolve().parents[3] / "share" / "monitoring"
NAME = re.compile(r"\b(?:reckon|http|process)_[a-z_]+\b")


@pytest.fixture(scope="module")
def metrics(server):
    """The text of /metrics after an answer and a refusal."""
    server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 4})
    server.post("/v1/chat/completions", {})
    status, text = server.get("/metrics")
    assert status == 200
    return text


def names_in(metrics):
    return {re.split(r"[{ ]", line)[0] for line in metrics.splitlines() if line and not line.startswith("#")}


def test_every_query_of_the_dashboard_has_its_metric(metrics):
    dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    asked = {name for query in queries for name in NAME.findall(query)}
    assert len(asked) > 20
    assert asked <= names_in(metrics)


def test_every_alert_has_its_metric(metrics):
    rules = re.findall(r"expr: (.*(?:\n {10,}.*)*)", (MONITORING / "alerts.yml").read_text())
    asked = {name for rule in rules for name in NAME.findall(rule)}
    assert len(asked) > 5
    assert asked <= names_in(metrics)

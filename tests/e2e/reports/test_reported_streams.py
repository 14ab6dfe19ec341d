"""What goes wrong elsewhere with streams, limits and clients that leave. See docs/REPORTS.md."""
import concurrent.futures
import http.client
import json
import urllib.error
import urllib.request

import pytest

from sse import Stream, chat, deltas
from watch import becomes, metric

LONG = "The quick brown fox jumps over the lazy dog. " * 90  # about 900 tokens


def test_a_stream_ends_as_clients_expect(service):
    events = list(Stream(service, chat("Say hello.")))
    assert events[-1] == "[DONE]"
    assert events[0]["choices"][0]["delta"]["role"] == "assistant"
    assert events[-2]["choices"][0]["finish_reason"] in ("stop", "length")
    assert not any(event.get("usage") for event in events[:-1])
    events = list(Stream(service, chat("Say hello.", stream_options={"include_usage": True})))
    assert events[-1] == "[DONE]" and events[-2]["choices"] == []
    _, whole = service.post("/v1/chat/completions", chat("Say hello."))
    for name in ("prompt_tokens", "completion_tokens"):
        assert events[-2]["usage"][name] == whole["usage"][name]


@pytest.mark.parametrize(("fields", "n_tokens"), [
    ({"max_tokens": 0}, 0),
    ({"max_tokens": 7}, 7),
    ({"max_tokens": None, "max_completion_tokens": 5}, 5),
    ({"max_tokens": 9, "max_completion_tokens": 3}, 3),
    ({"max_tokens": 3.0}, 3),
])
def test_the_limit_has_many_forms(service, fields, n_tokens):
    status, reply = service.post("/v1/chat/completions", chat("Count.", ignore_eos=True) | fields)
    assert status == 200, reply
    assert reply["usage"]["completion_tokens"] == n_tokens
    assert reply["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("value", [-2, "7", 1.5, [], True, 10**12])
def test_a_limit_that_makes_no_sense_is_named(service, value):
    status, reply = service.post("/v1/chat/completions", chat("x") | {"max_tokens": value})
    assert status == 400 and reply["error"]["param"] == "max_tokens"


@pytest.mark.parametrize("value", [-1, None])
def test_without_a_limit_the_context_ends_the_answer(service, value):
    body = chat(LONG, ignore_eos=True, loop_guard=False) | {"max_tokens": value}
    status, reply = service.post("/v1/chat/completions", body)
    assert status == 200, reply
    assert reply["usage"]["total_tokens"] == 1024
    assert reply["choices"][0]["finish_reason"] == "length"


def test_a_long_prompt_is_not_a_silent_socket(service):
    """The role comes before the prompt is computed, so that no proxy waits in silence."""
    events = list(Stream(service, chat("news: " + LONG, return_progress=True, max_tokens=2)))
    kinds = ["progress" if "prompt_progress" in event else "role" if "role" in event["choices"][0]["delta"] else "other"
             for event in events[:-1] if event["choices"] or "prompt_progress" in event]
    assert kinds[0] == "role" and kinds[1] == "progress"


@pytest.fixture
def single(start):
    """One answer at a time, eight may wait."""
    return start("--ctx", 1024, "--parallel", 1, "--queue", 8)


def endless(text="Tell me a story.", max_tokens=900, **fields):
    return chat(text, max_tokens=max_tokens, ignore_eos=True, loop_guard=False, **fields)


@pytest.mark.parametrize("phase", ["decode", "prefill", "queue", "body"])
def test_who_leaves_stops_its_own_work_and_no_other(single, phase):
    healthy = Stream(single, endless("Healthy.", max_tokens=300)) if phase == "queue" else None
    if healthy:
        healthy_events = [next(iter(healthy))]
    if phase == "decode":
        leaver = Stream(single, endless())
        for event in leaver:
            if deltas([event], "content"):
                break
    elif phase == "prefill":
        leaver = Stream(single, endless("old: " + LONG, max_tokens=50, return_progress=True))
        for event in leaver:
            if "prompt_progress" in event:
                break
    elif phase == "queue":
        leaver = Stream(single, endless("I wait.", return_progress=True))
        for event in leaver:
            if "queue" in event:
                break
    else:  # the head of a request that wants a whole body back
        connection = http.client.HTTPConnection("127.0.0.1", single.port, timeout=60)
        connection.request("POST", "/v1/chat/completions", json.dumps(endless()), {"Content-Type": "application/json"})
        assert becomes(lambda: metric(single, "reckon_requests_running") == 1)
        connection.close()
        leaver = None
    if leaver:
        leaver.close()
    if healthy:
        assert becomes(lambda: metric(single, "reckon_requests_queued") == 0)
        healthy_events += list(healthy)
        assert healthy_events[-1] == "[DONE]" and healthy_events[-2]["choices"][0]["finish_reason"] == "length"
        assert len(deltas(healthy_events, "content")) > 50
    assert becomes(lambda: metric(single, "reckon_requests_running") == 0)
    assert becomes(lambda: metric(single, 'reckon_answers_total{finish_reason="cancelled"}') == 1)
    status, _ = single.post("/v1/chat/completions", chat("And now?", max_tokens=2))
    assert status == 200


def test_a_flood_is_refused_with_a_time_to_come_again(single):
    """120 at once for one place and eight that wait: all get an answer or a refusal, and /health answers meanwhile."""
    def ask(i):
        request = urllib.request.Request(single.openai_url + "/chat/completions", json.dumps(chat(f"{i}?", max_tokens=3)).encode(),
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return reply.status, None
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("Retry-After")

    with concurrent.futures.ThreadPoolExecutor(max_workers=100) as clients:
        running = [clients.submit(ask, i) for i in range(120)]
        n_health = 0
        while not all(future.done() for future in running):
            status, _ = single.get("/health")
            assert status == 200
            n_health += 1
        replies = [future.result() for future in running]
    assert {status for status, _ in replies} == {200, 429}
    assert all(int(after) >= 1 for status, after in replies if status == 429)
    assert n_health > 0

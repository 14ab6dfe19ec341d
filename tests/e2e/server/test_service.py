"""How the service starts, answers probes, asks for keys, reloads them and stops."""
import json
import signal
import urllib.request

import openai
import pytest


@pytest.mark.parametrize(("path", "member", "value"), [
    ("/health", "status", "ok"), ("/ready", "status", "ready"), ("/live", "status", "ok"), ("/version", "name", "reckon")])
def test_probes_answer(server, path, member, value):
    status, body = server.get(path)
    assert status == 200 and body[member] == value


def test_a_taken_port_is_said_at_once(server, start_server):
    with pytest.raises(AssertionError, match="is in use"):
        start_server("--port", server.port)


def test_keys_are_asked_for_and_read_again(start_server, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("me:first-key-0123456789\n")
    keys.chmod(0o600)
    running = start_server("--api-key-file", keys)

    def ask(key):
        return openai.OpenAI(base_url=running.openai_url, api_key=key, timeout=60, max_retries=0).models.list().data

    assert ask("first-key-0123456789")
    with pytest.raises(openai.AuthenticationError):
        ask("second-key-0123456789")
    keys.write_text("me:second-key-0123456789\n")
    running.process.send_signal(signal.SIGHUP)
    for _ in range(200):  # until the signal has been taken
        try:
            assert ask("second-key-0123456789")
            break
        except openai.AuthenticationError:
            continue
    else:
        pytest.fail("the new key was not read")
    with pytest.raises(openai.AuthenticationError):
        ask("first-key-0123456789")


def test_a_stop_lets_the_running_answer_end(start_server):
    running = start_server("--drain", "600")
    client = openai.OpenAI(base_url=running.openai_url, api_key="none", timeout=300, max_retries=0)
    stream = client.chat.completions.create(model="", messages=[{"role": "user", "content": "hi"}], max_tokens=12, stream=True,
                                            extra_body={"ignore_eos": True})
    chunks = iter(stream)
    next(chunks)
    running.process.send_signal(signal.SIGTERM)
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "length"
    assert running.process.wait(timeout=60) == 0


def is_ready(url):
    """False once the service drains: it then answers 503, or takes no connection."""
    try:
        with urllib.request.urlopen(url + "/ready", timeout=10):
            return True
    except OSError:
        return False


def test_a_second_stop_ends_at_once(start_server):
    running = start_server()
    client = openai.OpenAI(base_url=running.openai_url, api_key="none", timeout=300, max_retries=0)
    stream = client.chat.completions.create(model="", messages=[{"role": "user", "content": "hi"}], max_tokens=1900, stream=True,
                                            extra_body={"ignore_eos": True, "loop_guard": False})
    next(iter(stream))
    running.process.send_signal(signal.SIGINT)
    while is_ready(running.url):  # two signals at once may count as one
        pass
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(timeout=20) == 130


def test_a_running_answer_can_be_ended_by_its_id(server, client):
    stream = client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "hi"}], max_tokens=1900, stream=True,
                                            extra_body={"ignore_eos": True, "loop_guard": False})
    chunks = iter(stream)
    first = next(chunks)
    path = f"{server.url}/v1/chat/completions/{first.id}/cancel"
    request = urllib.request.Request(path, method="POST", data=b"{}", headers={"Content-Type": "application/json"})
    assert json.load(urllib.request.urlopen(request, timeout=60))["status"] == "ok"
    last = [c.choices[0] for c in chunks if c.choices][-1]
    assert last.finish_reason == "stop" and last.finish_detail == "cancelled"


def test_beyond_this_machine_a_key_is_needed(start_server):
    with pytest.raises(AssertionError, match="no API key is set"):
        start_server("--host", "0.0.0.0")

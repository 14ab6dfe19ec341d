"""Behind the nginx of the guide, tokens still come while they are made."""
import pathlib
import re
import shutil
import socket
import subprocess
import time

import openai
import pytest

SITE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "clients" / "nginx.conf"
MAIN = """daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  include {folder}/site.conf;
}}
"""


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def wait_for(port, process, timeout=20):
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        assert process.poll() is None, "nginx ended"
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port}")


@pytest.fixture(params=["as in the guide", "with nginx's own buffering"])
def proxied(request, service, tmp_path):
    """The address of an nginx before the service; it was stopped when the test ends."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx:
        pytest.fail("install nginx", pytrace=False)
    port = free_port()
    site, n_changed = re.subn(r"listen 8081;", f"listen 127.0.0.1:{port};", SITE.read_text())
    site = site.replace("http://127.0.0.1:8080", service.url)
    if request.param != "as in the guide":
        site = site.replace("proxy_buffering off;", "proxy_buffering on;")
    assert n_changed == 1 and service.url in site
    (tmp_path / "site.conf").write_text(site)
    (tmp_path / "nginx.conf").write_text(MAIN.format(folder=tmp_path))
    process = subprocess.Popen([nginx, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], stderr=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_tokens_flow_through_the_proxy(proxied, ask, request):
    client = openai.OpenAI(base_url=proxied + "/v1", api_key="none", max_retries=0)
    begin = time.monotonic()
    # A question of its own: an answer from the cache of results comes in one piece.
    question = [{"role": "user", "content": f"Write about the sea, {request.node.name}."}]
    long = ask | {"messages": question, "max_tokens": 120, "extra_body": {"ignore_eos": True, "loop_guard": False}}
    stream = client.chat.completions.create(**long, stream=True)
    times = [time.monotonic() - begin for chunk in stream if chunk.choices and chunk.choices[0].delta.content]
    assert len(times) > 60 and times[0] < times[-1] / 2
    # Not in a few lumps either: pieces that arrive together are less than a third of all.
    together = sum(b - a < 0.0002 for a, b in zip(times, times[1:]))
    assert together < len(times) / 3


def test_refusals_pass_through(proxied, ask):
    client = openai.OpenAI(base_url=proxied + "/v1", api_key="none", max_retries=0)
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**ask | {"temperature": -1})
    assert error.value.body["param"] == "temperature"

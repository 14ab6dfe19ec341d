"""The guides are true: their code is the code of examples/clients, in both languages, and it runs."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
ENGLISH = [guide for guide in GUIDES if not guide.name.endswith(".zh.md")]
BLOCK = re.compile(r"^<!-- (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = ROOT / "examples" / "clients"


def name_of(path):
    return path.name


@pytest.mark.parametrize("guide", GUIDES, ids=name_of)
def test_code_of_a_guide_is_the_file_that_it_names(guide):
    for path, code in BLOCK.findall(guide.read_text()):
        assert code == (ROOT / path).read_text(), f"{guide.name} shows another {path}"


@pytest.mark.parametrize("guide", GUIDES, ids=name_of)
def test_links_of_a_guide_lead_somewhere(guide):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", guide.read_text()):
        assert (guide.parent / target).exists(), target


@pytest.mark.parametrize("guide", ENGLISH, ids=name_of)
def test_each_guide_has_a_chinese_twin_with_the_same_code(guide):
    twin = guide.with_suffix(".zh.md")
    assert [path for path, _ in BLOCK.findall(guide.read_text())] == [path for path, _ in BLOCK.findall(twin.read_text())]
    assert re.search(r"[\u4e00-\u9fff]{4}", twin.read_text())


def test_every_example_is_in_a_guide():
    shown = {path for guide in ENGLISH for path, _ in BLOCK.findall(guide.read_text())}
    examples = [path for path in EXAMPLES.rglob("*") if path.suffix in (".py", ".sh", ".conf")]
    assert {str(path.relative_to(ROOT)) for path in examples} == shown


def run(service, *command):
    environment = os.environ | {"RECKON_URL": service.url, "RECKON_MODEL_NAME": "reckon", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, timeout=180)
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.parametrize("name,expected", [
    ("openai_chat.py", r"\d+ tokens, [\d.]+ a second"),
    ("openai_stream.py", r"\w{2}"),
    ("openai_structured.py", r"^name='.*' age=\d+$"),
    ("openai_tools.py", r"^called: get_weather \{.*city.*\}"),
    ("ollama_chat.py", r"\w{2}"),
    ("langchain_chat.py", r"^name='.*' age=\d+$"),
])
def test_python_example(service, name, expected):
    assert re.search(expected, run(service, sys.executable, EXAMPLES / name), re.MULTILINE)


def test_curl_example(service):
    output = run(service, "bash", EXAMPLES / "curl.sh")
    assert '"object": "list"' in output and "data: [DONE]" in output and '"count"' in output

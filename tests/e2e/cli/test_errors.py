"""Bad input: one clear line with the remedy, a non-zero exit code, nothing on standard output."""
import os
import shutil
import subprocess

import pytest

from refusal import one_error_line


def test_unknown_flag_names_the_nearest(reckon):
    line = one_error_line(reckon("run", "--tmep", "1", "hi"), 2)
    assert "--tmep" in line and "did you mean --temp?" in line


def test_unknown_command_names_the_nearest(reckon):
    assert "did you mean bench?" in one_error_line(reckon("bnech"), 2)


@pytest.mark.parametrize("flags", [["--temp", "nan"], ["--top-p", "2"], ["-n", "0"], ["--threads", "0"], ["--ctx", "-1"], ["--seed", "x"], ["--think", "no"]])
def test_values_out_of_range(reckon, flags):
    one_error_line(reckon("run", *flags, "hi"), 2)


def test_no_model_anywhere_says_how_to_get_one(reckon):
    assert "script/run" in one_error_line(reckon("run", "hi"), 3)


@pytest.mark.parametrize("command", [["run", "hi", "-m"], ["chat", "-m"], ["bench", "-m"], ["info"], ["check"], ["tokenize", "hi", "-m"], ["logits", "--tokens", "1", "--out", "x", "-m"]])
def test_absent_model_is_named(reckon, command):
    line = one_error_line(reckon(*command, "/there/is/no/model.gguf"), 3)
    assert "/there/is/no/model.gguf" in line or command == ["check"]


@pytest.mark.parametrize("name,content", [
    ("page.gguf", b"<!DOCTYPE html><html><body>404</body></html>"),
    ("pointer.gguf", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    ("empty.gguf", b""),
    ("short.gguf", b"GGUF\x03\x00\x00\x00"),
    ("huge.gguf", b"GGUF\x03\x00\x00\x00" + b"\xff" * 16),
    ("noise.gguf", bytes(range(256)) * 64),
])
def test_what_is_no_model_is_refused(reckon, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    for command in (["check", name], ["info", name], ["run", "hi", "-m", name], ["tokenize", "hi", "-m", name]):
        one_error_line(reckon(*command), 3)


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.9999])
def test_truncated_model_is_refused(reckon, model, tmp_path, share):
    content = model.read_bytes()
    (tmp_path / "cut.gguf").write_bytes(content[: int(len(content) * share)])
    one_error_line(reckon("check", "cut.gguf"), 3)


def test_prompt_over_the_context(reckon, model):
    line = one_error_line(reckon("run", "-m", model, "-q", "--ctx", 64, stdin="word " * 500), 4)
    assert "64" in line


def test_no_prompt(reckon, model):
    assert "no prompt" in one_error_line(reckon("run", "-m", model), 2)


def test_prompt_file_that_is_absent(reckon, model):
    assert "/no/such/file" in one_error_line(reckon("run", "-m", model, "-f", "/no/such/file"), 1)


def test_full_disk_under_the_answer(binary, model):
    status = os.spawnlp(os.P_WAIT, "sh", "sh", "-c", f"'{binary}' run -q -m '{model}' -n 8 hi >/dev/full 2>/dev/null </dev/null")
    assert status == 1


def test_reader_that_goes_away(binary, model):
    script = f"'{binary}' run -q -m '{model}' -n 200 --ignore-eos hi </dev/null | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    assert os.spawnlp(os.P_WAIT, "bash", "bash", "-c", script) == 141


def test_unknown_instruction_set(reckon, model):
    line = one_error_line(reckon("run", "-m", model, "hi", RECKON_ISA="avx9"), 3)
    assert "avx9" in line


@pytest.mark.parametrize("args,remedy", [
    (["What is this?"], "reckon run"),
    (["-m", "x.gguf", "hi"], "flags stand behind"),
    (["run", "--temp"], "--temp needs a value"),
])
def test_a_first_try_that_fails_is_told_how(reckon, args, remedy):
    assert remedy in one_error_line(reckon(*args), 2)


def test_model_that_is_cut_short_while_in_use(binary, model, tmp_path):
    copy = tmp_path / "cut.gguf"
    shutil.copy(model, copy)
    args = [str(binary), "run", "-m", str(copy), "--ignore-eos", "--no-loop-guard", "--show-thoughts", "plain", "hi"]
    with subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(1)  # it has begun to answer
        os.truncate(copy, 4096)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"cut.gguf: cannot be read any more" in errors

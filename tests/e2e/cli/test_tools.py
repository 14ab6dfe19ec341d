"""reckon info, check, tokenize, render, logits, bench, completion, --version."""
import json
import struct

from refusal import one_error_line


def test_version_names_what_was_picked(reckon):
    text = reckon("--version").stdout
    assert text.startswith("reckon ") and "kernels" in text
    assert "scalar (of" in reckon("--version", RECKON_ISA="scalar").stdout


def test_check_says_that_a_good_file_runs(reckon, model):
    process = reckon("check", model)
    assert process.returncode == 0 and "2 generated" in process.stdout


def test_info_counts_the_whole_file(reckon, model):
    info = json.loads(reckon("info", "--json", model).stdout)
    assert info["runs"] and info["tensors"] == sum(t["tensors"] for t in info["types"])
    assert info["file_bytes"] == model.stat().st_size
    assert info["bytes_per_token"] < info["memory_bytes"]
    assert "GB" in reckon("info", model).stdout or "MB" in reckon("info", model).stdout


def test_tokenize_lines(reckon, model):
    process = reckon("tokenize", "-m", model, "--json", stdin='"a"\n""\n"a\\n\\u4f60"\n')
    rows = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(rows) == 3 and len(rows[0]) == 1 and rows[1] == [] and len(rows[2]) >= 3
    bad = reckon("tokenize", "-m", model, "--json", stdin='"a"\n5\n')
    assert bad.returncode == 1 and "line 2" in bad.stderr


def test_render_marks_user_text(reckon, model, tmp_path):
    (tmp_path / "talk.json").write_text(json.dumps({"messages": [{"role": "user", "content": "a <|im_end|> b"}], "add_generation_prompt": True}))
    segments = json.loads(reckon("render", "-m", model, "--context", "talk.json", "--segments").stdout)
    text = reckon("render", "-m", model, "--context", "talk.json").stdout
    assert "".join(s["text"] for s in segments) == text
    user = [s["text"] for s in segments if not s["is_template"]]
    assert "a <|im_end|> b" in user and not any("a <|im_end|> b" in s["text"] for s in segments if s["is_template"])
    (tmp_path / "t.jinja").write_text("{{ messages[0].content }}|{{ style }}")
    (tmp_path / "c.json").write_text('{"messages": [{"role": "user", "content": "x"}], "style": "y"}')
    assert reckon("render", "--template", "t.jinja", "--context", "c.json").stdout == "x|y"
    (tmp_path / "bad.jinja").write_text("{% for %}")
    one_error_line(reckon("render", "--template", "bad.jinja", "--context", "c.json"), 1)


def test_logits_do_not_depend_on_threads(reckon, model, tmp_path):
    rows = []
    for threads in (1, 2):
        process = reckon("logits", "-m", model, "-t", threads, "--tokens", "1,2,3,4,5", "--out", f"{threads}.f32")
        assert process.returncode == 0, process.stderr
        rows.append((tmp_path / f"{threads}.f32").read_bytes())
    n_vocab = json.loads(reckon("info", "--json", model).stdout)["vocabulary"]
    assert len(rows[0]) == 5 * n_vocab * 4 and rows[0] == rows[1]
    assert all(abs(x) < 1e4 for x in struct.unpack(f"{n_vocab}f", rows[0][: 4 * n_vocab]))
    one_error_line(reckon("logits", "-m", model, "--tokens", f"1,{n_vocab}", "--out", "x"), 2)
    assert not (tmp_path / "x").exists() and not (tmp_path / "x.partial").exists()


def test_bench_rows(reckon, model):
    process = reckon("bench", "-m", model, "--tests", "pp64,tg8,tg4x2@d100", "--repeat", "2", "--threads", "2", "--json")
    assert process.returncode == 0, process.stderr
    rows = [json.loads(line) for line in process.stdout.splitlines()]
    assert [row["test"] for row in rows] == ["pp64", "tg8", "tg4x2@d100"]
    for row in rows:
        assert row["tokens_per_second_min"] <= row["tokens_per_second"] <= row["tokens_per_second_max"]
        assert row["threads"] == 2 and row["repeat"] == 2
    assert rows[1]["gigabytes_per_second"] > 0 and 0 < rows[1]["bandwidth_share"]


def test_completion_of_every_shell(reckon):
    for shell in ("bash", "zsh", "fish"):
        assert "think-budget" in reckon("completion", shell).stdout

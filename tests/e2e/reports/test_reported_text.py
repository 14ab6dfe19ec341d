"""What goes wrong elsewhere with tokens, characters and stop strings. See docs/REPORTS.md."""
import pytest

from sse import Stream, chat, deltas


def forced(text, **fields):
    """A chat whose answer can only be `text`."""
    return chat("x", grammar='root ::= "' + text + '"', max_tokens=100, **fields)


def both_ways(service, body):
    """The text of the body and of the stream, which must be the same, and the deltas."""
    status, reply = service.post("/v1/chat/completions", body)
    assert status == 200, reply
    pieces = deltas(list(Stream(service, body)), "content")
    assert "".join(pieces) == reply["choices"][0]["message"]["content"]
    return "".join(pieces), pieces, reply["choices"][0]["finish_reason"]


@pytest.mark.parametrize("text", ["A" * 200_000, "哈" * 100_000, "\n" * 50_000, " " * 50_000, "us" * 50_000], ids=lambda t: t[:2])
def test_a_long_unbroken_run_is_a_prompt_that_is_too_long(service, text):
    status, tokens = service.post("/tokenize", {"content": text})
    assert status == 200 and tokens["count"] > 0
    if tokens["count"] > 1024:  # this vocabulary has tokens of many spaces
        status, reply = service.post("/v1/chat/completions", chat(text))
        assert status == 400 and "1024" in reply["error"]["message"]
    status, back = service.post("/detokenize", {"tokens": tokens["tokens"]})
    assert back["content"] == text


@pytest.mark.parametrize("text", ["hello world", "2024年1月", "12345", "a   b\n\n\n  c\t\t", "don'T", "𝒳👨‍👩‍👧‍👦é", "end  ", "\r\n"])
def test_text_comes_back_from_its_tokens(service, text):
    status, tokens = service.post("/tokenize", {"content": text})
    status, back = service.post("/detokenize", {"tokens": tokens["tokens"]})
    assert status == 200 and back["content"] == text


def test_no_chunk_has_half_a_character_at_any_limit(service):
    text = "😀🀄️龘𠮷"
    for limit in [*range(1, 13), 24]:
        got, pieces, reason = both_ways(service, forced(text) | {"max_tokens": limit})
        assert text.startswith(got.rstrip("\ufffd")), limit
        assert not any("\ufffd" in piece for piece in pieces[:-1]), limit
        assert reason == ("stop" if got == text else "length"), limit
    assert got == text


@pytest.mark.parametrize(("text", "stop", "left"), [
    ("alpha beta gamma delta", ["beta gamma"], "alpha "),
    ("alpha beta gamma delta", ["gamma beta", "amma d"], "alpha beta g"),
    ("我想，因此我在", ["因此"], "我想，"),
    ("alpha beta", ["beta gamma"], "alpha beta"),
    ("alpha beta", ["a"], ""),
])
def test_stop_strings_leave_nothing_behind_and_take_nothing_away(service, text, stop, left):
    got, _, reason = both_ways(service, forced(text, stop=stop))
    assert got == left and reason == "stop"


def test_the_mark_of_a_thoughts_end_as_a_stop_string_breaks_nothing(thinker):
    body = chat("Say hello.", thinking_budget=6, stop=["</think>"])
    status, reply = thinker.post("/v1/chat/completions", body)
    assert status == 200, reply
    assert "</think>" not in reply["choices"][0]["message"]["content"]

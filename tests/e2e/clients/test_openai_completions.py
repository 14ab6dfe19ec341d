"""The official `openai` package: plain completions, as evaluation harnesses use them."""
import math

import pytest

SEA = {"model": "reckon", "prompt": "The sea is", "temperature": 0, "max_tokens": 8}


def test_text_goes_on(client):
    answer = client.completions.create(**SEA)
    assert answer.object == "text_completion" and answer.choices[0].text and answer.usage.completion_tokens <= 8


def test_stream_equals_the_whole(client):
    # Another seed is another key of the cache of results, and changes nothing else in a greedy answer.
    whole = client.completions.create(**SEA, seed=1).choices[0].text
    chunks = client.completions.create(**SEA, seed=2, stream=True)
    assert "".join(chunk.choices[0].text for chunk in chunks if chunk.choices) == whole


def test_many_prompts_and_token_ids(client, service):
    both = client.completions.create(**SEA | {"prompt": ["The sea is", "Two and two"]})
    assert [choice.index for choice in both.choices] == [0, 1]
    _, tokens = service.post("/tokenize", {"content": "The sea is"})
    assert client.completions.create(**SEA | {"prompt": tokens["tokens"]}).choices[0].text == both.choices[0].text
    lists = client.completions.create(**SEA | {"prompt": [tokens["tokens"], tokens["tokens"]]})
    assert [choice.text for choice in lists.choices] == [both.choices[0].text] * 2


def test_echo_scores_the_prompt(client):
    """The form that loglikelihood tasks ask for."""
    answer = client.completions.create(**SEA | {"prompt": "The capital of France is Paris", "max_tokens": 0, "echo": True, "logprobs": 1})
    scored = answer.choices[0].logprobs
    assert answer.choices[0].text == "The capital of France is Paris" == "".join(scored.tokens)
    assert scored.token_logprobs[0] is None and all(value <= 0 for value in scored.token_logprobs[1:])
    assert scored.text_offset[0] == 0 and scored.text_offset == sorted(scored.text_offset)
    assert all(len(top) >= 1 for top in scored.top_logprobs[1:])


def test_likely_text_scores_higher(client):
    def score(text):
        scored = client.completions.create(**SEA | {"prompt": text, "max_tokens": 1, "echo": True, "logprobs": 1}).choices[0].logprobs
        return sum(value for value in scored.token_logprobs[1:-1])

    assert score("The capital of France is Paris") > score("The capital of France is Tuesday") + math.log(2)


@pytest.mark.parametrize("n", [1, 3])
def test_choices_of_one_prompt(client, n):
    assert len(client.completions.create(**SEA | {"n": n, "temperature": 1.0}).choices) == n

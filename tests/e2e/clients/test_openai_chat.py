"""The official `openai` package, unchanged: questions and answers in one piece."""
import concurrent.futures

import openai
import pytest


def test_answer_has_everything_that_the_package_promises(client, ask):
    answer = client.chat.completions.create(**ask)
    choice = answer.choices[0]
    assert answer.object == "chat.completion" and answer.id and answer.created > 1_600_000_000
    assert choice.index == 0 and choice.message.role == "assistant" and choice.message.content.strip()
    assert choice.finish_reason in ("stop", "length") and choice.logprobs is None and choice.message.tool_calls is None
    usage = answer.usage
    assert usage.prompt_tokens > 5 and 0 < usage.completion_tokens <= 24
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert usage.completion_tokens_details.reasoning_tokens == 0


def test_timings_and_seed_come_along(client, ask):
    answer = client.chat.completions.create(**ask, seed=7)
    timings = answer.timings
    assert answer.seed == 7
    assert {"queue_ms", "prefill_ms", "decode_ms", "ttft_ms", "tokens_per_second"} <= set(timings)
    assert timings["total_ms"] + 1 >= timings["queue_ms"] + timings["prefill_ms"]


def test_greedy_answers_repeat(client, ask):
    first, second = (client.chat.completions.create(**ask, seed=seed).choices[0].message.content for seed in (20, 21))
    assert first == second


def test_a_seed_repeats_what_chance_made(client, ask):
    hot = ask | {"temperature": 1.0}
    told = [client.chat.completions.create(**hot, seed=seed).choices[0].message.content for seed in (5, 5, 6)]
    assert told[0] == told[1] != told[2]


def test_length_is_a_finish_reason(client, ask):
    answer = client.chat.completions.create(**ask | {"max_tokens": 3}, extra_body={"ignore_eos": True})
    assert answer.choices[0].finish_reason == "length" and answer.usage.completion_tokens == 3


def test_both_names_of_the_limit_mean_the_same(client, ask):
    question = {k: v for k, v in ask.items() if k != "max_tokens"}
    old = client.chat.completions.create(**question, max_tokens=4)
    new = client.chat.completions.create(**question, max_completion_tokens=4)
    assert old.usage.completion_tokens == new.usage.completion_tokens == 4
    assert client.chat.completions.create(**question, max_tokens=9, max_completion_tokens=2).usage.completion_tokens == 2


def test_stop_string_is_left_out(client, ask):
    whole = client.chat.completions.create(**ask).choices[0].message.content
    word = whole.split()[3]
    cut = client.chat.completions.create(**ask, stop=[word]).choices[0]
    assert cut.message.content == whole[: whole.index(word)] and cut.finish_reason == "stop"


def test_three_choices(client, ask):
    answer = client.chat.completions.create(**ask | {"temperature": 1.0, "n": 3, "seed": 1})
    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    assert len({choice.message.content for choice in answer.choices}) > 1


def test_logprobs_add_up_to_the_text(client, ask):
    choice = client.chat.completions.create(**ask | {"logprobs": True, "top_logprobs": 3}).choices[0]
    tokens = choice.logprobs.content
    # Where the answer ended by itself the last token is the end mark, which has no place in the text.
    text = b"".join(bytes(token.bytes) for token in tokens).decode(errors="replace")
    assert text.startswith(choice.message.content)
    for token in tokens:
        assert token.logprob <= 0 and len(token.top_logprobs) == 3
        best = [top.logprob for top in token.top_logprobs]
        assert best == sorted(best, reverse=True) and token.logprob <= best[0] + 1e-6


def test_logit_bias_forbids_a_token(client, service, ask):
    first = client.chat.completions.create(**ask | {"max_tokens": 1}).choices[0].message.content
    _, tokens = service.post("/tokenize", {"content": first})
    banned = {str(tokens["tokens"][0]): -100}
    assert client.chat.completions.create(**ask | {"max_tokens": 1, "logit_bias": banned}).choices[0].message.content != first


@pytest.mark.parametrize("content", ["Say hi.", [{"type": "text", "text": "Say hi."}]])
@pytest.mark.parametrize("role", ["system", "developer"])
def test_roles_and_forms_of_content(client, content, role):
    messages = [{"role": role, "content": "Be brief."}, {"role": "user", "content": content}]
    assert client.chat.completions.create(model="reckon", messages=messages, max_tokens=4).choices[0].message.content


def test_the_whole_conversation_is_the_prompt(client, service):
    """Counted, not read: what a model of this size remembers says little about the service."""
    messages = [
        {"role": "user", "content": "My name is Ada."},
        {"role": "assistant", "content": "Hello Ada."},
        {"role": "user", "content": "What is my name?"},
    ]
    answer = client.chat.completions.create(model="reckon", messages=messages, temperature=0, max_tokens=4)
    assert answer.usage.prompt_tokens == service.post("/tokenize", {"messages": messages})[1]["count"]
    alone = client.chat.completions.create(model="reckon", messages=messages[-1:], temperature=0, max_tokens=4)
    assert answer.usage.prompt_tokens > alone.usage.prompt_tokens


def test_second_turn_takes_the_first_from_the_cache(client):
    opening = [{"role": "user", "content": "List ten animals that live in the sea, and where each is found. " * 4}]
    first = client.chat.completions.create(model="reckon", messages=opening, temperature=0, max_tokens=8)
    talk = opening + [{"role": "assistant", "content": first.choices[0].message.content}, {"role": "user", "content": "Go on."}]
    second = client.chat.completions.create(model="reckon", messages=talk, temperature=0, max_tokens=2)
    assert second.usage.prompt_tokens_details.cached_tokens >= 16


def test_company_changes_no_answer(client, ask):
    """Eight at once, with another limit than alone, so that no answer is from the cache of results."""
    questions = [ask | {"messages": [{"role": "user", "content": f"Write a sentence about the number {n}."}]} for n in range(8)]

    def text(question, limit):
        answer = client.chat.completions.create(**question | {"max_tokens": limit}, extra_body={"ignore_eos": True})
        return answer.choices[0].message.content

    alone = [text(question, 16) for question in questions]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda question: text(question, 24), questions))
    assert all(whole.startswith(begin.rstrip("\ufffd")) for begin, whole in zip(alone, together))


def test_the_same_question_again_is_answered_from_memory(client, ask):
    question = ask | {"messages": [{"role": "user", "content": "Write a sentence about memory."}]}
    answers = [client.chat.completions.with_raw_response.create(**question) for _ in range(2)]
    assert [answer.headers["x-cache"] for answer in answers] == ["miss", "hit"]
    assert answers[0].parse().choices[0].message.content == answers[1].parse().choices[0].message.content


def test_models_are_listed_and_shown(client):
    (model,) = client.models.list().data
    assert model.id == "reckon" and model.object == "model" and model.context_length > 0
    assert client.models.retrieve(model.id).id == model.id
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-4o")

"""The official `openai` package against a running service, unchanged: chats, completions, streams, structured output."""
import asyncio
import json

import openai
import pytest

QUESTION = [{"role": "user", "content": "What is the capital of France? Answer with one word."}]


def test_a_chat_is_answered(client):
    answer = client.chat.completions.create(model="tiny", messages=QUESTION, max_tokens=20, temperature=0)
    assert "Paris" in answer.choices[0].message.content
    assert answer.choices[0].finish_reason in ("stop", "length")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.usage.completion_tokens_details.reasoning_tokens == 0


def test_a_stream_gives_the_same_text_as_the_body(client):
    options = dict(model="tiny", messages=QUESTION, max_tokens=20, seed=7, temperature=0.8)
    whole = client.chat.completions.create(**options)
    chunks = list(client.chat.completions.create(**options, stream=True, stream_options={"include_usage": True}))
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens == whole.usage.completion_tokens
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == whole.choices[0].finish_reason
    assert all(c.usage is None for c in chunks[:-1])


def test_many_ask_at_once(async_client):
    async def ask_all():
        return await asyncio.gather(
            *[async_client.chat.completions.create(model="tiny", messages=QUESTION, max_tokens=12, temperature=0) for _ in range(6)])

    texts = {answer.choices[0].message.content for answer in asyncio.run(ask_all())}
    assert len(texts) == 1, "greedy answers do not depend on who else asks"


def test_an_async_stream_may_be_left(async_client, client):
    async def leave():
        stream = await async_client.chat.completions.create(
            model="tiny", messages=QUESTION, max_tokens=1000, stream=True, extra_body={"ignore_eos": True})
        async for _ in stream:
            break
        await stream.close()

    asyncio.run(leave())
    assert client.chat.completions.create(model="tiny", messages=QUESTION, max_tokens=1).choices


def test_several_choices_and_logprobs(client):
    answer = client.chat.completions.create(model="tiny", messages=QUESTION, max_tokens=3, n=3, logprobs=True, top_logprobs=2)
    assert len(answer.choices) == 3
    first = answer.choices[0].logprobs.content[0]
    assert first.logprob <= 0 and len(first.top_logprobs) == 2


def test_a_stop_string_never_shows(client):
    answer = client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Count from one to ten in digits."}],
                                            max_tokens=60, temperature=0, stop=[","])
    assert "," not in answer.choices[0].message.content


def test_structured_output_is_valid(client):
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 20}}, "required": ["city"],
              "additionalProperties": False}
    answer = client.chat.completions.create(
        model="tiny", messages=QUESTION, max_tokens=60, temperature=0,
        response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})
    assert set(json.loads(answer.choices[0].message.content)) == {"city"}


def test_a_required_tool_is_called(client):
    tool = {"type": "function", "function": {"name": "get_weather", "description": "Weather of a city", "parameters": {
        "type": "object", "properties": {"city": {"enum": ["Paris", "Oslo"]}}, "required": ["city"], "additionalProperties": False}}}
    answer = client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Weather in Paris?"}],
                                            tools=[tool], tool_choice="required", max_tokens=80, temperature=0)
    call = answer.choices[0].message.tool_calls[0]
    assert answer.choices[0].finish_reason == "tool_calls" and call.function.name == "get_weather"
    assert json.loads(call.function.arguments)["city"] in ("Paris", "Oslo")


def test_plain_completions_and_loglikelihood(client):
    answer = client.completions.create(model="tiny", prompt=["The sky is", "Water is"], max_tokens=4, temperature=0)
    assert [choice.index for choice in answer.choices] == [0, 1]
    scored = client.completions.create(model="tiny", prompt="The sky is blue", max_tokens=0, echo=True, logprobs=1)
    logprobs = scored.choices[0].logprobs
    assert scored.choices[0].text == "The sky is blue"
    assert logprobs.token_logprobs[0] is None and all(value <= 0 for value in logprobs.token_logprobs[1:])
    assert "".join(logprobs.tokens) == "The sky is blue"


def test_embeddings_have_length_one(client):
    vectors = [item.embedding for item in client.embeddings.create(model="tiny", input=["cat", "dog"]).data]
    assert len(vectors) == 2
    for vector in vectors:
        assert abs(sum(value * value for value in vector) - 1) < 1e-3


def test_responses(client):
    answer = client.responses.create(model="tiny", input=QUESTION, max_output_tokens=20, temperature=0)
    assert "Paris" in answer.output_text and answer.usage.output_tokens > 0
    events = list(client.responses.create(model="tiny", input=QUESTION, max_output_tokens=20, temperature=0,
                                          stream=True))
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == answer.output_text
    assert events[-1].type in ("response.completed", "response.incomplete")
    assert events[-1].response.output_text == answer.output_text


def test_models(client):
    model = client.models.list().data[0]
    assert model.id == "tiny"
    assert client.models.retrieve("tiny").id == "tiny"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-4o")


def test_errors_are_those_of_the_package(client):
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "word " * 5000}])
    assert refused.value.code == "context_length_exceeded" and refused.value.body["n_ctx"] == 2048
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="tiny", messages=QUESTION, extra_body={"temperature": "hot"})
    assert refused.value.param == "temperature"


def test_the_second_time_comes_from_the_cache(client):
    options = dict(model="tiny", messages=QUESTION, max_tokens=5, temperature=0, seed=99)
    first = client.chat.completions.with_raw_response.create(**options)
    second = client.chat.completions.with_raw_response.create(**options)
    assert (first.headers["x-cache"], second.headers["x-cache"]) == ("miss", "hit")
    assert first.parse().choices[0].message.content == second.parse().choices[0].message.content

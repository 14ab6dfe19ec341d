"""The official `openai` package: answers that come while they are made, with the plain and with the asynchronous client."""
import asyncio
import time

import openai
import pytest


def text_of(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def test_stream_tells_what_the_whole_answer_tells(client, ask):
    # Greedy, so the seed changes nothing but the key of the cache of results: both are made anew.
    whole = client.chat.completions.create(**ask, seed=1)
    chunks = list(client.chat.completions.create(**ask, seed=2, stream=True))
    assert text_of(chunks) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len({chunk.id for chunk in chunks}) == 1 and all(chunk.object == "chat.completion.chunk" for chunk in chunks)
    assert [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason] == [
        whole.choices[0].finish_reason
    ]
    assert all(chunk.usage is None for chunk in chunks)


def test_usage_is_the_last_chunk_where_it_is_asked_for(client, ask):
    whole = client.chat.completions.create(**ask, seed=3)
    chunks = list(client.chat.completions.create(**ask, seed=4, stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == [] and all(chunk.usage is None for chunk in chunks[:-1])
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens
    assert chunks[-1].usage.prompt_tokens == whole.usage.prompt_tokens


def test_tokens_flow(client, ask):
    """The first piece is there well before the last one: nothing collects the answer on its way."""
    begin = time.monotonic()
    long = ask | {"seed": 11, "temperature": 0.5, "max_tokens": 120, "extra_body": {"ignore_eos": True, "loop_guard": False}}
    times = [time.monotonic() - begin for chunk in client.chat.completions.create(**long, stream=True) if text_of([chunk])]
    assert len(times) > 60 and times[0] < times[-1] / 2


def test_the_helper_of_the_package_builds_the_answer(client, ask):
    # An answer that the limit cuts is an error for this helper, so a stop string ends it.
    with client.chat.completions.stream(**ask | {"stop": [" the", "."]}) as stream:
        deltas = [event.delta for event in stream if event.type == "content.delta"]
        final = stream.get_final_completion()
    assert "".join(deltas) == final.choices[0].message.content != ""


def test_leaving_early_frees_the_service(client, service, ask):
    endless = ask | {"max_tokens": 4000, "extra_body": {"ignore_eos": True, "loop_guard": False}}
    with client.chat.completions.create(**endless, stream=True) as stream:
        for chunk, _ in zip(stream, range(3)):
            assert chunk.id
    deadline = time.monotonic() + 5
    while service.get("/health")[1]["running"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert service.get("/health")[1]["running"] == 0


def test_streams_of_two_choices_are_apart(client, ask):
    chunks = list(client.chat.completions.create(**ask | {"n": 2, "temperature": 1.0, "seed": 3}, stream=True))
    texts = {index: text_of([c for c in chunks if c.choices and c.choices[0].index == index]) for index in (0, 1)}
    assert texts[0] and texts[1] and texts[0] != texts[1]


def test_asynchronous_client(service, ask):
    async def talk():
        async with openai.AsyncOpenAI(base_url=service.openai_url, api_key="none", max_retries=0) as client:
            whole = await client.chat.completions.create(**ask)
            made = (client.chat.completions.create(**ask, seed=seed, stream=True) for seed in range(10, 14))
            streams = await asyncio.gather(*made)
            texts = await asyncio.gather(*(read(stream) for stream in streams))
            return whole.choices[0].message.content, texts

    async def read(stream):
        return text_of([chunk async for chunk in stream])

    whole, texts = asyncio.run(talk())
    assert whole and texts == [whole] * 4


def test_a_refused_stream_is_an_error_and_no_stream(client, ask):
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(**ask | {"temperature": -1}, stream=True)

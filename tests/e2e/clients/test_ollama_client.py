"""The official `ollama` package, unchanged, against the service: chats, completions, the list of models, streams."""
import asyncio
import datetime

import ollama
import pytest

OPTIONS = {"temperature": 0, "num_predict": 24, "seed": 1}
QUESTION = [{"role": "user", "content": "Write one sentence about the sea."}]


@pytest.fixture
def ollama_client(service):
    return ollama.Client(host=service.url)


def test_chat(ollama_client):
    answer = ollama_client.chat(model="reckon", messages=QUESTION, options=OPTIONS)
    assert answer.message.role == "assistant" and answer.message.content.strip() and answer.done
    assert answer.done_reason in ("stop", "length") and answer.model
    assert 0 < answer.eval_count <= 24 and answer.prompt_eval_count > 5
    assert answer.total_duration >= answer.eval_duration > 0  # nanoseconds
    assert datetime.datetime.fromisoformat(answer.created_at.replace("Z", "+00:00")).year > 2020


def test_chat_is_the_chat_of_openai(ollama_client, client, ask):
    ours = ollama_client.chat(model="reckon", messages=QUESTION, options=OPTIONS).message.content
    assert ours == client.chat.completions.create(**ask).choices[0].message.content


def test_chat_stream(ollama_client):
    options = OPTIONS | {"seed": 11}  # no other test's: an answer from the cache of results comes in one piece
    parts = list(ollama_client.chat(model="reckon", messages=QUESTION, options=options, stream=True))
    whole = ollama_client.chat(model="reckon", messages=QUESTION, options=options).message.content
    assert len(parts) > 3 and "".join(part.message.content or "" for part in parts) == whole
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert parts[-1].eval_count > 0


def test_generate(ollama_client):
    answer = ollama_client.generate(model="reckon", prompt="Write one sentence about the sea.", options=OPTIONS)
    assert answer.response.strip() and answer.done and answer.eval_count <= 24
    parts = list(ollama_client.generate(model="reckon", prompt="Write one sentence about the sea.", options=OPTIONS, stream=True))
    assert "".join(part.response for part in parts) == answer.response


def test_generate_raw_leaves_the_template_out(ollama_client, client):
    raw = ollama_client.generate(model="reckon", prompt="The sea is", raw=True, options=OPTIONS | {"num_predict": 8})
    assert raw.response == client.completions.create(model="reckon", prompt="The sea is", temperature=0, max_tokens=8).choices[0].text


def test_stop_and_limit(ollama_client):
    cut = ollama_client.chat(model="reckon", messages=QUESTION, options=OPTIONS | {"num_predict": 3})
    assert cut.eval_count == 3 and cut.done_reason == "length"
    whole = ollama_client.chat(model="reckon", messages=QUESTION, options=OPTIONS).message.content
    word = whole.split()[2]
    stopped = ollama_client.chat(model="reckon", messages=QUESTION, options=OPTIONS | {"stop": [word]})
    assert stopped.message.content == whole[: whole.index(word)] and stopped.done_reason == "stop"


def test_form(ollama_client):
    import json

    schema = {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 150}}, "required": ["age"], "additionalProperties": False}
    question = [{"role": "user", "content": "Ada is 36 years old. Answer with JSON."}]
    answer = ollama_client.chat(model="reckon", messages=question, format=schema, options=OPTIONS | {"num_predict": 60})
    assert isinstance(json.loads(answer.message.content)["age"], int)


def test_models(ollama_client):
    (model,) = ollama_client.list().models
    assert model.model.split(":")[0] == "reckon" and model.size > 1e6 and model.details.quantization_level
    shown = ollama_client.show(model.model)
    assert shown.details.family and shown.modelinfo and "completion" in shown.capabilities
    (running,) = ollama_client.ps().models
    assert running.model == model.model and running.size > 0
    assert service_version(ollama_client)


def service_version(made):
    return made._client.get("/api/version").json()["version"]


def test_unknown_model(ollama_client):
    with pytest.raises(ollama.ResponseError) as error:
        ollama_client.chat(model="llama3.2", messages=QUESTION)
    assert error.value.status_code == 404 and "llama3.2" in error.value.error


def test_bad_option(ollama_client):
    with pytest.raises(ollama.ResponseError) as error:
        ollama_client.chat(model="reckon", messages=QUESTION, options={"temperature": -3})
    assert error.value.status_code == 400 and "temperature" in error.value.error


def test_asynchronous_client(service):
    async def talk():
        made = ollama.AsyncClient(host=service.url)
        whole = (await made.chat(model="reckon", messages=QUESTION, options=OPTIONS)).message.content
        parts = [part.message.content or "" async for part in await made.chat(model="reckon", messages=QUESTION, options=OPTIONS, stream=True)]
        return whole, "".join(parts)

    whole, streamed = asyncio.run(talk())
    assert whole == streamed != ""

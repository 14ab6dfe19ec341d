"""The official `ollama` package against the service."""
import json

import ollama
import pytest

HI = [{"role": "user", "content": "Say hello."}]
SHORT = {"num_predict": 8, "temperature": 0}


@pytest.fixture(scope="module")
def ollama_client(server):
    return ollama.Client(host=server.url, timeout=300)


def test_chat(ollama_client):
    answer = ollama_client.chat(model="tiny", messages=HI, options=SHORT)
    assert answer.message.content
    assert answer.done and answer.done_reason in ("stop", "length")
    assert 0 < answer.eval_count <= 8
    assert answer.prompt_eval_count > 0 and answer.total_duration > 0


def test_a_streamed_chat_is_the_same_text(ollama_client):
    whole = ollama_client.chat(model="tiny:latest", messages=HI, options=SHORT)
    parts = list(ollama_client.chat(model="tiny:latest", messages=HI, options=SHORT, stream=True))
    assert "".join(part.message.content for part in parts) == whole.message.content
    assert [part.done for part in parts].count(True) == 1 and parts[-1].done


def test_generate(ollama_client):
    answer = ollama_client.generate(model="tiny", prompt="Once upon", raw=True, options=SHORT)
    assert answer.response
    parts = list(ollama_client.generate(model="tiny", prompt="Once upon", raw=True, options=SHORT, stream=True))
    assert "".join(part.response for part in parts) == answer.response


def test_a_schema_holds_the_answer(ollama_client):
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"],
              "additionalProperties": False}
    answer = ollama_client.chat(model="tiny", messages=HI, format=schema, options={"num_predict": 200})
    assert set(json.loads(answer.message.content)) == {"a"}


def test_tools_are_taken(ollama_client):
    def get_weather(city: str) -> str:
        """Tells the weather.

        Args:
          city: where
        """
        return city

    answer = ollama_client.chat(model="tiny", messages=HI, tools=[get_weather], options=SHORT)
    assert answer.message.content or answer.message.tool_calls


def test_think_is_refused_where_the_model_does_not(ollama_client):
    if "thinking" in ollama_client.show("tiny").capabilities:
        assert ollama_client.chat(model="tiny", messages=HI, think=True, options=SHORT).message.thinking
        return
    with pytest.raises(ollama.ResponseError, match="does not support thinking"):
        ollama_client.chat(model="tiny", messages=HI, think=True, options=SHORT)


def test_what_there_is(ollama_client):
    listed = ollama_client.list().models
    assert len(listed) == 1 and listed[0].model.endswith(":latest") and listed[0].details.format == "gguf"
    assert ollama_client.ps().models[0].context_length == 2048
    shown = ollama_client.show("tiny")
    assert "completion" in shown.capabilities
    family = shown.modelinfo["general.architecture"]
    assert shown.modelinfo[family + ".context_length"] > 0
    with pytest.raises(ollama.ResponseError) as error:
        ollama_client.chat(model="nosuch", messages=HI)
    assert error.value.status_code == 404 and error.value.error.startswith('model "nosuch" not found')


def test_embed(ollama_client):
    vectors = ollama_client.embed(model="tiny", input=["a dog", "a cat"]).embeddings
    assert len(vectors) == 2
    assert sum(x * x for x in vectors[0]) == pytest.approx(1, abs=1e-3)
    assert len(ollama_client.embeddings(model="tiny", prompt="a dog").embedding) == len(vectors[0])

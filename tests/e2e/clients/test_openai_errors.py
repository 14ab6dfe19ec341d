"""The official `openai` package: each refusal is the exception that the package has for it, and names field and remedy."""
import openai
import pytest

from service import Service


@pytest.mark.parametrize("field,value", [
    ("temperature", -1), ("temperature", "hot"), ("top_p", 2), ("max_tokens", -5), ("n", 0), ("stop", 5), ("messages", []),
    ("messages", "hello"), ("top_logprobs", 99), ("logit_bias", {"1": 1000}), ("presence_penalty", 3),
    ("response_format", {"type": "poem"}), ("tools", "all"),
])
def test_bad_values_are_named(client, ask, field, value):
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**ask | {field: value})
    body = error.value.body
    assert error.value.status_code == 400 and body["type"] == "invalid_request_error"
    assert field in body["param"] and field in body["message"], body


def test_unknown_model_is_not_found(client, ask):
    with pytest.raises(openai.NotFoundError) as error:
        client.chat.completions.create(**ask | {"model": "gpt-4o"})
    assert error.value.code == "model_not_found" and "gpt-4o" in error.value.message


def test_too_long_a_prompt_says_by_how_much(client, ask):
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**ask | {"messages": [{"role": "user", "content": "word " * 9000}]})
    assert error.value.code == "context_length_exceeded" and "8192" in error.value.message


def test_pictures_are_refused(client, ask):
    picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**ask | {"messages": [{"role": "user", "content": picture}]})
    assert "image" in error.value.message


def test_unknown_fields_are_told(client, ask):
    answer = client.chat.completions.create(**ask, extra_body={"max_token": 5})
    assert any("max_token" in warning for warning in answer.warnings)


def test_a_path_that_does_not_exist(client):
    with pytest.raises(openai.NotFoundError):
        client.files.list()


@pytest.fixture
def locked(binary, model, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("ada:sk-ada-0123456789abcdef0123456789abcdef\n")
    keys.chmod(0o600)
    running = Service(binary, model, tmp_path / "log", "--api-key-file", keys, "--alias", "reckon", "--ctx", 512)
    yield running
    running.stop()


def test_keys(locked, ask):
    def client(key):
        return openai.OpenAI(base_url=locked.openai_url, api_key=key, max_retries=0)

    with pytest.raises(openai.AuthenticationError) as error:
        client("sk-wrong").chat.completions.create(**ask)
    assert "sk-wrong" not in error.value.message
    assert client("sk-ada-0123456789abcdef0123456789abcdef").chat.completions.create(**ask).choices
    assert locked.get("/health")[0] == 200 and locked.get("/v1/models")[0] == 401

"""The OpenAPI document that is served: valid, and both requests and answers are as it says."""
import json

import jsonschema
import openapi_spec_validator
import pytest

CHAT = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 2}
TEXT = {"prompt": "The river", "max_tokens": 2}
WITHOUT_EFFECT = "without an effect"
TYPES = {"boolean": True, "integer": 1, "number": 0.5, "string": "x", "array": [], "object": {}}


@pytest.fixture(scope="module")
def document(server):
    status, document = server.get("/openapi.json")
    assert status == 200
    return document


@pytest.fixture(scope="module")
def check(document):
    """Whether an answer is what the schema of this name says, with no member that it does not know."""

    def run(name, answer):
        schema = document["components"]["schemas"][name]
        jsonschema.validate(answer, {**schema, "components": document["components"]}, jsonschema.Draft202012Validator)
        assert set(answer) <= set(schema["properties"]), name
        for choice in answer.get("choices", []):
            assert set(choice) <= set(schema["properties"]["choices"]["items"]["properties"]), name

    return run


def test_the_document_is_valid(document):
    assert document["openapi"].startswith("3.1")
    openapi_spec_validator.validate(document)


def allowed(schema):
    """The JSON types that a schema allows."""
    if "anyOf" in schema:
        return set().union(*(allowed(one) for one in schema["anyOf"]))
    if "const" in schema or "enum" in schema and "type" not in schema:
        return {"string"}
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return set(types)


def values(schema):
    """One value of each type that it allows."""
    for one in schema.get("anyOf", [schema]):
        for kind in sorted(allowed(one) - {"null"}):
            if kind in ("integer", "number"):
                yield min(max(one.get("minimum", 1), 1), one.get("maximum", 1))
            elif "enum" in one:
                yield one["enum"][-2] if one["enum"][-1] is None else one["enum"][-1]
            elif kind == "string":
                yield "" if one.get("maxLength") == 0 else "x"
            elif kind == "array":
                yield []
            elif kind == "object":
                yield {}
            else:
                yield False


# What needs a value that fits it, or others beside it.
GIVEN = {
    "model": {"model": "tiny"}, "messages": {}, "prompt": {}, "stream": {"stream": False},
    "stream_options": {"stream": True, "stream_options": {"include_usage": True}},
    "top_logprobs": {"logprobs": True, "top_logprobs": 2},
    "tools": {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]},
    "tool_choice": {"tool_choice": "none"}, "grammar": {"grammar": 'root ::= "a"'},
    "response_format": {"response_format": {"type": "text"}},
    "continue_final_message": {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "So"}],
                               "add_generation_prompt": False, "continue_final_message": True},
    "thinking": {"thinking": "auto"}, "stop_token_ids": {"stop_token_ids": [2]}, "chat_template_kwargs": {"chat_template_kwargs": {"x": 1}},
}


@pytest.mark.parametrize(("path", "name", "body"), [("/v1/chat/completions", "ChatRequest", CHAT), ("/v1/completions", "CompletionRequest", TEXT)])
def test_every_field_of_a_request_is_taken(server, document, path, name, body):
    for field, schema in document["components"]["schemas"][name]["properties"].items():
        if "$ref" in schema:
            schema = {"type": ["object", "null"]}
        for extra in [GIVEN[field]] if field in GIVEN else [{field: value} for value in values(schema)] + [{field: None}]:
            status, answer = server.post(path, body | extra)
            assert status == 200, (field, extra, answer)
            if isinstance(answer, dict):
                assert not any(field in warning and "unknown" in warning for warning in answer.get("warnings", [])), answer


@pytest.mark.parametrize(("path", "name", "body"), [("/v1/chat/completions", "ChatRequest", CHAT), ("/v1/completions", "CompletionRequest", TEXT)])
def test_a_field_of_the_wrong_kind_or_size_is_named(server, document, path, name, body):
    for field, schema in document["components"]["schemas"][name]["properties"].items():
        schema = {"type": ["object", "null"]} if "$ref" in schema else schema
        if WITHOUT_EFFECT in schema.get("description", ""):
            continue
        kinds = allowed(schema) | ({"integer"} if "number" in allowed(schema) else set())
        wrong = [value for kind, value in TYPES.items() if kind not in kinds and not (kind == "number" and "integer" in kinds)]
        for one in [schema] + schema.get("anyOf", []):
            wrong += [one[bound] + step for bound, step in (("minimum", -1), ("maximum", 1)) if bound in one]
        for value in wrong:
            status, answer = server.post(path, body | {field: value})
            assert status == 400, (field, value, answer)
            assert field in answer["error"]["message"], (field, value, answer)


def test_a_field_that_is_not_in_the_document_is_told(server):
    _, answer = server.post("/v1/chat/completions", CHAT | {"max_token": 3})
    assert any("max_token" in warning for warning in answer["warnings"])


def events(server, path, body):
    _, text = server.post(path, body | {"stream": True})
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_answers_are_as_the_document_says(server, check):
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    for extra in ({}, {"logprobs": True, "top_logprobs": 2}, {"n": 2, "temperature": 1}, {"max_token": 1}, {"tools": [tool], "tool_choice": "required", "max_tokens": 40}):
        _, answer = server.post("/v1/chat/completions", CHAT | extra)
        check("ChatCompletion", answer)
        check("Usage", answer["usage"])
        check("Timings", answer["timings"])
        for chunk in events(server, "/v1/chat/completions", CHAT | extra | {"stream_options": {"include_usage": True}, "return_progress": True}):
            check("ChatCompletionChunk", chunk)
    for extra in ({}, {"logprobs": 2, "echo": True}, {"best_of": 2, "temperature": 1}):
        _, answer = server.post("/v1/completions", TEXT | extra)
        check("Completion", answer)
    for chunk in events(server, "/v1/completions", TEXT):
        check("Completion", chunk)
    for body in ({"input": "a"}, {"input": ["a", "b"], "encoding_format": "base64"}):
        check("Embeddings", server.post("/v1/embeddings", body)[1])
    check("Models", server.get("/v1/models")[1])
    check("Model", server.get("/v1/models/tiny")[1])
    check("Tokens", server.post("/tokenize", {"content": "a b", "with_pieces": True})[1])
    check("Text", server.post("/detokenize", {"tokens": [1, 2]})[1])
    check("RenderedPrompt", server.post("/apply-template", CHAT)[1])
    for status, answer in (server.post("/v1/chat/completions", {}), server.post("/v1/chat/completions", CHAT | {"n": 0})):
        assert status == 400
        check("Error", answer)

"""The official `openai` package: calls of tools and answers of a given form."""
import json

import openai
import pydantic
import pytest

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "enum": ["Paris", "Rome"]}, "unit": {"enum": ["celsius", "fahrenheit"]}},
            "required": ["city", "unit"],
            "additionalProperties": False,
        },
    },
}
QUESTION = {"model": "reckon", "messages": [{"role": "user", "content": "What is the weather in Paris?"}], "temperature": 0, "max_tokens": 120}


class Person(pydantic.BaseModel):
    name: str = pydantic.Field(max_length=20)
    age: int
    is_tall: bool


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}])
def test_a_call_that_is_required_is_made(client, choice):
    answer = client.chat.completions.create(**QUESTION, tools=[WEATHER], tool_choice=choice).choices[0]
    assert answer.finish_reason in ("tool_calls", "stop") and answer.message.tool_calls
    call = answer.message.tool_calls[0]
    arguments = json.loads(call.function.arguments)
    assert call.id and call.type == "function" and call.function.name == "get_weather"
    assert arguments["city"] in ("Paris", "Rome") and set(arguments) == {"city", "unit"}


def test_a_streamed_call_is_the_same(client):
    whole = client.chat.completions.create(**QUESTION, tools=[WEATHER], tool_choice="required").choices[0].message.tool_calls[0]
    name, arguments = "", ""
    for chunk in client.chat.completions.create(**QUESTION, tools=[WEATHER], tool_choice="required", stream=True):
        for call in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            name += call.function.name or ""
            arguments += call.function.arguments or ""
    assert name == "get_weather" and json.loads(arguments) == json.loads(whole.function.arguments)


def test_the_round_trip(client):
    call = client.chat.completions.create(**QUESTION, tools=[WEATHER], tool_choice="required").choices[0].message
    messages = QUESTION["messages"] + [
        call.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call.tool_calls[0].id, "content": "Sunny, 21 degrees"},
    ]
    answer = client.chat.completions.create(**QUESTION | {"messages": messages}, tools=[WEATHER], tool_choice="none")
    assert answer.choices[0].message.content and not answer.choices[0].message.tool_calls


def test_tools_that_are_not_wanted_are_not_called(client):
    answer = client.chat.completions.create(**QUESTION, tools=[WEATHER], tool_choice="none").choices[0]
    assert not answer.message.tool_calls and answer.finish_reason in ("stop", "length")


def test_parse_gives_the_class(client):
    messages = [{"role": "user", "content": "Ada is 36 years old and tall. Describe her as JSON."}]
    answer = client.chat.completions.parse(model="reckon", messages=messages, response_format=Person, temperature=0, max_tokens=200)
    person = answer.choices[0].message.parsed
    assert isinstance(person, Person) and person.name


def test_parse_works_on_a_stream(client):
    messages = [{"role": "user", "content": "Ada is 36 years old and tall. Describe her as JSON."}]
    with client.chat.completions.stream(model="reckon", messages=messages, response_format=Person, temperature=0, max_tokens=200) as stream:
        assert isinstance(stream.get_final_completion().choices[0].message.parsed, Person)


def test_any_json_object(client):
    messages = [{"role": "user", "content": "Give me a JSON object with one key."}]
    answer = client.chat.completions.create(model="reckon", messages=messages, response_format={"type": "json_object"}, temperature=0, max_tokens=300)
    if answer.choices[0].finish_reason == "stop":
        assert isinstance(json.loads(answer.choices[0].message.content), dict)
    else:  # a small model may never close its object; what is there must still be the begin of one
        assert answer.choices[0].message.content.lstrip().startswith("{")


def test_a_form_that_cannot_be_kept_is_refused(client):
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "unevaluatedProperties": False, "$dynamicRef": "#a"}}}
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**QUESTION, response_format=schema)
    assert "unevaluatedProperties" in error.value.message or "$dynamicRef" in error.value.message

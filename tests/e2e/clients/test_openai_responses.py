"""The official `openai` package: the newer responses interface, without state on the side of the service."""
import openai
import pytest

SEA = {"model": "reckon", "input": "Write one sentence about the sea.", "temperature": 0, "max_output_tokens": 24}


def test_text_in_text_out(client):
    answer = client.responses.create(**SEA)
    assert answer.object == "response" and answer.id and answer.model == "reckon"
    assert answer.output_text.strip() and answer.status in ("completed", "incomplete")
    assert answer.output[-1].type == "message" and answer.output[-1].content[0].type == "output_text"
    assert answer.usage.output_tokens <= 24 and answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens


def test_it_is_the_chat_in_another_form(client, ask):
    chat = client.chat.completions.create(**ask).choices[0].message.content
    assert client.responses.create(**SEA).output_text == chat


def test_a_cut_answer_says_why(client):
    answer = client.responses.create(**SEA | {"max_output_tokens": 2})
    assert answer.status == "incomplete" and answer.incomplete_details.reason == "max_output_tokens"


def test_events_of_a_stream(client):
    whole = client.responses.create(**SEA).output_text
    events = list(client.responses.create(**SEA, stream=True))
    kinds = [event.type for event in events]
    assert kinds[0] == "response.created" and kinds[-1] in ("response.completed", "response.incomplete")
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole
    assert events[-1].response.output_text == whole and "response.output_text.done" in kinds
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_the_helper_of_the_package(client):
    # An answer that is cut ends with response.incomplete, which the helper does not take for an end.
    with client.responses.stream(**{**SEA, "max_output_tokens": 400}) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        assert stream.get_final_response().output_text == text != ""


def test_instructions_and_turns(client):
    turns = [
        {"role": "user", "content": "My name is Ada."},
        {"role": "assistant", "content": "Hello Ada."},
        {"role": "user", "content": [{"type": "input_text", "text": "What is my name?"}]},
    ]
    with_rules = client.responses.create(model="reckon", instructions="Be brief.", input=turns, max_output_tokens=4)
    without = client.responses.create(model="reckon", input=turns[-1:], max_output_tokens=4)
    assert with_rules.usage.input_tokens > without.usage.input_tokens


def test_state_is_refused_with_the_remedy(client):
    with pytest.raises(openai.APIStatusError) as error:
        client.responses.create(**SEA, previous_response_id="resp_1")
    assert error.value.status_code in (400, 404) and "previous_response_id" in error.value.message

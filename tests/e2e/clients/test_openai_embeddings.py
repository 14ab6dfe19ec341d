"""The official `openai` package: embeddings, which the package asks for in base64 unless told otherwise."""
import math

import openai
import pytest


def length(vector):
    return math.sqrt(sum(x * x for x in vector))


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / length(a) / length(b)


def test_a_vector_of_length_one(client):
    answer = client.embeddings.create(model="reckon", input="The sea is deep.")
    (item,) = answer.data
    assert answer.object == "list" and item.object == "embedding" and item.index == 0
    assert len(item.embedding) >= 64 and abs(length(item.embedding) - 1) < 1e-3
    assert answer.usage.prompt_tokens == answer.usage.total_tokens > 0


def test_base64_and_numbers_are_the_same(client):
    coded = client.embeddings.create(model="reckon", input="The sea", encoding_format="base64").data[0].embedding
    numbers = client.embeddings.create(model="reckon", input="The sea", encoding_format="float").data[0].embedding
    decoded = client.embeddings.create(model="reckon", input="The sea").data[0].embedding
    assert isinstance(coded, str)
    assert len(decoded) == len(numbers) and max(abs(a - b) for a, b in zip(decoded, numbers)) < 1e-5


def test_a_list_keeps_its_order_and_company_changes_nothing(client):
    texts = ["The ocean is deep and blue.", "The sea is deep and blue.", "int main() { return 0; }"]
    together = client.embeddings.create(model="reckon", input=texts).data
    assert [item.index for item in together] == [0, 1, 2]
    alone = [client.embeddings.create(model="reckon", input=text).data[0].embedding for text in texts]
    assert all(cosine(item.embedding, one) > 0.999 for item, one in zip(together, alone))
    assert cosine(alone[0], alone[1]) > cosine(alone[0], alone[2])


def test_token_ids(client, service):
    ids = service.post("/tokenize", {"content": "The sea"})[1]["tokens"]
    by_ids = client.embeddings.create(model="reckon", input=ids).data[0].embedding
    assert cosine(by_ids, client.embeddings.create(model="reckon", input="The sea").data[0].embedding) > 0.999


@pytest.mark.parametrize("text", ["", [], "word " * 9000])
def test_what_cannot_be_embedded_is_refused(client, text):
    with pytest.raises(openai.BadRequestError) as error:
        client.embeddings.create(model="reckon", input=text)
    assert error.value.param == "input"

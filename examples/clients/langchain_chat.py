import os

from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field

chat = ChatOpenAI(
    model=os.environ.get("RECKON_MODEL_NAME", "reckon"),
    base_url=os.environ.get("RECKON_URL", "http://127.0.0.1:8080") + "/v1",
    api_key="none",
    max_tokens=200,
)

for piece in chat.stream("Why is the sky blue?"):
    print(piece.content, end="", flush=True)
print()


class Person(BaseModel):
    name: str = Field(max_length=30)
    age: int = Field(ge=0, le=150)


as_person = chat.with_structured_output(Person, method="json_schema")
print(as_person.invoke("Ada is 36 years old. Describe her as JSON."))

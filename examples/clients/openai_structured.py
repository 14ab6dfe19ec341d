import os

from openai import OpenAI
from pydantic import BaseModel, Field

client = OpenAI(base_url=os.environ.get("RECKON_URL", "http://127.0.0.1:8080") + "/v1", api_key="none")
model = client.models.list().data[0].id


class Person(BaseModel):
    name: str = Field(max_length=30)
    age: int = Field(ge=0, le=150)


answer = client.chat.completions.parse(
    model=model,
    messages=[{"role": "user", "content": "Ada is 36 years old. Describe her as JSON."}],
    response_format=Person,
    max_tokens=200,
)
print(answer.choices[0].message.parsed)

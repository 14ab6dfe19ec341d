import os

from openai import OpenAI

client = OpenAI(base_url=os.environ.get("RECKON_URL", "http://127.0.0.1:8080") + "/v1", api_key="none")
model = client.models.list().data[0].id

answer = client.chat.completions.create(
    model=model,
    messages=[{"role": "user", "content": "Why is the sky blue?"}],
    max_tokens=64,
)
print(answer.choices[0].message.content)
print(answer.usage.completion_tokens, "tokens,", answer.timings["tokens_per_second"], "a second")

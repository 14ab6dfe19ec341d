import os

from openai import OpenAI

client = OpenAI(base_url=os.environ.get("RECKON_URL", "http://127.0.0.1:8080") + "/v1", api_key="none")
model = client.models.list().data[0].id

stream = client.chat.completions.create(
    model=model,
    messages=[{"role": "user", "content": "What is 17 times 23?"}],
    max_tokens=256,
    stream=True,
    extra_body={"thinking_budget": 128},  # tokens of thought; then the model must answer
)
in_thought = False
for chunk in stream:
    if not chunk.choices:
        continue
    delta = chunk.choices[0].delta
    thought = getattr(delta, "reasoning_content", None)
    if thought and not in_thought:
        print("[thinking]")
    if in_thought and delta.content:
        print("\n[answer]")
    in_thought = bool(thought) or (in_thought and not delta.content)
    print(thought or delta.content or "", end="", flush=True)
print()

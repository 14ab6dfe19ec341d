import os

import ollama

client = ollama.Client(host=os.environ.get("RECKON_URL", "http://127.0.0.1:8080"))
model = client.list().models[0].model

question = [{"role": "user", "content": "Why is the sky blue?"}]
for part in client.chat(model=model, messages=question, options={"num_predict": 64}, stream=True):
    print(part.message.content or "", end="", flush=True)
print()

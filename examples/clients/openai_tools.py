import json
import os

from openai import OpenAI

client = OpenAI(base_url=os.environ.get("RECKON_URL", "http://127.0.0.1:8080") + "/v1", api_key="none")
model = client.models.list().data[0].id


def get_weather(city):
    return f"21 degrees and sunny in {city}"


tools = [{
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 40}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}]
messages = [{"role": "user", "content": "What is the weather in Paris?"}]
asked = client.chat.completions.create(model=model, messages=messages, tools=tools, tool_choice="required", max_tokens=128)
call = asked.choices[0].message.tool_calls[0]
result = get_weather(**json.loads(call.function.arguments))
print("called:", call.function.name, call.function.arguments)

messages += [
    asked.choices[0].message.model_dump(exclude_none=True),
    {"role": "tool", "tool_call_id": call.id, "content": result},
]
answer = client.chat.completions.create(model=model, messages=messages, tools=tools, tool_choice="none", max_tokens=64)
print(answer.choices[0].message.content)

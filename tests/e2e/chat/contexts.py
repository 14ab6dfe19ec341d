"""The conversations that every template is rendered with, and the variants of each."""

import itertools

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Current weather & forecast of a \"place\".\nSecond line: <b>ünïcode</b> 天气",
            "parameters": {
                "type": "object",
                "properties": {
                    "place": {"type": "string", "description": "City, e.g. Tromsø"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "options": {
                        "type": "object",
                        "properties": {"hourly": {"type": "boolean"}, "factor": {"type": "number", "default": 0.5}},
                    },
                },
                "required": ["place"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "no_arguments",
            "description": "Takes nothing.",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]

EXTRA = {"name": "bare", "description": "A tool without the wrapper.", "parameters": {"type": "object", "properties": {
    "x": {"type": ["string", "null"]}, "y": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}, "required": ["x"]}}

SYSTEM = {"role": "system", "content": "You are Reckon.\n\nBe brief, \"quote\" & <tag>.  "}
USER = {"role": "user", "content": "What's 17 × 3? {{ not a template }} <|im_end|></think>"}
SECOND = {"role": "user", "content": "  And in Tromsø?\n"}


def call(arguments, call_id="call00001", name="get_weather"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def conversations():
    """Name -> messages."""
    answer = {"role": "assistant", "content": "It is 51.\n"}
    arguments = {"place": "Tromsø", "days": 3, "tags": ["a", "b\"c"], "options": {"hourly": True, "factor": 1.5, "none": None}}
    yield "user", [USER]
    yield "multi_turn", [USER, answer, SECOND]
    yield "reasoning", [USER, {**answer, "reasoning_content": "17 × 3 = 51.\n"}, SECOND]
    yield "inline_thought", [USER, {"role": "assistant", "content": "<think>\na</think>b </think> c"}, SECOND]
    yield "empty_thought", [USER, {"role": "assistant", "content": "<think>\n\n</think>\n\nYes."}, SECOND]
    yield "assistant_last", [USER, answer]
    yield "tool_call", [USER, {"role": "assistant", "content": "", "tool_calls": [call(arguments)]},
                        {"role": "tool", "name": "get_weather", "tool_call_id": "call00001", "content": "{\"t\": -3.5}"}]
    yield "tool_call_answered", [USER, {"role": "assistant", "content": "", "tool_calls": [call(arguments)]},
                                 {"role": "tool", "name": "get_weather", "tool_call_id": "call00001", "content": "-3.5 °C"},
                                 {"role": "assistant", "content": "Cold."}, SECOND]
    yield "tool_call_none", [USER, {"role": "assistant", "content": None, "tool_calls": [call(arguments)]},
                             {"role": "tool", "tool_call_id": "call00001", "content": "-3.5 °C"}]
    yield "tool_call_text", [USER, {"role": "assistant", "content": "Let me see.", "reasoning_content": "I need a tool.",
                                    "tool_calls": [call("{\"place\": \"Tromsø\"}"), call("{}", "call00002", "no_arguments")]},
                             {"role": "tool", "name": "get_weather", "tool_call_id": "call00001", "content": "-3.5 °C"},
                             {"role": "tool", "name": "no_arguments", "tool_call_id": "call00002", "content": "ok"}]
    yield "tool_call_bare", [USER, {"role": "assistant", "tool_calls": [
        {"name": "get_weather", "id": "call00001", "arguments": {"place": "x"}}]}, {"role": "tool", "content": ["a", 1]}]
    yield "parts", [{"role": "user", "content": [{"type": "text", "text": "One."}, {"type": "text", "text": " Two."}]}]
    yield "image", [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What is it?"}]}]
    yield "two_users", [USER, SECOND]
    yield "system_later", [USER, answer, SYSTEM, SECOND]
    yield "developer", [{"role": "developer", "content": "Rules."}, USER]
    yield "strange_role", [{"role": "critic", "content": "Hm."}]
    yield "no_content", [{"role": "user"}]
    yield "empty", []
    yield "unicode", [{"role": "user", "content": "\u2028\x85 é\U0001f600\x00\x1f \t\r\n end \u00a0"}]
    yield "long", [m for i in range(12) for m in ({"role": "user", "content": f"Question {i}?"},
                                                  {"role": "assistant", "content": f"Answer {i}.", "reasoning_content": f"r{i}"})
                   ] + [SECOND]


def contexts():
    """(name, context): every conversation x system x tools x generation prompt x thinking."""
    tool_choices = {"no_tools": None, "tools": TOOLS, "bare_tools": [TOOLS[0], EXTRA]}
    thinking = {"auto": None, "think": True, "nothink": False}
    for (name, messages), system, (tools_name, tools), prompt, (think_name, think) in itertools.product(
            conversations(), (False, True), tool_choices.items(), (True, False), thinking.items()):
        context = {
            "messages": ([SYSTEM] if system else []) + messages,
            "bos_token": "<|bos|>",
            "eos_token": "<|eos|>",
            "add_generation_prompt": prompt,
        }
        if tools is not None:
            context["tools"] = tools
        if think is not None:
            context["enable_thinking"] = think
        parts = [name, "system" if system else "plain", tools_name, "prompt" if prompt else "noprompt", think_name]
        yield "-".join(parts), context

"""What goes wrong elsewhere with contexts, caches and memory. See docs/REPORTS.md."""
import concurrent.futures
import pathlib
import re

from sse import Stream, chat
from watch import becomes, metric


def test_a_prompt_is_never_cut_in_silence(service):
    filler = "The river is wide and the bridge is old. " * 700
    status, reply = service.post("/v1/chat/completions", chat("密码是 ANANAS-7734。" + filler + "密码是什么？"))
    assert status == 400
    numbers = [int(number) for number in re.findall(r"\d+", reply["error"]["message"])]
    assert 1024 in numbers and max(numbers) > 6000


def test_each_client_has_the_context_that_is_told(start):
    service = start("--ctx", 512, "--parallel", 4)
    _, models = service.get("/v1/models")
    assert models["data"][0]["meta"]["n_ctx"] == 512
    bodies = [chat(f"Story {i}.", max_tokens=120, ignore_eos=True, loop_guard=False) for i in range(4)]
    bodies.append(chat("word " * 800))
    with concurrent.futures.ThreadPoolExecutor() as clients:
        replies = list(clients.map(lambda body: service.post("/v1/chat/completions", body), bodies))
    assert [status for status, _ in replies] == [200] * 4 + [400]
    assert [reply["usage"]["completion_tokens"] for _, reply in replies[:4]] == [120] * 4


def test_a_chat_that_thinks_keeps_its_cache_from_turn_to_turn(thinker):
    messages = []
    visible = 0  # tokens of the history as the next turn sees it
    said = 'root ::= "That is a fine question, and the answer is long known."'  # so that each answer comes to its end
    ahead = 'reckon_step_tokens_total{kind="ahead"}'
    for question in ("Name a river.", "And a mountain?", "And a lake?"):
        messages.append({"role": "user", "content": question})
        n_ahead = metric(thinker, ahead)
        status, reply = thinker.post("/v1/chat/completions", {"messages": messages, "temperature": 0, "max_tokens": 60,
                                                              "thinking_budget": 10, "grammar": said})
        assert status == 200, reply
        message = reply["choices"][0]["message"]
        messages.append({"role": "assistant", "content": message["content"], "reasoning_content": message["reasoning_content"]})
        cached = reply["usage"]["prompt_tokens_details"]["cached_tokens"]
        assert cached >= 0.9 * visible
        _, history = thinker.post("/tokenize", {"messages": messages, "add_generation_prompt": False})
        visible = history["count"]
        assert becomes(lambda: metric(thinker, ahead) - n_ahead >= visible - reply["usage"]["prompt_tokens"])
    _, again = thinker.post("/v1/chat/completions", {"messages": messages[:-1], "temperature": 0, "max_tokens": 60,
                                                     "thinking_budget": 10, "grammar": said})
    assert again["usage"]["prompt_tokens"] - again["usage"]["prompt_tokens_details"]["cached_tokens"] == 1
    assert again["choices"][0]["message"]["content"] == messages[-1]["content"]


def test_the_same_greedy_request_gives_the_same_text_in_any_company(service):
    body = chat("Describe the sea.", max_tokens=40)
    _, first = service.post("/v1/chat/completions", body)
    with concurrent.futures.ThreadPoolExecutor() as clients:
        together = list(clients.map(lambda _: service.post("/v1/chat/completions", body)[1], range(8)))
    for reply in together:
        assert reply["choices"][0]["message"]["content"] == first["choices"][0]["message"]["content"]


def memory_of(process):
    """Bytes of its own, in memory or swapped out: a leak that was swapped out shows here and not in the resident set."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return sum(int(fields[name].split()[0]) * 1024 for name in ("RssAnon", "VmSwap"))


def test_memory_does_not_grow_with_the_number_of_requests(start):
    service = start("--ctx", 512, "--kv-size", 24)

    def ask(numbers):
        for i in numbers:
            body = chat(f"Item {i} of {i * 7919 % 1000}: {chr(0x4e00 + i)}", max_tokens=2, logprobs=True, top_logprobs=5)
            if i % 10 == 3:
                stream = Stream(service, body | {"max_tokens": 200})
                next(iter(stream))
                stream.close()
            else:
                status, _ = service.post("/v1/chat/completions", body)
                assert status == 200

    ask(range(100))  # fills the pool and the allocator's lists
    before = memory_of(service.process)
    ask(range(100, 300))
    assert memory_of(service.process) - before < 200 * 8 * 1024

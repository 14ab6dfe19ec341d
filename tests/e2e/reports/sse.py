"""A stream as it comes over the wire, without a client that might smooth it."""
import http.client
import json
import urllib.parse


class Stream:
    """Iterates over the data of events, parsed but for [DONE]; `raw` keeps every line. close() hangs up."""

    def __init__(self, service, body, path="/v1/chat/completions", timeout=120):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(service.url).netloc, timeout=timeout)
        payload = json.dumps({"stream": True, **body})
        self.connection.request("POST", path, payload, {"Content-Type": "application/json"})
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.raw = []

    def __iter__(self):
        for line in self.response:
            self.raw.append(line)
            if line.startswith(b"data: "):
                data = line[6:].strip()
                yield "[DONE]" if data == b"[DONE]" else json.loads(data)

    def close(self):
        self.response.close()
        self.connection.close()


def chat(text, **fields):
    """The body of a greedy chat of one message."""
    return {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 24, **fields}


def deltas(events, field):
    """What one field of the deltas says, chunk by chunk."""
    texts = (choice["delta"].get(field) for event in events if event != "[DONE]" for choice in event["choices"])
    return [text for text in texts if text]

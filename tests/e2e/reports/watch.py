"""What a test waits for without sleeping."""
import re
import time


def metric(service, name):
    _, text = service.get("/metrics")
    return sum(float(value) for value in re.findall(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE))


def becomes(what, timeout=20):
    """Whether it comes true, looked at again and again."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if what():
            return True
    return False

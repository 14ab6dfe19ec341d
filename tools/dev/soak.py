#!/usr/bin/env python3
"""Many people at once, for minutes: open streams, clients that come and go, some of which hang up in the middle.

    reckon serve -m MODEL --parallel 64 --queue 256 --ctx 1024 &
    tools/dev/soak.py --minutes 10

Prints what came, what was lost, how long /health took and how much memory the service held, and exits with 1 where an
answer was lost. A refusal that says when to come again (429 with Retry-After) is no loss: the client comes again.
Sends to this machine only, and stops by itself.
"""

import argparse
import asyncio
import collections
import json
import random
import statistics
import sys
import time
import urllib.parse

WORDS = "river stone cloud lamp garden engine window paper winter bridge music harbour copper lantern forest".split()


class Http:
    """One request on a connection of its own."""

    def __init__(self, host, port, method, path, body=None):
        self.address = (host, port)
        payload = b"" if body is None else json.dumps(body).encode()
        self.head = (f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
                     f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n").encode() + payload

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(*self.address)
        self.writer.write(self.head)
        await self.writer.drain()
        status = int((await self.reader.readline()).split()[1])
        self.headers = {}
        while (line := await self.reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            self.headers[name.lower()] = value.strip()
        return status

    async def rest(self):
        return await self.reader.read()

    def close(self):
        self.writer.close()


class Soak:
    def __init__(self, options):
        url = urllib.parse.urlsplit(options.url)
        self.host, self.port = url.hostname, url.port
        if self.host not in ("127.0.0.1", "::1", "localhost"):
            sys.exit("soak.py: sends to this machine only: give a URL of 127.0.0.1")
        self.options = options
        self.end = time.monotonic() + options.minutes * 60
        self.seen = collections.Counter()
        self.lost = []
        self.health_ms = []
        self.memory = []  # (seconds, bytes)

    def is_over(self):
        return time.monotonic() >= self.end

    def request(self, rng, n_tokens, stream):
        words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(5, 60)))
        return Http(self.host, self.port, "POST", "/v1/chat/completions",
                    {"messages": [{"role": "user", "content": f"Write about {words}."}], "max_tokens": n_tokens,
                     "stream": stream, "seed": rng.randint(0, 1 << 30), "ignore_eos": True})

    async def ask(self, rng, kind, n_tokens, stream, leaves=False):
        """One answer; again after a refusal."""
        while not self.is_over():
            http = self.request(rng, n_tokens, stream)
            try:
                status = await http.open()
                if status == 429 and "retry-after" in http.headers:
                    self.seen["refused, came again"] += 1
                    http.close()
                    await asyncio.sleep(min(float(http.headers["retry-after"]), 5) * rng.uniform(0.5, 1.5))
                    continue
                if status != 200:
                    raise ValueError(f"status {status}: {(await http.rest())[:200]!r}")
                if leaves:
                    await http.reader.read(rng.randint(1, 400))
                    self.seen["left in the middle"] += 1
                    return
                body = await http.rest()
                whole = body.rstrip().endswith((b"data: [DONE]", b"[DONE]\n\n0")) if stream else b'"usage"' in body
                if stream and not whole:
                    whole = b"data: [DONE]" in body
                if not whole:
                    raise ValueError(f"cut short: ...{body[-120:]!r}")
                self.seen[kind] += 1
                return
            except (OSError, ValueError, IndexError, asyncio.IncompleteReadError) as error:
                self.lost.append(f"{kind}: {error!r}")
                return
            finally:
                if hasattr(http, "writer"):
                    http.close()

    async def open_stream(self, index):
        rng = random.Random(index)
        while not self.is_over():
            await self.ask(rng, "long streams", rng.randint(100, 400), stream=True)

    async def passer_by(self, index):
        rng = random.Random(10_000 + index)
        while not self.is_over():
            await asyncio.sleep(rng.uniform(0, self.options.pause))
            await self.ask(rng, "short answers", rng.randint(1, 24), stream=rng.random() < 0.5,
                           leaves=rng.random() < 0.15)

    async def watch_health(self):
        while not self.is_over():
            begin = time.perf_counter()
            http = Http(self.host, self.port, "GET", "/health")
            try:
                if await http.open() != 200:
                    self.lost.append("/health: not 200")
                await http.rest()
                http.close()
            except OSError as error:
                self.lost.append(f"/health: {error!r}")
            self.health_ms.append((time.perf_counter() - begin) * 1000)
            await asyncio.sleep(0.25)

    async def watch_memory(self):
        begin = time.monotonic()
        while not self.is_over():
            http = Http(self.host, self.port, "GET", "/metrics")
            await http.open()
            for line in (await http.rest()).decode().splitlines():
                if line.startswith("process_resident_memory_bytes ") or line.startswith("reckon_resident_memory_bytes "):
                    self.memory.append((time.monotonic() - begin, float(line.split()[1])))
                    break
            http.close()
            if sys.stderr.isatty():
                print(f"\r{time.monotonic() - begin:5.0f} s  {dict(self.seen)}", end="", file=sys.stderr)
            await asyncio.sleep(5)

    async def run(self):
        tasks = [self.open_stream(i) for i in range(self.options.streams)]
        tasks += [self.passer_by(i) for i in range(self.options.clients)]
        await asyncio.gather(self.watch_health(), self.watch_memory(), *tasks)

    def report(self):
        for what, n in sorted(self.seen.items()):
            print(f"{n:8d}  {what}")
        print(f"{len(self.lost):8d}  lost")
        for line in self.lost[:10]:
            print("         ", line)
        ms = sorted(self.health_ms)
        print(f"/health, {len(ms)} times: median {statistics.median(ms):.1f} ms, 99 % {ms[len(ms) * 99 // 100]:.1f} ms, "
              f"worst {ms[-1]:.1f} ms")
        mib = [memory / 2**20 for _, memory in self.memory]
        tenth = max(1, len(mib) // 10)
        print(f"resident memory: {statistics.median(mib[tenth:2 * tenth]):.1f} MiB after a tenth of the time, "
              f"{statistics.median(mib[-tenth:]):.1f} MiB at the end, at most {max(mib):.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--streams", type=int, default=64, help="that are always open (default: 64)")
    parser.add_argument("--clients", type=int, default=200, help="that come and go (default: 200)")
    parser.add_argument("--pause", type=float, default=60, help="seconds between two visits, at most (default: 60)")
    soak = Soak(parser.parse_args())
    asyncio.run(soak.run())
    soak.report()
    sys.exit(1 if soak.lost else 0)


if __name__ == "__main__":
    main()

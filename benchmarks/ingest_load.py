"""A load generator in its own process: N keep-alive connections, each sends its next request when it has its answer.

As little Python per request as there can be (one protocol callback, no parsing beyond the length), so that the server
is what is measured. Prints one JSON line: requests, seconds, refused, duplicates, p50_ms, p99_ms.
"""

import argparse
import asyncio
import itertools
import json
import random
import time

import uvloop

SESSIONS = 10_000
_TEMPLATE = (
    b'{"event_id":"%s","session_id":"s-%d","agent_id":"agent-%d","seq":%d,"gauge_tokens":%d,'
    b'"usage":{"input_tokens":2,"cache_read_input_tokens":%d,"cache_creation_input_tokens":9000,"output_tokens":310},'
    b'"window_tokens":200000}'
)


def events(prefix: str):
    """Distinct events of 10,000 sessions; one in 200 is past the threshold, as in a session of 200 messages."""
    number = itertools.count(1)
    head = prefix.encode()
    while True:
        n = next(number)
        session = random.randrange(SESSIONS)
        used = 141_000 if n % 200 == 0 else random.randrange(20_000, 138_000)
        yield _TEMPLATE % (b"msg_%s%016x" % (head, n), session, session % 500, n, used, used - 19_000)


def requests(path: str, per_request: int, prefix: str):
    source = events(prefix)
    head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " % path.encode()
    while True:
        body = next(source) if per_request == 1 else b"[" + b",".join(itertools.islice(source, per_request)) + b"]"
        yield b"%s%d\r\n\r\n%s" % (head, len(body), body)


class Sender(asyncio.Protocol):
    def __init__(self, source, tally: "Tally") -> None:
        self.source, self.tally = source, tally
        self.received, self.expected = b"", 0

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.sent_at = time.perf_counter()
        self.transport.write(next(self.source))

    def data_received(self, data: bytes) -> None:
        self.received = self.received + data if self.received else data
        if not self.expected:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return
            at = self.received.find(b"content-length: ") + 16
            self.expected = end + 4 + int(self.received[at : self.received.find(b"\r", at)])
        if len(self.received) < self.expected:
            return
        self.tally.count(self.received, time.perf_counter() - self.sent_at)
        self.received, self.expected = b"", 0
        if not self.tally.over:
            self.send()


class Tally:
    def __init__(self) -> None:
        self.start()
        self.over = False

    def start(self) -> None:
        self.requests = self.refused = self.duplicates = 0
        self.latencies: list[float] = []
        self.since = time.perf_counter()

    def count(self, answer: bytes, seconds: float) -> None:
        self.requests += 1
        self.latencies.append(seconds)
        if not answer.startswith(b"HTTP/1.1 200"):
            self.refused += 1
        elif b'"duplicate":true' in answer:
            self.duplicates += 1

    def result(self) -> dict[str, float]:
        latencies = sorted(self.latencies)
        return {
            "requests": self.requests,
            "seconds": time.perf_counter() - self.since,
            "refused": self.refused,
            "duplicates": self.duplicates,
            "p50_ms": latencies[len(latencies) // 2] * 1e3,
            "p99_ms": latencies[int(len(latencies) * 0.99)] * 1e3,
        }


async def run(options: argparse.Namespace) -> dict[str, float]:
    loop = asyncio.get_running_loop()
    tally = Tally()
    source = requests(options.path, options.per_request, options.prefix)
    senders = [
        await loop.create_connection(lambda: Sender(source, tally), "127.0.0.1", options.port)
        for _ in range(options.connections)
    ]
    await asyncio.sleep(options.warm_up)
    tally.start()
    await asyncio.sleep(options.seconds)
    found = tally.result()
    tally.over = True
    await asyncio.sleep(0.2)
    for transport, _ in senders:
        transport.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--per-request", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--warm-up", type=float, default=0.5)
    parser.add_argument("--prefix", default="", help="what makes this run's event ids its own")
    print(json.dumps(uvloop.run(run(parser.parse_args()))))


if __name__ == "__main__":
    main()

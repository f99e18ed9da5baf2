"""Verdicts per second over HTTP, beside what bounds them, as ratios of one run.

    python -m benchmarks.ingest [--seconds 3] [--rounds 5] [--wrk PATH] [--json out.json]

Five paths, interleaved round by round: the server's bare no-op route, single events, batches of 100, bare pipelined
function calls (one event each, arguments built beforehand), Celery `delay()` an event. Load generator, server and
engine share the machine, so only the ratios travel to another one. Medians over the rounds.
"""

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import psutil
import redis
from celery import Celery

from benchmarks import ingest_load, ingest_processes
from service.adapters.redis import functions
from service.adapters.redis.keys import Keys
from service.adapters.redis.usage_call import Defaults, JudgeCall
from service.api.usage_body import decode_usage

GOALS = (
    ("single", "noop", 0.6, "single-event verdict / bare no-op"),
    ("batch", "pipelined", 0.6, "batches of 100 / pipelined function calls"),
    ("single", "delay", 10, "single-event verdict / delay()"),
    ("batch", "delay", 10, "batches of 100 / delay()"),
)
LABELS = {
    "noop": "HTTP bare no-op, 50 connections",
    "single": "HTTP single event, 50 connections",
    "batch": "HTTP batches of 100, 50 connections",
    "pipelined": "bare function call, pipeline of 100",
    "delay": "Celery delay(), one event a task",
}
BATCH = 100
CONNECTIONS = 50
Rate = dict[str, float]


class Bench:
    def __init__(self, options: argparse.Namespace, redis_url: str, port: int) -> None:
        self.options, self.redis_url, self.port = options, redis_url, port
        self.client = redis.Redis.from_url(redis_url, protocol=3)
        functions.load(self.client)
        self.runs = 0

    def prefix(self) -> str:
        """Distinct for each run, so that no event is a duplicate."""
        self.runs += 1
        return f"{self.runs:04x}"

    def http(self, path: str, per_request: int) -> Rate:
        load = self.wrk if self.options.wrk else self.own_load
        found = load(path, per_request)
        if found["refused"] or found["duplicates"]:
            raise RuntimeError(f"{path}: {found}")
        return {**found, "rate": found["requests"] * per_request / found["seconds"]}

    def own_load(self, path: str, per_request: int) -> Rate:
        command = [sys.executable, ingest_load.__file__, "--port", str(self.port), "--path", path]
        command += ["--per-request", str(per_request), "--connections", str(CONNECTIONS)]
        command += ["--seconds", str(self.options.seconds), "--prefix", self.prefix()]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found: Rate = json.loads(done.stdout)
        return found

    def wrk(self, path: str, per_request: int) -> Rate:
        script = (Path(__file__).parent / "ingest.wrk.lua").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(f'local per_request, prefix = {per_request}, "{self.prefix()}"\n{script}')
            file.flush()
            command = [
                self.options.wrk,
                "-t1",
                f"-c{CONNECTIONS}",
                f"-d{max(1, round(self.options.seconds))}s",
                "--latency",
                "-s",
            ]
            done = subprocess.run(
                [*command, file.name, f"http://127.0.0.1:{self.port}{path}"], capture_output=True, text=True, check=True
            )
        units = {"us": 1e-3, "ms": 1.0, "s": 1e3}
        latency = {
            q: float(value) * units[unit] for q, value, unit in re.findall(r"(50|99)%\s+([\d.]+)(us|ms|s)", done.stdout)
        }
        count, seconds = re.search(r"(\d+) requests in ([\d.]+)s", done.stdout).groups()  # type: ignore[union-attr]
        refused = re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
        return {
            "requests": float(count),
            "seconds": float(seconds),
            "refused": float(refused[1]) if refused else 0,
            "duplicates": 0,
            "p50_ms": latency["50"],
            "p99_ms": latency["99"],
        }

    def pipelined(self) -> Rate:
        """The clock runs while a pipeline is packed, sent and answered; its arguments are ready before."""
        calls = JudgeCall(Keys(), Defaults())
        source = ingest_load.events(self.prefix())
        spent, count, until = 0.0, 0, time.perf_counter() + self.options.seconds
        while time.perf_counter() < until:
            commands = [calls.command(0, decode_usage(next(source))[0])[0] for _ in range(BATCH)]
            started = time.perf_counter()
            pipeline = self.client.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            pipeline.execute()
            spent += time.perf_counter() - started
            count += BATCH
        return {"rate": count / spent}

    def delay(self) -> Rate:
        celery = Celery(
            "bench", broker=self.redis_url.replace("unix://", "redis+socket://").replace("?db=0", "?virtual_host=1")
        )
        celery.conf.update(task_ignore_result=True)

        @celery.task(name="usage.record")
        def record(event: dict[str, object]) -> None: ...

        source = ingest_load.events(self.prefix())
        record.delay(msgspec.json.decode(next(source)))  # connects
        spent, count, until = 0.0, 0, time.perf_counter() + self.options.seconds
        while time.perf_counter() < until:
            chunk = [msgspec.json.decode(next(source)) for _ in range(BATCH)]
            started = time.perf_counter()
            for event in chunk:
                record.delay(event)
            spent += time.perf_counter() - started
            count += BATCH
        celery.close()
        return {"rate": count / spent}


class Cores:
    """Processor seconds, in cores: the server's, the engine's, and those of processes that are none of ours."""

    def __init__(self, server_pid: int, engine_pid: int) -> None:
        self.server, self.engine = psutil.Process(server_pid), psutil.Process(engine_pid)

    def seconds(self) -> tuple[float, float, float, float]:
        times = psutil.cpu_times()
        busy = sum(times) - times.idle - getattr(times, "iowait", 0) - getattr(times, "guest", 0)
        server, engine = (sum(process.cpu_times()[:2]) for process in (self.server, self.engine))
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        ours = server + engine + sum(usage.ru_utime + usage.ru_stime for usage in own)
        return time.perf_counter(), server, engine, busy - ours

    def measured(self, path: Callable[[], Rate]) -> Rate:
        before = self.seconds()
        found = path()
        wall, server, engine, others = (b - a for a, b in zip(before, self.seconds(), strict=True))
        return {**found, "server_cpu": server / wall, "engine_cpu": engine / wall, "others_cpu": others / wall}


def measure(options: argparse.Namespace) -> dict[str, list[Rate]]:
    """A round in which other processes took more than --others cores counts for nothing and is run again."""
    rounds: dict[str, list[Rate]] = {name: [] for name in LABELS}
    given_up = time.monotonic() + options.patience
    with ingest_processes.engine() as (url, engine_pid):
        while len(rounds["noop"]) < options.rounds:
            # A fresh server each round: how its memory happens to lie is worth a tenth.
            with ingest_processes.server(url) as (port, server_pid):
                found = one_round(Bench(options, url, port), Cores(server_pid, engine_pid))
            others = max(rate["others_cpu"] for rate in found.values())
            disturbed = others > options.others and time.monotonic() < given_up
            print(f"others took {others:.2f} cores{': again' if disturbed else ''}", file=sys.stderr)
            if not disturbed:
                for name, rate in found.items():
                    rounds[name].append(rate)
    return rounds


def one_round(bench: Bench, cores: Cores) -> dict[str, Rate]:
    paths: dict[str, Callable[[], Rate]] = {
        "noop": lambda: bench.http("/noop", 1),
        "single": lambda: bench.http("/v1/usage", 1),
        "batch": lambda: bench.http("/v1/usage", BATCH),
        "pipelined": bench.pipelined,
        "delay": bench.delay,
    }
    found = {}
    for name, path in paths.items():
        found[name] = cores.measured(path)
        bench.client.flushall()
    bench.client.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3, help="of each path in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--wrk", help="path of wrk, used instead of our own load generator")
    parser.add_argument("--others", type=float, default=0.15, help="cores that other processes may take of a round")
    parser.add_argument("--patience", type=float, default=300, help="seconds after which disturbed rounds count too")
    parser.add_argument("--json", type=Path, help="write every round's numbers here")
    options = parser.parse_args()
    rounds = measure(options)

    median = {name: statistics.median(r["rate"] for r in found) for name, found in rounds.items()}
    print(f"load generator: {'wrk' if options.wrk else 'ingest_load.py (asyncio, uvloop)'}; ", end="")
    others = statistics.median(rate["others_cpu"] for found in rounds.values() for rate in found)
    print(
        f"{options.rounds} interleaved rounds of {options.seconds:g} s, medians; other processes: {others:.2f} cores\n"
    )
    print(f"{'path':38s} {'events/s':>9s} {'p50 ms':>7s} {'p99 ms':>7s} {'server core':>12s} {'engine core':>12s}")
    for name, found in rounds.items():
        p50, p99, server, engine = [
            f"{statistics.median(r[key] for r in found):{shape}}" if key in found[0] else ""
            for key, shape in (("p50_ms", ".1f"), ("p99_ms", ".1f"), ("server_cpu", ".0%"), ("engine_cpu", ".0%"))
        ]
        print(f"{LABELS[name]:38s} {median[name]:9,.0f} {p50:>7s} {p99:>7s} {server:>12s} {engine:>12s}")
    print(f"\n{'ratio':46s} {'median':>7s} {'rounds':>15s} {'goal':>7s}")
    ratios, met = {}, True
    for above, below, goal, label in GOALS:
        each = [a["rate"] / b["rate"] for a, b in zip(rounds[above], rounds[below], strict=True)]
        ratio = ratios[f"{above}/{below}"] = statistics.median(each)
        met &= ratio >= goal
        print(
            f"{label:46s} {ratio:7.2f} {f'{min(each):.2f} to {max(each):.2f}':>15s} {f'>= {goal:g}':>7s} "
            f"{'' if ratio >= goal else 'MISSED'}"
        )
    if options.json:
        options.json.write_text(json.dumps({"rounds": rounds, "medians": median, "ratios": ratios}, indent=1))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

"""Our own transport, compared with bare litellm, bare aiohttp and inspect_ai: rates and processor time.

`python -m tests.benchmarks.transport` compares them in one run, in turns, each in a process of its own,
against a server that only waits and answers. inspect_ai takes part if `SPB_INSPECT_PYTHON` is the Python of
an environment with it, so this module imports nothing of the project for that client.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

TURNS = int(os.environ.get("SPB_BENCH_TURNS", "3"))
INSPECT = "SPB_INSPECT_PYTHON"
WARM_UP = 2  # calls of each worker before the clock starts
CALLS = {"litellm": 2_000, "own": 12_000, "aiohttp": 12_000, "inspect": 800}
NAMES = {
    "litellm": "bare litellm",
    "own": "own transport",
    "aiohttp": "bare aiohttp",
    "inspect": "inspect_ai",
}
ROOT = Path(__file__).parents[2]

Ask = Callable[[str], Awaitable[object]]


class Setting(NamedTuple):
    """The number of calls in flight, and the server's delay of each."""

    in_flight: int
    delay_ms: int


SETTINGS = (Setting(64, 0), Setting(64, 50), Setting(512, 300))


@dataclass(frozen=True)
class Measured:
    """Calls per second, and CPU milliseconds per call."""

    rate: float
    cpu_ms: float


# ---- the server

_BODY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "m-1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": '{"criteria_met": true}'},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 400, "completion_tokens": 8, "total_tokens": 408},
    }
).encode()
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(_BODY),
    _BODY,
)


class Answering(asyncio.Protocol):
    """Sends the same answer to every request, with a delay after its last byte."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._unread += data
        while (end := self._unread.find(b"\r\n\r\n")) >= 0:
            head = self._unread[:end].lower()
            place = head.index(b"content-length:") + len(b"content-length:")
            size = end + 4 + int(head[place:].split(b"\r\n", 1)[0])
            if len(self._unread) < size:
                return
            self._unread = self._unread[size:]
            if self._delay_s:
                asyncio.get_running_loop().call_later(self._delay_s, self._answer)
            else:
                self._answer()

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(_ANSWER)


async def _serve(delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(delay_s), "127.0.0.1", 0, backlog=1_024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


# ---- the clients


def _prompts() -> Iterator[str]:
    """Yield endless questions of about 2 kB, all different."""
    padding = "It rained on the hills, and the river rose a little. " * 35
    number = 0
    while True:
        yield f"Question {number}. {padding}"
        number += 1


async def _timed(ask: Ask, calls: int, in_flight: int) -> Measured:
    prompts = _prompts()

    async def ask_some(count: int) -> None:
        some = islice(prompts, count)

        async def worker() -> None:
            for prompt in some:
                await ask(prompt)

        await asyncio.gather(*(worker() for _ in range(in_flight)))

    await ask_some(WARM_UP * in_flight)
    start, cpu = time.perf_counter(), time.process_time()
    await ask_some(calls)
    return Measured(calls / (time.perf_counter() - start), 1e3 * (time.process_time() - cpu) / calls)


def _messages(prompt: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": prompt}]


async def with_litellm(url: str, calls: int, in_flight: int) -> Measured:
    """Send the questions through bare litellm."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True

    async def ask(prompt: str) -> str:
        response = await litellm.acompletion(
            "openai/m", _messages(prompt), api_base=url, api_key="none", temperature=0.0, max_retries=0
        )
        return str(response.choices[0].message.content)

    return await _timed(ask, calls, in_flight)


async def with_own(url: str, calls: int, in_flight: int) -> Measured:
    """Send the questions through `engine.collect.client.openai_transport`."""
    from engine.collect.calls import Reply
    from engine.collect.client.openai_transport import OpenAITransport
    from engine.collect.configuration.config import ModelConfig, Price

    price = Price(input_per_million=1.0, output_per_million=2.0)
    async with OpenAITransport({"m": ModelConfig(model="openai/m", api_base=url)}) as transport:

        async def ask(prompt: str) -> None:
            done = await transport.complete("m", _messages(prompt), {"temperature": 0.0}, price=price)
            if not isinstance(done.outcome, Reply):
                raise RuntimeError(done.outcome.message)

        return await _timed(ask, calls, in_flight)


async def with_aiohttp(url: str, calls: int, in_flight: int) -> Measured:
    """Send the questions through bare aiohttp: the lower bound of a call's cost over it."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(prompt: str) -> object:
            body = {"model": "m", "messages": _messages(prompt), "temperature": 0.0}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return (await response.json())["choices"][0]["message"]["content"]

        return await _timed(ask, calls, in_flight)


def with_inspect(url: str, calls: int, in_flight: int) -> Measured:
    """Send the questions through inspect_ai's evaluation of one task, after a small one to warm up."""
    os.environ |= {"LOOPBACK_BASE_URL": url, "LOOPBACK_API_KEY": "none"}
    import tempfile

    from inspect_ai import Task, eval  # noqa: A004
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import generate

    def evaluate(count: int) -> None:
        samples = [Sample(input=prompt) for prompt in islice(_prompts(), count)]
        with tempfile.TemporaryDirectory() as logs:
            done = eval(
                Task(dataset=samples, solver=generate()),
                model="openai-api/loopback/m",
                max_connections=in_flight,
                max_samples=2 * in_flight,
                display="none",
                log_dir=logs,
                log_realtime=False,
                score_display=False,
            )
        if done[0].status != "success":
            raise SystemExit(f"inspect_ai: {done[0].error}")

    evaluate(in_flight)
    start, cpu = time.perf_counter(), time.process_time()
    evaluate(calls)
    return Measured(calls / (time.perf_counter() - start), 1e3 * (time.process_time() - cpu) / calls)


CLIENTS: dict[str, Callable[[str, int, int], Any]] = {
    "litellm": with_litellm,
    "own": with_own,
    "aiohttp": with_aiohttp,
    "inspect": with_inspect,
}


# ---- the comparison


def transport_rows(work: Path | None = None) -> Iterator[Any]:
    """Yield the rows of the report for each setting: rates, processor time, and ratios with targets."""
    del work
    from tests.benchmarks.timing import Row

    for setting in SETTINGS:
        measured = measure(setting)
        where = f"{setting.in_flight} in flight, {setting.delay_ms} ms"
        for name, each in measured.items():
            yield Row(f"{NAMES[name]}, {where}", each.rate, "calls/s")
            yield Row(f"{NAMES[name]}, {where}: CPU of a call", each.cpu_ms, "ms")
        own, litellm, aiohttp = (measured[name] for name in ("own", "litellm", "aiohttp"))
        small = setting.in_flight == 64
        yield Row(
            f"own / litellm, {where}",
            own.rate / litellm.rate,
            "times",
            3 if small else None,
            more_is_better=True,
        )
        yield Row(
            f"own / litellm, {where}: CPU of a call",
            own.cpu_ms / litellm.cpu_ms,
            "times",
            1 / 3 if small else None,
        )
        yield Row(
            f"own / aiohttp, {where}",
            own.rate / aiohttp.rate,
            "times",
            None if small else 0.5,
            more_is_better=True,
        )
        yield Row(f"own / aiohttp, {where}: CPU of a call", own.cpu_ms / aiohttp.cpu_ms, "times")
        if "inspect" in measured:
            ratio = own.rate / measured["inspect"].rate
            yield Row(f"own / inspect_ai, {where}", ratio, "times", 4, more_is_better=True)


def measure(setting: Setting) -> dict[str, Measured]:
    """Return each client's median over several turns; in each turn the clients run one after another."""
    pythons = dict.fromkeys(("litellm", "own", "aiohttp"), sys.executable)
    if python := os.environ.get(INSPECT):
        pythons["inspect"] = python
    turns: dict[str, list[Measured]] = {name: [] for name in pythons}
    for _ in range(TURNS):
        for name, python in pythons.items():
            turns[name].append(_client(name, python, setting))
    return {
        name: Measured(
            statistics.median(turn.rate for turn in each), statistics.median(turn.cpu_ms for turn in each)
        )
        for name, each in turns.items()
    }


def _client(name: str, python: str, setting: Setting) -> Measured:
    with _server(setting.delay_ms) as url:
        calls = max(CALLS[name], 3 * setting.in_flight)
        command = [python, __file__, name, url, str(calls), str(setting.in_flight)]
        printed = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)}
        ).stdout
    return Measured(*json.loads(printed.splitlines()[-1]))


@contextmanager
def _server(delay_ms: int) -> Iterator[str]:
    command = [sys.executable, __file__, "serve", str(delay_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def main() -> None:
    """Run the server, one client, or the whole comparison, depending on the arguments."""
    match sys.argv[1:]:
        case ["serve", delay_ms]:
            asyncio.run(_serve(int(delay_ms) / 1e3))
        case [name, url, calls, in_flight]:
            measured = CLIENTS[name](url, int(calls), int(in_flight))
            if asyncio.iscoroutine(measured):
                measured = asyncio.run(measured)
            print(json.dumps([measured.rate, measured.cpu_ms]))
        case _:
            from tests.benchmarks.report import report

            print(report(list(transport_rows()), os.getloadavg()[0]))


if __name__ == "__main__":
    main()

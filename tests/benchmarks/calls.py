"""Calls per second and peak memory of clients of one server; ours also as a whole run."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .timing import Row

CALLS = int(os.environ.get("SPB_BENCH_CALLS", "3000"))
MANY = int(os.environ.get("SPB_BENCH_MANY", "100000"))
FEW = MANY // 10
CONCURRENCY = 64
INSPECT = "SPB_INSPECT_PYTHON"
"""The variable with the Python of an environment with inspect_ai, which cannot share one with litellm."""

HERE = Path(__file__).parent
PADDING = "It rained on the hills, and the river rose a little. " * 10


@dataclass(frozen=True)
class ClientRun:
    """A client's calls and rate as seen by the server, its peak memory and its CPU time."""

    calls: int
    per_second: float
    peak_megabytes: float
    cpu_s: float


def call_rows(work: Path) -> Iterator[Row]:
    """Compare the clients in turn, each with a server of its own."""
    caller = [sys.executable, str(HERE / "callers.py")]
    bare = _run_client([*caller, "litellm"], CALLS)
    ours = _run_client([*caller, "judges"], CALLS)
    run = _run_asked(work / "calls", CALLS)
    yield Row(f"bare litellm, {CALLS:,} calls, {CONCURRENCY} at once", bare.per_second, "calls/s")
    yield Row("`engine.collect.client.model_client`, the same calls", ours.per_second, "calls/s")
    yield Row("`spb run`, as many calls", run.per_second, "calls/s")
    share = run.per_second / bare.per_second
    yield Row("`spb run` / bare litellm", share, "times", 0.9, more_is_better=True)
    started = _run_asked(work / "calls-few", CONCURRENCY)
    ours_cpu = _cpu_ms(run, started)
    yield from _cpu_rows({"litellm": bare, "judges": ours}, ours_cpu)
    yield Row("peak memory of bare litellm", bare.peak_megabytes, "MB")
    yield Row("peak memory of `spb run`", run.peak_megabytes, "MB")
    yield from _beside_inspect(run, ours_cpu)


def process_rows(work: Path) -> Iterator[Row]:
    """Measure a run in one process and in two, in turn, so that both have the same load."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for number, processes in enumerate((1, 2, 2, 1)):
        run = _run_asked(work / f"processes-{number}", CALLS, processes)
        rates[processes].append(run.per_second)
        spent = run.cpu_s * 1000 / run.calls
        yield Row(f"`spb run`, processes = {processes}: calls a second", run.per_second, "calls/s")
        yield Row(f"`spb run`, processes = {processes}: CPU of a call, with the start", spent, "ms")
    yield Row("two processes / one", sum(rates[2]) / sum(rates[1]), "times")


def _cpu_rows(callers: dict[str, ClientRun], run_ms: float) -> Iterator[Row]:
    """Compare the CPU time of a call without start-up, which depends less on how busy the machine is."""
    spent = {
        name: _cpu_ms(many, _run_client([sys.executable, str(HERE / "callers.py"), name], CONCURRENCY))
        for name, many in callers.items()
    }
    yield Row("CPU of a call: bare litellm", spent["litellm"], "ms")
    yield Row("CPU of a call: `engine.collect.client.model_client`", spent["judges"], "ms")
    yield Row("CPU of a call: `spb run`", run_ms, "ms")
    yield Row("bare litellm / `spb run`, CPU", spent["litellm"] / run_ms, "times", 0.9, more_is_better=True)


def _cpu_ms(many: ClientRun, few: ClientRun) -> float:
    """Return the CPU milliseconds of a call, from two runs of the same client."""
    return 1e3 * (many.cpu_s - few.cpu_s) / (many.calls - few.calls)


def memory_rows(work: Path) -> Iterator[Row]:
    """Compare the memory of a run with that of one ten times as long."""
    few, many = (_run_asked(work / f"calls-{count}", count) for count in (FEW, MANY))
    yield Row(f"peak memory of `spb run`, {FEW:,} calls", few.peak_megabytes, "MB")
    yield Row(f"peak memory of `spb run`, {MANY:,} calls", many.peak_megabytes, "MB")
    yield Row("the second / the first", many.peak_megabytes / few.peak_megabytes, "times", 1.25)


def _beside_inspect(run: ClientRun, run_ms: float) -> Iterator[Row]:
    python = os.environ.get(INSPECT)
    if python is None:
        sys.stderr.write(
            f"inspect_ai is left out: make an environment for it (python -m venv E; E/bin/pip install "
            f"inspect_ai 'openai>=3.4') and set {INSPECT}=E/bin/python\n"
        )
        return
    calls = max(200, CALLS // 6)
    client = [python, str(HERE / "callers.py"), "inspect"]
    inspect = _run_client(client, calls)
    yield Row(f"inspect_ai, {calls:,} calls", inspect.per_second, "calls/s")
    ratio = run.per_second / inspect.per_second
    yield Row("`spb run` / inspect_ai", ratio, "times", 4, more_is_better=True)
    spent = _cpu_ms(inspect, _run_client(client, CONCURRENCY))
    yield Row("CPU of a call: inspect_ai", spent, "ms")
    yield Row("inspect_ai / `spb run`, CPU", spent / run_ms, "times", 4, more_is_better=True)
    yield Row("peak memory of inspect_ai", inspect.peak_megabytes, "MB")


def _run_client(client: Sequence[str], calls: int) -> ClientRun:
    with _server() as url:
        peak, cpu = _spent([*client, url, str(calls), str(CONCURRENCY)])
        return ClientRun(calls, _per_second(url, calls), peak, cpu)


def _run_asked(work: Path, calls: int, processes: int = 1) -> ClientRun:
    """Run a configuration with that many calls, from the start to the finished study."""
    work.mkdir(parents=True)
    with _server() as url:
        config = _configuration(work, calls, url, processes)
        command = "import sys; from engine.cli import main; sys.argv[0] = 'spb'; main()"
        store = str(work / "store")
        peak, cpu = _spent(
            [sys.executable, "-c", command, "run", str(config), "--store", store, "--format", "json"]
        )
        return ClientRun(calls, _per_second(url, calls), peak, cpu)


def _configuration(work: Path, calls: int, url: str, processes: int) -> Path:
    """Write a data set with one response and one rubric per call, and the run's configuration."""
    data = work / "data"
    data.mkdir()
    ids = [f"i{number:06d}" for number in range(calls)]
    tables = {
        "models": [{"model": "a", "family": "x"}],
        "instances": [{"instance_id": each, "prompt": f"Question {each}? {PADDING}"} for each in ids],
        "rubrics": [{"instance_id": each, "rubric_id": "r", "criterion": "Is polite."} for each in ids],
        "responses": [{"instance_id": each, "generator": "a", "text": f"{each}. {PADDING}"} for each in ids],
    }
    for name, rows in tables.items():
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = work / "run.toml"
    config.write_text(
        f'study = "s"\ndata = "{data}"\ngenerators = ["a"]\njudges = ["a"]\nparadigms = ["single_rubric"]\n'
        f'[models.a]\nfamily = "x"\nmodel = "openai/m"\napi_base = "{url}"\n'
        f"[run]\nconcurrency = {CONCURRENCY}\nprocesses = {processes}\n"
    )
    return config


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "-m", "loopback", "--forget"]
    with subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _per_second(url: str, calls: int) -> float:
    """Return the rate from the first call's arrival to the last answer's departure, without start-up."""
    with urllib.request.urlopen(f"{url}/seen") as answer:  # noqa: S310 - the benchmark's own server
        seen = json.load(answer)
    if seen["calls"] != calls or len(seen["answers"]) != calls:
        raise RuntimeError(f"{seen['calls']} of {calls} calls arrived, {len(seen['answers'])} were answered")
    return float(calls / (seen["last_ended"] - seen["first_began"]))


def _spent(command: Sequence[str]) -> tuple[float, float]:
    """Run the command; return its peak memory in megabytes and its CPU time in seconds."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} failed: {errors.decode()[-800:]}")
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime

"""Calls a second at concurrency 64: this runner and bare litellm, against one loopback server in turn."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from runner.small import config_text, write_folder

from engine.config import load_config
from engine.judges import gateway
from engine.judges.wire import open_session
from engine.plan import make_plan
from engine.runner import run
from engine.store import Store, StudyFiles

CALLS_AN_INSTANCE = 8
CONCURRENCY = 64
ROUNDS = 3


def rate(folder: Path, calls: int | None) -> str:
    """Return the calls a second of both, the best of three rounds each, and their ratio."""
    instances = (calls or 2_000) // CALLS_AN_INSTANCE
    command = [sys.executable, "-m", "loopback", "--forget", "--delay", "0.05"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    try:
        assert server.stdout is not None
        served = f'api_base = "{server.stdout.readline().strip()}"'
        config = folder / "run.toml"
        data = write_folder(folder / "data", instances=instances)
        config.write_text(config_text(data, a=served, b=served, run=f"concurrency = {CONCURRENCY}"), "utf-8")
        ours, bare = [], []
        for number in range(ROUNDS + 1):
            ours.append(_ours(config, folder / f"store{number}"))
            bare.append(asyncio.run(_bare(config, folder / f"store{number}" / "s")))
    finally:
        server.kill()
        server.communicate()
    best, other = max(ours[1:]), max(bare[1:])  # the first round imports what the others have
    return f"this runner {best:.0f} calls/s, bare litellm {other:.0f}: {best / other:.0%}"


def _ours(config: Path, store: Path) -> float:
    began = time.perf_counter()
    report = run(load_config(config), Store(store))
    assert report.end == "done", report
    return report.done / (time.perf_counter() - began)


async def _bare(config: Path, study: Path) -> float:
    """Put the same prompts to the same server by litellm alone."""
    read = load_config(config)
    plan = make_plan(read, StudyFiles.at(study))
    prompts = [(request.model, plan.messages(request)) for request in plan]
    session = open_session()
    waiting = iter(prompts)

    async def worker() -> None:
        for model, messages in waiting:
            await gateway.complete(read.models[model], messages, {}, None, session)

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))
    took = time.perf_counter() - began
    await session.close()
    return len(prompts) / took

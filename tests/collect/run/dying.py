"""Runs in batches, each killed before one of its steps and then resumed, with one import for all.

`python -m collect.run.dying FOLDER URL` makes a run of its own for each step, in the store FOLDER/N with the
model openai/step-N, and prints a line of JSON for each: the step it was killed before, and how the run
went on.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from collect.run.small import config

from engine.collect import litellm_batches, litellm_gateway
from engine.collect.batch_records import BatchRecords
from engine.collect.config import ModelConfig
from engine.collect.recorded_calls import RecordedCalls
from engine.collect.recorder import Collector
from engine.collect.run import run
from engine.store import Store

STEPS: list[tuple[Any, str]] = [
    (BatchRecords, "add"),
    (litellm_batches.Batches, "_call"),
    (BatchRecords, "set_batch_id"),
    (BatchRecords, "finish"),
    (Collector, "collect"),
    (RecordedCalls, "remove"),
]
"""What a run in batches does on the disk and on the network."""


def main() -> None:
    """Kill a run before its first step, another before its second, and so on until one is not killed."""
    folder, url = Path(sys.argv[1]), sys.argv[2]
    litellm_gateway.load()  # once, before the children, as is pandas, which reading the data wants
    importlib.import_module("pandas")
    warm = ModelConfig(model="openai/warm")
    litellm_batches.request_body(warm, {})
    step, killed = 0, "yes"
    while killed:
        step += 1
        killed = _in_child(lambda step=step: _run(folder, url, step, kill=step))  # type: ignore[misc]
        report, modules = json.loads(_in_child(lambda step=step: _run(folder, url, step)))  # type: ignore[misc]
        for name in modules:  # so that later children need not import it themselves
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        sys.stdout.write(json.dumps({"step": step, "killed": killed, "report": report}) + "\n")


def _run(folder: Path, url: str, number: int, kill: int | None = None) -> str:
    """Make a run and return its report and what it imported, as JSON.

    With `kill`, the process dies before that step and leaves the step's name.
    """
    if kill is not None:
        _count_down(folder / "killed", kill)
    address = f'api_base = "{url}"'
    settings = config(folder / "data", mode="batch", judges=["a"], a=address, b=address, run="poll_s = 0.01")
    models = {
        name: model.model_copy(update={"model": f"openai/step-{number}"})
        for name, model in settings.models.items()
    }
    report = run(settings.model_copy(update={"models": models}), Store(folder / str(number)))
    return json.dumps([report.to_dict(), sorted(sys.modules)]) if kill is None else ""


def _count_down(path: Path, steps_left: int) -> None:
    def before(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def step_or_die(*args: Any, **options: Any) -> Any:
            nonlocal steps_left
            steps_left -= 1
            if not steps_left:
                path.write_text(" ".join([name, *(each for each in args[-1:] if isinstance(each, str))]))
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*args, **options)

        return step_or_die

    for owner, name in STEPS:
        setattr(owner, name, before(name, getattr(owner, name)))


def _in_child(work: Callable[[], str]) -> str:
    """Do the work in a separate process; return its result, or the name of the step it died before."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            out.write(work())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        output = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return (Path(sys.argv[1]) / "killed").read_text()
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"a child ended with {status}")
    return output


if __name__ == "__main__":
    main()

"""Checkers: instructions decided per second, strict and loose, in one process."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.checkers.run import check_study
from engine.checkers.verdicts import judge
from engine.store import Store
from tests.tools.demos.study import ROOT
from tests.tools.demos.verifiable import check_responses, read_prompts

from .timing import Row

REPEATS = 5


def checker_rows(work: Path) -> Iterator[Row]:
    """Time the checks of the demonstration study's 900 responses (1,800 instructions), and `spb check`."""
    prompts = read_prompts()
    study = Store(ROOT / "results").open("demo-verifiable")
    responses = study.table("responses")
    total = sum(len(prompt.instructions) for prompt in prompts) * 6
    check_responses(prompts, responses.slice(0, 50))  # loads the models for languages and sentences
    rate = total / _seconds(lambda: check_responses(prompts, responses))
    yield Row("checkers: instructions decided, strict and loose", rate, "a second")
    plain = [
        (check, row["text"])
        for row in responses.to_pylist()
        for prompt in prompts
        if prompt.instance_id == row["instance_id"]
        for (name, _), check in zip(prompt.instructions, prompt.checks(), strict=True)
        if not name.startswith("language") and "english" not in name
    ]
    rate = len(plain) / _seconds(lambda: [judge(check, text) for check, text in plain])
    yield Row("the same, without those that detect a language", rate, "a second")
    folder = work / "checked"
    shutil.copytree(study.path, folder / "demo-verifiable", dirs_exist_ok=True)
    start = time.perf_counter()
    check_study(Store(folder).open("demo-verifiable"), processes=1)
    yield Row("`check_study` on the 900 responses, written", time.perf_counter() - start, "s")


def _seconds(work: Callable[[], object]) -> float:
    """Return the median time of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[REPEATS // 2]

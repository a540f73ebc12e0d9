"""The gold judges of a run: what they say of answers as written, and of rewritten ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from collect.run.small import write_folder

from engine.collect.configuration.read_config import parse_config
from engine.collect.run import cluster
from engine.collect.run.cluster import run_on_cluster
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.store import Store

SIMULATED = """
study = "s"
data = "{folder}"
judges = ["a"]
gold_judges = ["g", "h", "k"]
paradigms = ["pairwise"]
variants = ["forced"]
[transforms.humorous]
by = "k"
[transforms.padded]
make = "padding"
[models.a]
model = "simulated/a"
[models.g]
model = "simulated/g"
[models.h]
model = "simulated/h"
[models.k]
model = "simulated/k"
"""

# k rewrote all answers, so that two judges are left there, which are no panel.
OUTCOMES = {
    **{(source, "none"): 2 for source in ("g", "h", "k", "committee:gold")},
    ("g", "humorous"): 2,
    ("h", "humorous"): 2,
}


def test_a_run_writes_gold_on_rewritten_answers_apart_and_none_on_padded_ones(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=2)

    run(parse_config(SIMULATED.format(folder=folder)), store)

    rows = store.open("s").table("preferences").to_pylist()
    assert Counter((row["source"], row["transform"]) for row in rows) == OUTCOMES


def test_a_run_on_a_cluster_writes_the_gold_too(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "data", instances=2)

    def one_after_the_other(
        _: object, task: Callable[[Any], Any], tasks: Iterable[Any], **__: object
    ) -> Iterator[Any]:
        yield from map(task, tasks)

    monkeypatch.setattr(cluster, "connect", lambda _: nullcontext())
    monkeypatch.setattr(cluster, "shards_for", lambda _: 3)
    monkeypatch.setattr(cluster, "completed_tasks", one_after_the_other)

    report = run_on_cluster(parse_config(SIMULATED.format(folder=folder)), store, RunOptions(), "here")

    assert report.end == "done"
    rows = store.open("s").table("preferences").to_pylist()
    assert Counter((row["source"], row["transform"]) for row in rows) == OUTCOMES

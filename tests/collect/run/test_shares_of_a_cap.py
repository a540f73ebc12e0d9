"""What a shard may spend of a run's cap, and whether a run of answers alone has read any."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.dispatch.run_status import Counts
from engine.collect.limits.spending import Spending
from engine.collect.run import prepared_run
from engine.collect.run.one_process import is_unread
from engine.collect.run.prepared_run import SHARE, spending_of
from engine.collect.run_options import RunOptions, Shard
from engine.store import Store

from .small import config, write_folder


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the study say that the run has cost $4 so far."""
    monkeypatch.setattr(prepared_run, "cost_so_far", lambda *_: 4.0)
    monkeypatch.setattr(prepared_run, "StudyFiles", lambda _: None)


def spending(tmp_path: Path, options: RunOptions, **shares: str) -> Spending:
    """Return the spending of shard 1 beside the shares of others, in dollars."""
    run = tmp_path / "run"
    for name, dollars in {"shard-1-of-3": "99.0", **shares}.items():
        (run / name).mkdir(parents=True)
        (run / name / SHARE).write_text(dollars)
    job = SimpleNamespace(
        config=config(write_folder(tmp_path / "data")), options=options, store=Store(tmp_path / "store"),
        study=SimpleNamespace(location=None), run_id="r", models=None,
        files=SimpleNamespace(path=run / "shard-1-of-3"), run_files=SimpleNamespace(path=run),
    )  # fmt: skip
    return spending_of(cast("Any", job), cast("Any", None))


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize(
    ("cap", "given", "others", "share"),
    [
        (10.0, None, {}, 2.0),  # a third of the $6 that are left
        (10.0, 3.0, {}, 3.0),
        (10.0, 3.0, {"shard-2-of-3": "5.0"}, 1.0),  # no more than the others leave
        (10.0, None, {"shard-2-of-3": "1.5", "shard-3-of-3": "3.0"}, 1.5),
        (10.0, None, {"shard-2-of-3": "6.5"}, 0.0),
        (3.0, None, {}, 0.0),  # more is spent than the cap allows
    ],
)
def test_a_shard_gets_its_share_of_what_is_left_and_notes_it_for_the_others(
    tmp_path: Path, cap: float, given: float | None, others: dict[str, str], share: float
) -> None:
    options = RunOptions(max_usd=cap, shard=Shard(1, 3), share_usd=given)

    result = spending(tmp_path, options, **others)

    assert (result.cap, result.spent) == (4.0 + share, 4.0)
    assert (tmp_path / "run" / "shard-1-of-3" / SHARE).read_text() == repr(share)


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize(
    ("options", "cap"),
    [(RunOptions(max_usd=10.0), 10.0), (RunOptions(shard=Shard(1, 3)), None), (RunOptions(), None)],
)
def test_a_whole_run_has_the_whole_cap(tmp_path: Path, options: RunOptions, cap: float | None) -> None:
    result = spending(tmp_path, options)

    assert (result.cap, result.spent) == (cap, 4.0)
    assert (tmp_path / "run" / "shard-1-of-3" / SHARE).read_text() == "99.0"


@pytest.mark.parametrize(
    ("counts", "unread"),
    [
        (Counts(unparsed=1), True),
        (Counts(refused=1), True),
        (Counts(unparsed=1, refused=1), True),
        (Counts(unparsed=1, ok=1), False),
        (Counts(error=1), False),
        (Counts(), False),
    ],
)
def test_a_run_of_answers_alone_is_unread_if_it_has_answers_and_none_is_read(
    tmp_path: Path, counts: Counts, unread: bool
) -> None:
    settings = config(write_folder(tmp_path / "data"), judges=[], paradigms=[])

    assert is_unread(settings, cast("Any", None), "r", counts) is unread

"""What `--redo` withdraws, from which runs and at which stage, and what killed processes left to add."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.entries import Entry
from engine.collect.database.run_database import RunDatabase
from engine.collect.rows.redo import RepeatedResponses
from engine.collect.run import prepared_run
from engine.collect.run.prepared_run import SHARE, WITHDRAWN, recover_calls, withdraw_calls
from engine.collect.run_folder import RunFolder
from engine.collect.run_options import RunOptions, Shard
from engine.errors import StoreError
from engine.store import Store

from .recording import entry, keys, record
from .small import config, write_folder

Row = dict[str, Any]
ROW: Row = {
    "call_id": "0" * 15, "status": "ok", "shortfall": None, "stood_in_for": None,
    "paradigm": "single_rubric", "instance_id": "i", "generator": "a", "opponent": None,
    "transform": "none", "ordering": None,
}  # fmt: skip
OF_THE_RESPONSE = ROW | {"generator": "repeated"}
REPEATED = RepeatedResponses({("i", "repeated", "none"): "c"})


class Collector:
    """Records what is withdrawn and added."""

    def __init__(self, run_id: str = "r", groups: int = 0) -> None:
        self.withdrawn: list[tuple[Callable[[Row], bool], Path, Callable[[str, int], str], bool]] = []
        self.responses: list[tuple[RepeatedResponses, Path]] = []
        self.added: list[str] = []
        self.changes: list[Any] = []
        self.runs = SimpleNamespace(
            run_id=run_id,
            with_groups=lambda _, rows: [*rows, *range(groups)],
            add_charges=lambda charges, rows: [*rows, charges],
        )

    def withdraw(self, condition: Any, path: Path, note: Any, *, new_settings: bool = True) -> int:
        self.withdrawn.append((condition, path, note, new_settings))
        return 1

    def withdraw_responses(self, repeated: RepeatedResponses, path: Path, _: Any) -> None:
        self.responses.append((repeated, path))

    def collect_missing(self, entries: list[Entry]) -> list[Entry]:
        self.added += [each.key for each in entries]
        return entries

    def change_runs(self, change: Any) -> None:
        self.changes.append(change([]))


@pytest.fixture
def collectors(monkeypatch: pytest.MonkeyPatch) -> dict[str, Collector]:
    """The collectors of runs, by their ids."""
    collectors: dict[str, Collector] = {}
    monkeypatch.setattr(
        prepared_run, "_collector", lambda _, run_id: collectors.setdefault(run_id, Collector(run_id))
    )
    return collectors


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run with one other in its study, and three stages: answers, rewritings and judgments."""
    monkeypatch.setattr(prepared_run, "StudyFiles", lambda _: None)
    monkeypatch.setattr(prepared_run, "repeated_responses", lambda *_: RepeatedResponses())
    column = SimpleNamespace(to_pylist=lambda: ["r", "other", "other"])

    class Runs:
        def to_pylist(self) -> list[Row]:
            return []

        def __getitem__(self, _: str) -> Any:
            return column

    folder = tmp_path / "store" / ".runs" / "s" / "r"
    folder.mkdir(parents=True)
    return SimpleNamespace(
        config=config(write_folder(tmp_path / "data")), options=RunOptions(redo=frozenset(["cut_off"])),
        store=Store(tmp_path / "store"), run_id="r", changes=(), files=RunFolder(folder),
        run_files=RunFolder(folder), prompts=SimpleNamespace(groups=()),
        study=SimpleNamespace(location=None, table=lambda *_: Runs()),
    )  # fmt: skip


def withdraw(job: Any) -> Collector:
    collector = Collector()
    withdraw_calls(job, cast("Any", collector))
    return collector


def repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared_run, "repeated_responses", lambda *_: REPEATED)


@pytest.mark.parametrize(
    ("redo", "row", "withdrawn"),
    [
        ("cut_off", {"shortfall": "cut_off", "status": "unparsed"}, True),
        ("unparsed", {"shortfall": "cut_off", "status": "unparsed"}, True),
        ("error", {"shortfall": "cut_off", "status": "unparsed"}, False),
        ("error", {"status": "error"}, True),
        ("cut_off", {}, False),
        ("stood_in", {"stood_in_for": "b"}, True),
        ("stood_in", {}, False),
        ("cut_off", {"stood_in_for": "b"}, False),
    ],
)
def test_judgments_are_withdrawn_by_their_status_their_shortfall_or_who_stood_in(
    job: Any, redo: str, row: Row, withdrawn: bool
) -> None:
    job.options = RunOptions(redo=frozenset([redo, "nothing"]))

    [(condition, path, _, new_settings)] = withdraw(job).withdrawn

    assert condition(ROW | row) is withdrawn
    assert (path, new_settings) == (job.files.path / WITHDRAWN, True)


def test_without_redo_nothing_is_withdrawn(job: Any) -> None:
    job.options = RunOptions()

    collector = withdraw(job)

    assert (collector.withdrawn, collector.responses) == ([], [])


@pytest.mark.usefixtures("collectors")
@pytest.mark.parametrize(
    ("step", "responses", "judgments"),
    [(None, True, True), (0, True, False), (1, False, False), (2, False, True)],
)
def test_responses_are_withdrawn_before_the_first_stage_and_judgments_before_the_last(
    job: Any, monkeypatch: pytest.MonkeyPatch, step: int | None, responses: bool, judgments: bool
) -> None:
    repeat(monkeypatch)
    job.options = RunOptions(redo=frozenset(["cut_off"]), step=step)

    collector = withdraw(job)

    cut_off = ROW | {"shortfall": "cut_off"}
    conditions = [condition for condition, *_ in collector.withdrawn]
    assert len(conditions) == (responses or judgments)
    for condition in conditions:
        assert (condition(OF_THE_RESPONSE), condition(cut_off), condition(ROW)) == (
            responses, judgments, False
        )  # fmt: skip
    assert collector.responses == [(REPEATED, job.files.path / WITHDRAWN)] * responses


def test_a_shard_withdraws_its_own_judgments_and_all_of_a_repeated_response(
    job: Any, monkeypatch: pytest.MonkeyPatch, collectors: dict[str, Collector]
) -> None:
    repeat(monkeypatch)
    job.options = RunOptions(redo=frozenset(["cut_off"]), shard=Shard(1, 2))

    [(condition, *_)] = withdraw(job).withdrawn

    cut_off = {"shortfall": "cut_off"}
    own, others = "0" * 15, "0" * 14 + "1"  # the call's id modulo the number of shards
    assert [condition(ROW | cut_off | {"call_id": each}) for each in (own, others)] == [True, False]
    assert condition(OF_THE_RESPONSE | {"call_id": others})
    assert collectors.keys() == {"other"}


def test_other_runs_lose_what_they_have_about_a_repeated_response_and_keep_their_settings(
    job: Any, monkeypatch: pytest.MonkeyPatch, collectors: dict[str, Collector]
) -> None:
    repeat(monkeypatch)

    withdraw(job)

    assert collectors.keys() == {"other"}
    [(condition, path, _, new_settings)] = collectors["other"].withdrawn
    assert (condition(OF_THE_RESPONSE), condition(ROW | {"shortfall": "cut_off"})) == (True, False)
    assert (path, new_settings) == (job.files.path.parent / "other" / WITHDRAWN, False)


def test_the_note_on_a_model_has_its_own_changes_and_those_of_all(job: Any) -> None:
    job.options = RunOptions(redo=frozenset(["error", "cut_off"]))
    note = withdraw(job).withdrawn[0][2]

    def words(calls: int) -> str:
        date, _, text = note("a", calls).partition("+00:00: ")
        assert len(date) == len("2026-01-01T12:00")
        return text

    plain = words(1)
    job.changes = ("the template has changed", "models.a.params is 2", "models.ab.params is 3")

    assert plain == "1 call requested again (cut_off, error)"
    assert words(1200) == (
        "1,200 calls requested again (cut_off, error); the template has changed; models.a.params is 2"
    )


def test_what_killed_processes_left_is_added_to_their_runs(
    job: Any, collectors: dict[str, Collector]
) -> None:
    runs = job.files.path.parent
    places = {"r": [1], "r/shard-1-of-2": [2, 3], "other": [4], "other/shard-2-of-2": [5], "whole": []}
    for name, numbers in places.items():
        (runs / name).mkdir(parents=True, exist_ok=True)
        (runs / name / SHARE).write_text("1.0")
        record(runs / name, map(entry, numbers))
    (runs / "lock").touch()  # a file among the folders

    collector, notes = recover_calls(job)

    assert cast("Any", collector) is collectors["r"]
    assert sorted(collectors["r"].added) == sorted(keys([1, 2, 3]))
    assert sorted(collectors["other"].added) == sorted(keys([4, 5]))
    assert (notes, collectors.keys()) == ([], {"r", "other"})
    assert not list(runs.rglob(SHARE))
    assert all(not _has_calls(runs / name) for name in places)


def _has_calls(folder: Path) -> bool:
    return prepared_run.is_unfinished(folder)


def test_a_shard_leaves_what_others_are_working_on(job: Any, collectors: dict[str, Collector]) -> None:
    runs = job.files.path.parent
    own = job.files.path / "shard-1-of-2"
    own.mkdir()
    (runs / "other").mkdir()
    for number, place in enumerate((own, runs / "r", runs / "other")):
        record(place, [entry(number)])
    job.options, job.files = RunOptions(shard=Shard(1, 2)), RunFolder(own)

    recover_calls(job)

    assert (collectors.keys(), collectors["r"].added) == ({"r"}, keys([0]))
    assert [_has_calls(place) for place in (own, runs / "r", runs / "other")] == [False, True, True]


def test_what_calls_may_have_cost_that_were_cut_off_is_added_once(
    job: Any, collectors: dict[str, Collector]
) -> None:
    with closing(RunDatabase(job.files.path)) as database:
        CallsUnderWay(database).add_charges({"c": {("a", "judge", "quality", "default"): 0.25}})

    recover_calls(job)
    recover_calls(job)

    assert collectors["r"].changes == [[{("a", "judge", "quality", "default"): 0.25}]]


@pytest.mark.parametrize(("groups", "writes"), [(0, 0), (2, 1)])
def test_rows_of_runs_are_written_for_new_models_or_paradigms_only(
    job: Any, collectors: dict[str, Collector], groups: int, writes: int
) -> None:
    collectors["r"] = Collector(groups=groups)

    recover_calls(job)

    assert len(collectors["r"].changes) == writes


def test_another_run_that_cannot_be_read_is_left_and_the_own_one_ends_the_start(
    job: Any, collectors: dict[str, Collector]
) -> None:
    other = job.files.path.parent / "other"
    other.mkdir()
    (other / SHARE).touch()
    (other / "run.sqlite").write_bytes(b"no database at all" * 500)

    _, [note] = recover_calls(job)
    (job.files.path / "run.sqlite").write_bytes(b"no database at all" * 500)

    assert note.startswith("the run 'other' is left as it is: ")
    assert (other / SHARE).exists()
    with pytest.raises(StoreError, match="is damaged"):
        recover_calls(job)
    assert collectors.keys() == {"r"}

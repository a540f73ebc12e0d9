"""Which responses `--redo` repeats, and which rows are about one of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest
from collect.plan.small import Rows, stored, tables
from collect.plan.small import config as planned

from engine.collect.calls import CallRequest, Subject
from engine.collect.configuration.config import RunConfig
from engine.collect.plan.study_texts import ResponseKey
from engine.collect.rows.redo import RepeatedResponses, repeated_responses
from engine.collect.run_options import Shard
from engine.store.study_files import StudyFiles

REPEATED = RepeatedResponses({("i", "a", "none"): "key", ("i", "b", "terse"): ""})


def judgment(**values: object) -> dict[str, object]:
    row = {
        "paradigm": "pairwise",
        "instance_id": "i",
        "transform": "none",
        "opponent": None,
        "ordering": None,
    }
    return {**row, **values}


@pytest.mark.parametrize(
    ("row", "concerned"),
    [
        ({"generator": "a", "opponent": "c"}, True),
        ({"generator": "c", "opponent": "a"}, True),
        ({"generator": "c", "opponent": "d"}, False),
        ({"generator": "a", "opponent": "c", "instance_id": "j"}, False),
        ({"generator": "b", "opponent": "c"}, False),
        ({"generator": "b", "opponent": "c", "transform": "terse"}, True),
        ({"generator": "b", "opponent": "c", "transform": "padded"}, False),
        # Under a transform the opponent may be shown as written.
        ({"generator": "c", "opponent": "a", "transform": "padded"}, True),
        ({"generator": "c", "paradigm": "listwise", "ordering": json.dumps(["c", "a"])}, True),
        ({"generator": "c", "paradigm": "listwise", "ordering": json.dumps(["c", "d"])}, False),
        ({"generator": "c", "paradigm": "listwise"}, False),
        ({"generator": "c", "opponent": "d", "ordering": json.dumps(["c", "a"])}, False),
    ],
)
def test_a_judgment_is_about_the_responses_that_it_shows(row: dict[str, object], concerned: bool) -> None:
    assert REPEATED.concern_judgment(judgment(**row)) is concerned


def test_without_repeated_responses_no_judgment_is_about_one() -> None:
    assert not RepeatedResponses().concern_judgment({})


@pytest.mark.parametrize(
    ("table", "row", "concerned"),
    [
        ("responses", {"generator": "a", "transform": "none"}, True),
        ("responses", {"generator": "a", "transform": "terse"}, False),
        ("responses", {"generator": "b", "transform": "terse"}, True),
        ("references", {"generator": "a"}, True),
        ("references", {"generator": "b"}, False),
        ("preferences", {"generator": "c", "opponent": "a", "transform": "none"}, True),
        ("preferences", {"generator": "a", "opponent": "c", "transform": "none"}, True),
        ("preferences", {"generator": "b", "opponent": "c", "transform": "none"}, False),
        ("preferences", {"generator": "c", "opponent": "b", "transform": "terse"}, True),
        ("preferences", {"generator": "c", "opponent": "a", "transform": "terse"}, False),
    ],
)
def test_rows_of_other_tables_are_about_the_form_that_they_name(
    table: str, row: dict[str, object], concerned: bool
) -> None:
    assert REPEATED.concern(table, {"instance_id": "i", **row}) is concerned
    assert REPEATED.concern(table, {"instance_id": "j", **row}) is False


def test_a_table_loses_what_is_about_them_and_nothing_else() -> None:
    rows = [
        {"instance_id": "i", "generator": generator, "rubric_id": "r", "met": met}
        for generator, met in (("a", True), ("b", False), ("c", None))
    ]

    left, left_out = REPEATED.without("references", pa.Table.from_pylist(rows))

    assert left.to_pylist() == rows[1:]
    assert left_out == rows[:1]


def collected(finish: str | None, shortfall: str | None, **values: object) -> dict[str, object]:
    row = {"instance_id": "i0", "generator": "a", "transform": "none", "text": "x"}
    return {**row, "finish_reason": finish, "shortfall": shortfall, **values}


class Responses:
    """A study that has only these rows of responses."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def table(self, name: str, columns: list[str]) -> pa.Table:
        assert name == "responses"
        return pa.Table.from_pylist([{column: row[column] for column in columns} for row in self.rows])


def repeated(
    rows: Rows, *redo: str, config: RunConfig | None = None, shard: Shard | None = None
) -> Mapping[ResponseKey, str]:
    study = cast("StudyFiles", Responses(rows))
    return repeated_responses(config or planned(generators=["a", "b"]), study, frozenset(redo), shard).calls


KEY = ("i0", "a", "none")


@pytest.mark.parametrize(
    ("finish", "shortfall", "redo", "named"),
    [
        ("content_filter", None, "refused", True),
        ("content_filter", None, "unparsed", False),
        ("stop", None, "refused", False),
        ("content_filter", "empty", "refused", False),
        ("stop", "empty", "empty", True),
        ("stop", "empty", "malformed", False),
        ("stop", "empty", "unparsed", True),
        ("length", "cut_off", "cut_off", True),
        ("length", "cut_off", "unparsed", False),  # it has a text, and is judged
    ],
)
def test_responses_are_repeated_by_their_shortfall_or_refusal(
    finish: str, shortfall: str | None, redo: str, named: bool
) -> None:
    request = CallRequest("generator", "a", None, "default", Subject("i0", "a"))

    assert repeated([collected(finish, shortfall)], redo) == ({KEY: request.key} if named else {})


def test_only_responses_of_the_configurations_models_can_be_repeated() -> None:
    rows = [collected("stop", "empty", generator=name) for name in ("a", "c", "z")]

    assert repeated(rows, "empty", config=planned(generators=["a", "b"])).keys() == {KEY}
    # z is no model that may be called.
    both = repeated(rows, "empty", config=planned(generators=["a", "c"]))
    assert both.keys() == {KEY, ("i0", "c", "none")}


def test_a_shard_repeats_its_own_part() -> None:
    rows = [collected("stop", "empty", instance_id=f"i{n}") for n in range(20)]

    parts = [repeated(rows, "empty", shard=Shard(number, 2)) for number in (1, 2)]

    keys = [set(part) for part in parts]
    assert keys[0] & keys[1] == set()
    assert keys[0] | keys[1] == {(f"i{n}", "a", "none") for n in range(20)}
    assert min(map(len, keys)) > 0


TRANSFORMS = '[transforms.terse]\nmake = "rewrite"\nby = "q"\n[transforms.padded]\nmake = "padding"'


def test_what_was_made_of_a_response_is_repeated_with_it_but_not_the_other_way_about() -> None:
    config = planned(generators=["a", "b"], transforms=TRANSFORMS.replace("terse", "paraphrase"))
    rows = [
        collected("stop", "empty"),
        collected("stop", None, transform="paraphrase"),
        collected("stop", None, transform="padded"),
        collected("stop", None, generator="b"),
        collected("stop", "empty", generator="b", transform="paraphrase"),
        collected("stop", None, instance_id="i1", transform="paraphrase"),
    ]

    calls = repeated(rows, "empty", config=config)

    assert calls.keys() == {
        KEY,
        ("i0", "a", "paraphrase"),
        ("i0", "a", "padded"),
        ("i0", "b", "paraphrase"),
    }
    # A model rewrote it; padding is made without one.
    by_transform = {key[2]: call for key, call in calls.items()}
    assert by_transform["padded"] == ""
    assert len({calls[key] for key in calls}) == 4


def test_stored_responses_are_read_like_these(tmp_path: Path) -> None:
    rows = tables(1)
    rows["responses"] = [
        {"instance_id": "i0", "generator": "a", "text": "", "shortfall": "empty", "finish_reason": "stop"},
        {"instance_id": "i0", "generator": "b", "text": "x", "finish_reason": "content_filter"},
    ]
    study = stored(tmp_path / "store", rows)

    calls = repeated_responses(planned(generators=["a", "b"]), study, frozenset({"refused"}), None).calls

    assert calls.keys() == {("i0", "b", "none")}

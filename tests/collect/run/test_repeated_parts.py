"""Which responses are repeated, and which rows of other tables are about them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from engine.collect.calls import CallRequest, Subject
from engine.collect.configuration.config import RunConfig
from engine.collect.rows.redo import RepeatedResponses, repeated_responses
from engine.collect.run_options import Shard
from engine.shown_order import shown_order

from .small import config, write_folder

REPEATED = RepeatedResponses({("x", "a", "none"): "k1", ("x", "b", "padded"): "k2"})


def judgment(**fields: Any) -> dict[str, Any]:
    values = {"paradigm": "single_rubric", "instance_id": "x", "generator": "a", "opponent": None,
              "transform": "none", "ordering": None}  # fmt: skip
    return values | fields


@pytest.mark.parametrize(
    ("row", "concerned"),
    [
        (judgment(), True),
        (judgment(instance_id="y"), False),
        (judgment(generator="c"), False),
        (judgment(generator="b"), False),  # its response as written is not repeated
        (judgment(generator="b", transform="padded"), True),
        (judgment(transform="padded"), True),  # it may be shown as written in a pair under a transform
        (judgment(paradigm="pairwise", generator="c", opponent="a"), True),
        (judgment(paradigm="listwise", generator="c", ordering=shown_order(("c", "a"))), True),
        (judgment(paradigm="listwise", generator="c", ordering=shown_order(("c", "d"))), False),
        (judgment(paradigm="score_rubric", generator="c", ordering="1-2-3-4-5"), False),
    ],
)
def test_a_judgment_is_withdrawn_with_any_response_that_it_shows(
    row: dict[str, Any], concerned: bool
) -> None:
    assert REPEATED.concern_judgment(row) is concerned
    assert not RepeatedResponses().concern_judgment(row)


@pytest.mark.parametrize(
    ("table", "row", "concerned"),
    [
        ("responses", {"generator": "a", "transform": "none"}, True),
        ("responses", {"generator": "a", "transform": "padded"}, False),
        ("references", {"generator": "a"}, True),
        ("references", {"generator": "b"}, False),
        ("preferences", {"generator": "c", "opponent": "a", "transform": "none"}, True),
        ("preferences", {"generator": "c", "opponent": "d", "transform": "none"}, False),
        ("preferences", {"generator": "a", "opponent": "b", "transform": "padded"}, True),
        ("preferences", {"generator": "a", "opponent": "c", "transform": "padded"}, False),
    ],
)
def test_what_is_about_a_response_goes_with_it(table: str, row: dict[str, Any], concerned: bool) -> None:
    rows = pa.Table.from_pylist(
        [{"instance_id": "x", "more": 1, **row}, {"instance_id": "y", "more": 2, **row}]
    )

    left, out = REPEATED.without(table, rows)

    assert [each["more"] for each in out] == ([1] if concerned else [])
    assert left["more"].to_pylist() == ([2] if concerned else [1, 2])


REWRITTEN = "[transforms.short]\nby = 'b'\n[transforms.padded]\nmake = 'padding'"


def stored(*rows: tuple[str, str, str | None, str | None]) -> Any:
    """Return a study with responses of (generator, transform, finish reason, shortfall) to one question."""
    names = ("generator", "transform", "finish_reason", "shortfall")
    table = pa.Table.from_pylist([{"instance_id": "x", **dict(zip(names, row, strict=True))} for row in rows])
    return SimpleNamespace(table=lambda name, columns: table.select(columns) if name == "responses" else None)


@pytest.fixture
def settings(tmp_path: Path) -> RunConfig:
    folder = write_folder(tmp_path / "data")
    (tmp_path / "short.txt").write_text("{{response}}")
    return config(
        folder, more=REWRITTEN.replace("by = 'b'", f"by = 'b'\ntemplate = '{tmp_path / 'short.txt'}'")
    )


def key(transform: str = "none", generator: str = "a", model: str = "a", variant: str = "default") -> str:
    return CallRequest("generator", model, None, variant, Subject("x", generator, transform=transform)).key


@pytest.mark.parametrize(
    ("redo", "finish_reason", "shortfall", "named"),
    [
        ("cut_off", "length", "cut_off", True),
        ("unparsed", None, "empty", True),
        ("unparsed", None, "only_thinking", True),
        ("unparsed", None, "cut_off", False),  # it has an answer
        ("refused", "content_filter", None, True),
        ("refused", "stop", None, False),
        ("empty", "content_filter", None, False),
        ("refused", "content_filter", "cut_off", False),
    ],
)
def test_a_response_is_repeated_for_its_shortfall_or_its_refusal(
    settings: RunConfig, redo: str, finish_reason: str | None, shortfall: str | None, named: bool
) -> None:
    study = stored(("a", "none", finish_reason, shortfall))

    repeated = repeated_responses(settings, study, frozenset({redo}), None)

    assert repeated.calls == ({("x", "a", "none"): key()} if named else {})


def test_what_was_made_of_a_response_is_repeated_with_it(settings: RunConfig) -> None:
    study = stored(
        ("a", "none", None, "empty"),
        ("a", "padded", None, None),
        ("a", "short", None, None),
        ("b", "padded", None, None),
    )

    calls = repeated_responses(settings, study, frozenset({"empty"}), None).calls

    assert calls.keys() == {("x", "a", "none"), ("x", "a", "padded"), ("x", "a", "short")}
    assert calls["x", "a", "padded"] == ""  # made without a model
    assert len(calls["x", "a", "short"]) == len(key())


def test_a_rewriting_alone_is_repeated_without_its_original(settings: RunConfig) -> None:
    study = stored(("a", "short", None, "empty"), ("a", "none", None, None), ("a", "padded", None, "empty"))

    calls = repeated_responses(settings, study, frozenset({"empty"}), None).calls

    assert calls.keys() == {("x", "a", "short")}


def test_responses_that_this_run_does_not_collect_stay(settings: RunConfig) -> None:
    others = stored(("c", "none", None, "empty"), ("a", "unknown", None, "empty"))
    judge_alone = settings.model_copy(update={"generators": ["b"]})

    assert repeated_responses(settings, others, frozenset({"empty"}), None).calls == {}
    study = stored(("a", "none", None, "empty"))
    assert repeated_responses(judge_alone, study, frozenset({"empty"}), None).calls == {}


def test_each_shard_repeats_its_own_responses(settings: RunConfig) -> None:
    study = cast("Any", stored(("a", "none", None, "empty"), ("b", "none", None, "empty")))

    shards = [
        repeated_responses(settings, study, frozenset({"empty"}), Shard(number, 7)).calls
        for number in range(1, 8)
    ]

    assert sorted(each for calls in shards for each in calls) == [("x", "a", "none"), ("x", "b", "none")]

"""Which run is continued, with which cap, and which changes of its settings are refused."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.configuration.config import Price
from engine.collect.paradigms.templates import Template
from engine.collect.run.continuing import changes_since, refuse_changes, run_to_continue
from engine.collect.run.prepared_run import cap_of, check, facts_of
from engine.collect.run_options import RunOptions, Shard
from engine.errors import UsageError
from engine.store import Store

from .small import FakeModels, config, config_text, write_folder


def row(run_id: str = "r1", model: str = "a", **fields: Any) -> dict[str, Any]:
    values = {"run_id": run_id, "model": model, "role": "judge", "paradigm": "single_rubric",
              "variant": "default", "provenance": "api", "config": "", "template_sha256": None}  # fmt: skip
    return values | fields


@pytest.mark.parametrize(
    ("options", "run_id"),
    [
        (RunOptions(), "r3"),
        (RunOptions(fresh=True), None),
        (RunOptions(run_id="r9"), "r9"),
        (RunOptions(run_id="r9", fresh=True), "r9"),
    ],
)
def test_the_last_run_of_this_program_is_continued_unless_another_is_named(
    options: RunOptions, run_id: str | None, tmp_path: Path
) -> None:
    settings = config(write_folder(tmp_path / "data"))
    rows = [
        row("r1"),
        row("r3", provenance="simulated"),
        row("r2"),
        row("r4", provenance="imported"),
        row("r5", config=None),
    ]

    assert run_to_continue(rows, settings, options) == run_id
    assert run_to_continue([row("r4", provenance="imported")], settings, RunOptions()) is None


def template(kind: Any = "single_rubric", text: str = "new", variant: str = "default") -> Template:
    return Template(kind, variant, "file", text)


@pytest.mark.parametrize(
    ("kind", "paradigm", "name"),
    [
        ("single_rubric", "single_rubric", "single_rubric"),
        ("rewrite", None, "rewriting"),
        ("answer", None, "answers"),
    ],
)
def test_a_template_that_changed_is_named(tmp_path: Path, kind: Any, paradigm: Any, name: str) -> None:
    settings = config(write_folder(tmp_path / "data"))
    same, other = template(kind).sha256, "0" * 64

    def changes(sha256: str | None, run_id: str = "r1") -> list[str]:
        variant = "default" if kind != "rewrite" else "short"
        rows = [row(run_id, "none", paradigm=paradigm, variant=variant, template_sha256=sha256)]
        return changes_since("r1", rows, settings, [template(kind, variant=variant)])

    assert changes(same) == []
    assert changes(other, "r2") == []  # of another run
    shown = "short" if kind == "rewrite" else "default"
    words = f"has the sha256 {same[:12]}…, it had 000000000000…"
    assert changes(other) == [f"the template of {name}, variant {shown!r}, {words}"]


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (None, [template("answer")], "collected without one"),
        ("0" * 64, [], "collected with one"),
        (None, [], None),
    ],
)
def test_answers_are_collected_with_or_without_a_template_throughout(
    tmp_path: Path, before: str | None, now: list[Template], words: str | None
) -> None:
    settings = config(write_folder(tmp_path / "data"))
    rows = [row(role="generator", paradigm=None, template_sha256=before, model="none")]

    changes = [each for each in changes_since("r1", rows, settings, now) if "answer_template" in each]
    start = "answer_template is left out, and the answers so far were"
    assert changes == ([] if words is None else [f"{start} {words}"])


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ("params = { seed = 1 }", "params = { seed = 1 }", None),
        ("params = { seed = 1 }", "params = { seed = 2 }", "params is {'seed': 2}, it was {'seed': 1}"),
        ("", "params = {}", None),  # which are the defaults
        ("logprobs = false", "", None),
        ("structured = 'auto'\nprotocol = 'chat'", "", None),
        ("structured = 'never'", "", "structured is left out, it was 'never'"),
        ("", "logprobs = true", "logprobs is True, it was left out"),
        ("api_base = 'http://x/v1'", "api_base = 'http://y/v1'", None),  # where it is called may change
        ("price = { input_per_million = 1.0, output_per_million = 1.0 }", "", None),
    ],
)
def test_a_model_keeps_the_options_that_change_its_answers(
    tmp_path: Path, before: str, now: str, change: str | None
) -> None:
    folder = write_folder(tmp_path / "data")
    rows = [row(config=config_text(folder, a=before)), row(model="gone", config=config_text(folder))]
    settings = config(folder, a=now)

    changes = changes_since("r1", [*rows, *rows], settings, [])

    assert changes == ([] if change is None else [f"models.a.{change}"])
    if change is None:
        refuse_changes("r1", rows, settings, [])
    else:
        with pytest.raises(UsageError, match=r"was started with other settings: models\.a\."):
            refuse_changes("r1", rows, settings, [])


@pytest.mark.parametrize("text", [None, "", "not = = toml", "[models]\na = 3"])
def test_settings_that_cannot_be_read_change_nothing(tmp_path: Path, text: str | None) -> None:
    settings = config(write_folder(tmp_path / "data"), a="logprobs = true")

    assert changes_since("r1", [row(config=text)], settings, []) == []


@pytest.mark.parametrize(
    ("run", "options", "cap"),
    [
        ("max_usd = 5.0", RunOptions(), 5.0),
        ("max_usd = 5.0", RunOptions(max_usd=0.0), 0.0),
        ("max_usd = 5.0", RunOptions(no_cap=True), None),
        ("", RunOptions(max_usd=3.0), 3.0),
        ("", RunOptions(), None),
    ],
)
def test_the_commands_cap_comes_before_the_configurations(
    tmp_path: Path, run: str, options: RunOptions, cap: float | None
) -> None:
    settings = config(write_folder(tmp_path / "data"), run=run)

    facts = facts_of(settings, Store(tmp_path / "store"), options, "r")

    assert cap_of(settings, options) == cap
    assert (facts["max_usd"], facts["no_cap"], facts["shard"], facts["run_id"]) == (
        cap,
        options.no_cap,
        None,
        "r",
    )
    sharded = facts_of(settings, Store(tmp_path / "store"), RunOptions(shard=Shard(1, 2)), "r")
    assert sharded["shard"] == "1-of-2"


def test_a_cap_needs_the_price_of_each_model_that_is_called(tmp_path: Path) -> None:
    settings = config(write_folder(tmp_path / "data"))
    price = Price(input_per_million=0.0, output_per_million=0.0)
    some, both = FakeModels(prices={"a": price}), FakeModels(prices={"a": price, "b": price})

    check(settings, RunOptions(), cast("Any", some))
    check(settings, RunOptions(max_usd=0.0), cast("Any", both))
    with pytest.raises(UsageError, match=r"models\.b: the price is unknown, so max_usd cannot be kept"):
        check(settings, RunOptions(max_usd=0.0), cast("Any", some))


def test_a_missing_key_of_a_model_that_is_called_is_named(tmp_path: Path) -> None:
    settings = config(write_folder(tmp_path / "data"))

    def models(**missing: str) -> Any:
        return SimpleNamespace(missing_keys=lambda: missing, price=lambda _: None)

    check(settings, RunOptions(), models(elsewhere="X_KEY"))
    with pytest.raises(UsageError, match=r"models\.b: its key is read from .* B_KEY, which is not set"):
        check(settings, RunOptions(), models(b="B_KEY"))

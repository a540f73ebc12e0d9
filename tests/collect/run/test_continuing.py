"""Which run a configuration continues, what must not have changed, and the sample that it takes over."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.collect.configuration.read_config import parse_config
from engine.collect.paradigms.templates import Template
from engine.collect.run.continuing import changes_since, refuse_changes, run_to_continue, with_sample_of_run
from engine.collect.run.start import run
from engine.collect.run_folder import run_path
from engine.collect.run_options import RunOptions
from engine.errors import UsageError
from engine.store import Store

from .small import FakeModels, config, config_text, write_folder

TEMPLATE = Template("single_rubric", "default", "file", "the text")
ANSWERS = Template("answer", "default", "file", "{{prompt}}")
REWRITING = Template("rewrite", "style", "file", "{{response}}")


def row(run_id: str = "r1", **values: Any) -> dict[str, Any]:
    kind = {"model": "a", "role": "judge", "paradigm": "single_rubric"}
    fields = {**kind, "config": "", "provenance": "api"}
    return {"run_id": run_id, "variant": "default", "template_sha256": TEMPLATE.sha256, **fields, **values}


def test_the_last_run_of_ours_is_continued_unless_another_is_named() -> None:
    rows = [
        row("r1"),
        row("r3", provenance="simulated"),
        row("r2"),
        row("r4", provenance="imported"),
        row("r5", config=None),
    ]

    config = parse_config(text())
    assert run_to_continue(rows, config, RunOptions()) == "r3"
    assert run_to_continue(rows, config, RunOptions(run_id="r1")) == "r1"
    assert run_to_continue(rows, config, RunOptions(fresh=True)) is None
    assert run_to_continue(rows, config, RunOptions(fresh=True, run_id="r9")) == "r9"
    assert run_to_continue(rows[3:], config, RunOptions()) is None


@pytest.mark.parametrize(
    ("judges", "run_id"),
    [
        (["a"], "r1"),  # which has it, although r3 is newer
        (["b"], "r3"),
        (["a", "b"], "r3"),  # the newest that has one of them
        (["x"], None),
        ([], "r3"),  # answers alone are collected
    ],
)
def test_a_run_of_other_judges_is_not_continued(judges: list[str], run_id: str | None) -> None:
    rows = [row("r1"), row("r2", model="c"), row("r3", model="b"), row("r3", model="x", role="generator")]
    models = "".join(f"[models.{name}]\nmodel = 'openai/{name}'\n" for name in "abx")
    asking = f"judges = {judges}\nparadigms = ['single_rubric']" if judges else "generators = ['x']"
    config = parse_config(f"study = 's'\n{asking}\n{models}")

    assert run_to_continue(rows, config, RunOptions()) == run_id


def test_judges_are_added_to_a_run_that_collected_answers_alone() -> None:
    rows = [row("r1", model="x", role="generator")]

    assert run_to_continue(rows, parse_config(text()), RunOptions()) == "r1"


def text(**a: object) -> str:
    lines = "\n".join(f"{name} = {value}" for name, value in a.items())
    top = 'study = "s"\njudges = ["a"]\nparadigms = ["single_rubric"]'
    return f'{top}\n[models.a]\nmodel = "openai/a"\n{lines}\n'


def changes(before: str | None, now: str, *templates: Template, **values: Any) -> list[str]:
    return changes_since("r1", [row(config=before, **values)], parse_config(now), templates)


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        ({}, {}, []),
        ({}, {"logprobs": "false", "protocol": '"chat"', "structured": '"auto"', "params": "{}"}, []),
        ({}, {"api_base": '"http://here"', "family": '"f"', "timeout_s": 3}, []),
        ({}, {"logprobs": "true"}, ["models.a.logprobs is True, it was left out"]),
        ({"logprobs": "true"}, {}, ["models.a.logprobs is left out, it was True"]),
        (
            {"params": "{ temperature = 0.5 }"},
            {"params": "{ temperature = 0.75 }"},
            ["models.a.params is {'temperature': 0.75}, it was {'temperature': 0.5}"],
        ),
    ],
)
def test_what_affects_answers_must_be_as_it_was(
    before: dict[str, object], now: dict[str, object], says: list[str]
) -> None:
    assert changes(text(**before), text(**now)) == says


def test_a_model_that_is_not_in_either_configuration_is_not_compared() -> None:
    assert changes("not = = toml", text(logprobs="true")) == []
    assert changes(None, text(logprobs="true")) == []
    assert changes('study = "s"\n[models]\na = 3\n', text(logprobs="true")) == []
    assert changes(text(), text(logprobs="true"), model="b") == []


def test_a_change_is_named_once_and_of_this_run_alone() -> None:
    rows = [row(config=text()), row(config=text()), row("r2", config=text(logprobs="true"))]
    now = parse_config(text(logprobs="true"))

    assert changes_since("r1", rows, now, []) == ["models.a.logprobs is True, it was left out"]
    assert changes_since("r2", rows, now, []) == []
    with pytest.raises(
        UsageError, match=r"the run 'r1' of the study 's' was started with other settings: models"
    ):
        refuse_changes("r1", rows, now, [])
    refuse_changes("r2", rows, now, [])


@pytest.mark.parametrize(
    ("template", "values", "name"),
    [
        (TEMPLATE, {}, "single_rubric, variant 'default'"),
        (ANSWERS, {"paradigm": None}, "answers, variant 'default'"),
        (REWRITING, {"paradigm": None, "variant": "style"}, "rewriting, variant 'style'"),
    ],
)
def test_a_template_must_be_as_it_was(template: Template, values: dict[str, Any], name: str) -> None:
    changed = replace(template, text="another")
    now = parse_config(text())

    same = [row(config=text(), template_sha256=template.sha256, **values)]
    assert changes_since("r1", same, now, [template]) == []
    assert changes_since("r1", same, now, [changed]) == [
        f"the template of {name}, has the sha256 {changed.sha256[:12]}…, it had {template.sha256[:12]}…"
    ]
    # A variant that is new, or had no template, may come in.
    assert changes_since("r1", same, now, [replace(changed, variant="other")]) == []
    unknown = [row(config=text(), **{**values, "template_sha256": None})]
    assert [each for each in changes_since("r1", unknown, now, [changed]) if "sha256" in each] == []


def test_answers_are_collected_with_a_template_or_without_throughout() -> None:
    now = parse_config(text())
    without = [row(config=text(), paradigm=None, template_sha256=None)]
    with_one = [row(config=text(), paradigm=None, template_sha256=ANSWERS.sha256)]

    assert changes_since("r1", without, now, []) == changes_since("r1", with_one, now, [ANSWERS]) == []
    assert changes_since("r1", without, now, [ANSWERS]) == [
        "answer_template is left out, and the answers so far were collected without one"
    ]
    assert changes_since("r1", with_one, now, []) == [
        "answer_template is left out, and the answers so far were collected with one"
    ]
    # Without answers of models so far nothing is settled.
    assert changes_since("r1", [row(config=text())], now, [ANSWERS]) == []


def test_a_runs_sample_is_taken_over_with_its_seed(tmp_path: Path) -> None:
    folder, store = write_folder(tmp_path / "data", instances=5), Store(tmp_path / "store")
    plain = config(folder)
    assert with_sample_of_run(plain, store, RunOptions()) == (plain, "")

    seeded = config_text(folder, more="[sample]\nn = 2", seed=7)
    run(parse_config(seeded), store, models=FakeModels())

    sampled, words = with_sample_of_run(plain, store, RunOptions())
    assert sampled.sample is not None
    assert (sampled.sample.n, sampled.seed) == (2, 7)
    assert words == "the run's sample of 2 questions is kept; for all, write [sample] with n = 5"
    other, more = with_sample_of_run(config(folder, seed=8), store, RunOptions())
    assert other.seed == 8
    assert more == f"{words}; seed = 8 chooses others than the run's seed = 7"
    own = config(folder, more="[sample]\nn = 3")
    assert with_sample_of_run(own, store, RunOptions()) == (own, "")
    assert with_sample_of_run(plain, store, RunOptions(fresh=True)) == (plain, "")
    assert with_sample_of_run(plain, store, RunOptions(run_id="none")) == (plain, "")


def test_the_sample_is_in_the_study_too_where_the_runs_folder_is_gone(tmp_path: Path) -> None:
    folder, store = write_folder(tmp_path / "data", instances=5), Store(tmp_path / "store")
    report = run(config(folder, more="[sample]\nn = 2"), store, models=FakeModels())
    settings = run_path(store, "s", report.run_id) / "config.toml"
    present = [path for path in settings.parent.iterdir() if path.suffix == ".toml"]

    for path in present:
        path.unlink()
    sampled, _ = with_sample_of_run(config(folder), store, RunOptions())
    assert sampled.sample is not None
    assert (sampled.sample.n, sampled.seed) == (2, 0)
    for path in present:
        path.write_text("= not toml")
    if present:
        assert with_sample_of_run(config(folder), store, RunOptions())[1] == ""

"""Models that answer in place of a failed judge: under their own name, and the study says for whom."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.collect.calls import Failure, Reply
from engine.collect.configuration.config import Price
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import all_runs
from engine.errors import UsageError
from engine.store import Store
from engine.store.writer import validate_study

from .small import MET, FakeModels, config, met, write_folder

SPARE = "[models.spare]\nmodel = 'openai/spare'\nfamily = 'z'"
UNKNOWN_MODEL = Failure("model", "the server does not know this model", 404, "unknown_model")
NO_CREDIT = Failure("key", "the account has no credit left", 402, "quota")
DOWN = Failure("server", "the server failed", 503)
WRONG_KEY = Failure("key", "the key was refused", 401, "wrong_key")
TOO_LONG = Failure("request", "too long", 400, "context_length")
FILTERED = Reply("", finish_reason="content_filter", refusal="no", cost_usd=0.25)


def with_spare(folder: Path, a: str = "fallback = ['spare']", **more: Any) -> Any:
    return config(folder, a=a, more=SPARE, **more)


def judgments(store: Store) -> list[dict[str, Any]]:
    return store.open("s").table("judgments").to_pylist()


def whose(store: Store) -> Counter[tuple[str, str | None, str]]:
    return Counter((row["judge"], row["stood_in_for"], row["status"]) for row in judgments(store))


class OutcomeModels(FakeModels):
    """Judge a gives the stated outcome, the others a verdict."""

    def __init__(self, outcome: Reply | Failure, **more: Any) -> None:
        super().__init__(lambda model, prompt: outcome if model == "a" else met(model, prompt), **more)


@pytest.mark.parametrize("outcome", [UNKNOWN_MODEL, NO_CREDIT, DOWN])
def test_a_fallback_answers_under_its_own_name_and_the_row_says_for_whom(
    folder: Path, store: Store, outcome: Failure
) -> None:
    report = run(with_spare(folder), store, models=OutcomeModels(outcome))

    assert (report.exit_code, report.done, report.stood_in) == (0, 24, {"spare for a": 12})
    assert "12 answered by spare for a" in report.message
    assert list(report.given_up) == ([] if outcome is DOWN else ["a"])
    assert whose(store) == {("spare", "a", "ok"): 12, ("b", None, "ok"): 12}
    study = store.open("s")
    validate_study(study)
    families = {row["model"]: row["family"] for row in study.table("models").to_pylist()}
    assert families["spare"] == "z"
    took = {(row["model"], row["role"]): row["calls"] for row in study.table("runs").to_pylist()}
    assert (took["spare", "judge"], took["a", "judge"]) == (24, 0)  # a was asked too, each time
    assert all_runs(store)[0].status["stood_in"] == {"spare for a": 12}


def test_a_fallbacks_answer_is_not_asked_again_unless_redo_says_so(folder: Path, store: Store) -> None:
    run(with_spare(folder), store, models=OutcomeModels(DOWN))
    again = FakeModels()
    second = run(with_spare(folder), store, models=again)

    assert (second.already_done, sum(again.prompts.values())) == (24, 0)

    third = run(with_spare(folder), store, RunOptions(redo=frozenset(["stood_in"])), models=FakeModels())

    assert (third.already_done, third.done, third.stood_in) == (12, 12, {})
    assert whose(store) == {("a", None, "ok"): 12, ("b", None, "ok"): 12}


@pytest.mark.parametrize(
    ("outcome", "status"), [(WRONG_KEY, "error"), (TOO_LONG, "error"), (FILTERED, "refused")]
)
def test_outcomes_that_need_no_fallback_stay_the_judges_own(
    folder: Path, store: Store, outcome: Reply | Failure, status: str
) -> None:
    models = OutcomeModels(outcome)

    run(with_spare(folder), store, models=models)

    assert whose(store).get(("a", None, status)) is not None
    assert not any(name == "spare" for name, _ in models.prompts)


def test_a_prompt_stopped_by_the_providers_filter_goes_to_a_fallback_if_configured(
    folder: Path, store: Store
) -> None:
    wanted = "fallback = ['spare']\nfallback_on = ['content_policy']"

    report = run(with_spare(folder, wanted), store, models=OutcomeModels(FILTERED))

    assert whose(store) == {("spare", "a", "ok"): 12, ("b", None, "ok"): 12}
    assert report.cost_usd == pytest.approx(12 * 0.25 + 24 * 0.001)


def test_if_the_fallback_also_fails_the_call_is_the_judges_error_and_is_asked_again(
    folder: Path, store: Store
) -> None:
    def nobody(model: str, question: str) -> Reply | Failure:
        return met(model, question) if model == "b" else (UNKNOWN_MODEL if model == "a" else DOWN)

    first = run(with_spare(folder), store, models=FakeModels(nobody))
    errors = whose(store)
    second = run(with_spare(folder), store, models=FakeModels())

    assert (first.error, first.exit_code) == (12, 3)
    assert errors == {("a", None, "error"): 12, ("b", None, "ok"): 12}
    assert (second.done, second.exit_code) == (12, 0)
    assert whose(store) == {("a", None, "ok"): 12, ("b", None, "ok"): 12}


def test_the_first_of_several_fallbacks_to_answer_counts(folder: Path, store: Store) -> None:
    other = SPARE.replace("spare", "other")

    def second_only(model: str, question: str) -> Reply | Failure:
        return DOWN if model in ("a", "spare") else met(model, question)

    settings = config(folder, a="fallback = ['spare', 'other']", more=f"{SPARE}\n{other}")
    run(settings, store, models=FakeModels(second_only))

    assert whose(store) == {("other", "a", "ok"): 12, ("b", None, "ok"): 12}


def test_a_cap_also_holds_for_dearer_fallbacks(folder: Path, store: Store) -> None:
    prices = {name: Price(input_per_million=0.0, output_per_million=1_000.0) for name in ("a", "b", "spare")}

    def dear(model: str, question: str) -> Reply | Failure:
        del question
        if model == "spare":
            return Reply(MET, prompt_tokens=10, completion_tokens=1_000, cost_usd=1.0)
        return DOWN if model == "a" else Reply(MET, prompt_tokens=10, completion_tokens=1, cost_usd=0.001)

    models = FakeModels(dear, prices=prices)
    report = run(with_spare(folder), store, RunOptions(max_usd=4.0), models=models)

    assert report.end == "budget"
    assert report.spent <= 4.0 + 2 * 1.0
    assert report.stood_in["spare for a"] >= 2


def test_a_generator_is_not_replaced_by_another(tmp_path: Path, store: Store) -> None:
    bare = write_folder(tmp_path / "bare", responses=False)

    report = run(with_spare(bare), store, models=OutcomeModels(DOWN))

    responses = store.open("s").table("responses").to_pylist()
    assert {row["generator"] for row in responses} == {"b"}
    assert report.unanswered == 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"a": "fallback = ['nobody']"},
            r"models\.a\.fallback: unknown model 'nobody'; choose from: spare, a, b",
        ),
        ({"a": "fallback = ['b']"}, r"models\.a\.fallback: 'b' is a judge of this run"),
        ({"a": "fallback = ['a']"}, r"models\.a\.fallback: 'a' is a judge of this run"),
        ({"a": "fallback = ['spare', 'spare']"}, r"models\.a\.fallback.*is listed twice"),
        (
            {"a": "fallback = ['spare']", "b": "fallback = ['spare']"},
            r"models\.b\.fallback: 'spare' stands in for 'a' already",
        ),
        (
            {"a": "fallback = ['spare']\nfallback_on = ['rain']"},
            r"models\.a\.fallback_on.*'rain'; choose from",
        ),
        ({"a": "fallback = ['spare']", "mode": "batch"}, r"models\.a\.fallback: batches have no fallback"),
    ],
)
def test_an_impossible_fallback_is_named_before_any_call(
    folder: Path, settings: dict[str, str], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        config(folder, more=SPARE, **settings)


def test_a_call_that_a_fallback_answered_is_not_still_to_come(folder: Path, store: Store) -> None:
    prices = {name: Price(input_per_million=1.0, output_per_million=1.0) for name in ("a", "b", "spare")}

    run(with_spare(folder), store, models=OutcomeModels(DOWN, prices=prices))

    assert all_runs(store)[0].status["outlook"]["to_come_usd"] == 0

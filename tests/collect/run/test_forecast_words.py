"""What a forecast says: its sums, and which of its parts are uncertain."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.forecast import forecasts
from engine.collect.forecast.forecasts import Forecast
from engine.collect.forecast.run_time import RunTime
from engine.collect.plan.token_estimates import EstimateLine
from engine.collect.run_options import RunOptions

from .small import config, write_folder

LINE = EstimateLine(
    "a", "judge", "single_rubric", "default", calls=2, prompt_tokens=10, completion_tokens=6, cost_usd=3.0,
    cached=1, saved_usd=0.5, answers_usd=2.0, most_usd=9.0, prompt_tokens_low=8, prompt_tokens_high=12,
    completion_tokens_low=3, completion_tokens_high=24, cost_usd_low=2.0, cost_usd_high=8.0,
)  # fmt: skip


def forecast(*lines: EstimateLine, **fields: Any) -> Forecast:
    return Forecast(lines, 4, **fields)


def test_the_sums_are_those_of_all_lines_and_unknown_if_one_is() -> None:
    total = forecast(LINE, replace(LINE, model="b", calls=5)).total

    assert (total.calls, total.cached, total.saved_usd) == (7, 2, 1.0)
    assert (total.prompt_tokens, total.prompt_tokens_low, total.prompt_tokens_high) == (20, 16, 24)
    assert (total.completion_tokens, total.completion_tokens_low, total.completion_tokens_high) == (12, 6, 48)
    assert (total.cost_usd, total.cost_usd_low, total.cost_usd_high) == (6.0, 4.0, 16.0)
    assert forecast(LINE, replace(LINE, cost_usd=None)).total.cost_usd is None


def test_the_guesses_name_what_depends_on_the_length_of_answers_and_what_bounds_it() -> None:
    assert forecast(LINE, replace(LINE, model="b")).guesses == [
        "$4.00 of $6.00 is a guess, as the length of answers is unknown: in all between $4.00 and $16.00",
        (
            "max_tokens bounds it to about $18.00, retries not counted; calls under way when a run is killed "
            "count at the most that they may have cost, retries included, so that a cap near the bound can "
            "stop the run early"
        ),
    ]


def test_models_that_may_think_and_those_without_a_bound_are_named_once() -> None:
    open_ended = replace(LINE, most_usd=None)

    guesses = forecast(open_ended, replace(open_ended, variant="cot"), thinking=frozenset("ab")).guesses

    words = "$4.00 of $6.00 is a guess, as the length of answers is unknown: in all between $4.00 and $16.00"
    assert guesses == [
        f"{words}; only the higher includes thinking, of a",
        "without max_tokens nothing bounds the answers of a",
    ]


def test_of_a_model_of_which_nothing_is_known_it_is_said_that_thinking_is_assumed() -> None:
    guesses = forecast(LINE, replace(LINE, model="b"), unlisted=frozenset("bc")).guesses

    assert guesses[0].endswith("; the higher assumes that b may think, of which nothing is known")


def test_a_model_is_unbounded_if_it_costs_something_and_has_calls_left() -> None:
    open_ended = replace(LINE, most_usd=None)
    others = [
        replace(open_ended, model="b", calls=0),
        replace(open_ended, model="c", cost_usd=0.0),
        replace(open_ended, model="d", cost_usd=None),
    ]

    assert forecast(open_ended, open_ended, *others).unbounded == ["a"]
    assert forecast(open_ended, *others).most_usd is None
    assert forecast(LINE, *others).unbounded == []
    assert forecast(LINE, LINE, *others).most_usd == 18.0


def test_a_free_model_and_one_without_calls_have_nothing_to_guess() -> None:
    free = replace(LINE, cost_usd=0.0, answers_usd=0.0, most_usd=None, cost_usd_low=0.0, cost_usd_high=0.0)

    assert forecast(free, thinking=frozenset("a")).guesses == []
    assert forecast(replace(LINE, calls=0, most_usd=None)).guesses == []


def test_calls_without_a_price_are_counted_by_model() -> None:
    unknown = replace(LINE, cost_usd=None, answers_usd=None, most_usd=None, calls=1)

    guesses = forecast(
        unknown, replace(unknown, model="b", calls=2), replace(unknown, model="b", calls=3)
    ).guesses

    assert [words.partition(";")[0] for words in guesses] == [
        "the price of a is unknown: no sum includes its 1 call",
        "the price of b is unknown: no sum includes its 5 calls",
    ]


class Plan(list[str]):
    """Calls of which those in capitals are made already."""

    def shard(self, _: object) -> "Plan":
        return self

    def only(self, condition: Any) -> "Plan":
        return Plan(each for each in self if condition(each))


def lines_of(monkeypatch: pytest.MonkeyPatch, folder: Path, line: EstimateLine, **settings: Any) -> Forecast:
    """Return the forecast of a run of three stages: one of the calls A and b, one of c, one of D and e."""
    plans = [Plan("Ab"), Plan("c"), Plan("De")]
    none = SimpleNamespace(to_pylist=list[Any])
    study = cast("Any", SimpleNamespace(table=lambda _: none))
    estimated: list[Any] = []

    def estimate(plan: Plan, *_: object) -> list[EstimateLine]:
        estimated.append("".join(plan))
        return [replace(line, calls=len(plan), cached=0)]

    monkeypatch.setattr(forecasts, "CompletedCalls", lambda: {"A", "D"})
    monkeypatch.setattr(forecasts, "make_plan", lambda *_, **__: plans.pop(0))
    monkeypatch.setattr(forecasts, "estimate", estimate)
    monkeypatch.setattr(forecasts, "run_time", lambda *_: RunTime())
    monkeypatch.setattr(forecasts, "remarks_on", lambda *_: ["what is left out"])
    result = forecasts._forecast(config(write_folder(folder), **settings), study, RunOptions())
    assert estimated == ["b", "c", "e"][: len(estimated)]
    return result


PRICED = "price = { input_per_million = 1e6, output_per_million = 2e6 }"


@pytest.mark.parametrize(("limit", "most"), [("", None), ("params = { max_tokens = 50 }", 112.0)])
def test_a_line_costs_its_prompts_and_answers_between_two_guesses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: str, most: float | None
) -> None:
    plain = EstimateLine(
        "a", "judge", "single_rubric", "default", prompt_tokens=10, completion_tokens=6,
        prompt_tokens_low=8, prompt_tokens_high=12, completion_tokens_low=3, completion_tokens_high=24,
    )  # fmt: skip

    result = lines_of(monkeypatch, tmp_path / "data", plain, a=f"{PRICED}\n{limit}")

    # a dollar for a token of the prompt, two for one of the answer; at most 50 of one call's answer
    [line, *_] = result.lines
    assert (line.answers_usd, line.cost_usd) == (12.0, 22.0)
    assert (line.cost_usd_low, line.cost_usd_high, line.most_usd) == (14.0, 60.0, most)
    assert result.already_done == 2
    assert result.to_dict()["remarks"] == ["what is left out"]
    assert result.note == ""


def test_a_model_that_charges_nothing_for_answers_is_bounded_without_a_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    free = "price = { input_per_million = 1e6, output_per_million = 0.0 }"
    plain = EstimateLine("a", "judge", "single_rubric", "default", prompt_tokens_high=12)

    [line, *_] = lines_of(monkeypatch, tmp_path / "data", plain, a=free).lines

    assert line.most_usd == 12.0


@pytest.mark.parametrize(
    ("settings", "first", "counted"),
    [
        ({"paradigms": ["pairwise", "quality"]}, "quality is judged", 3),  # answers, rewritings, quality
        ({"paradigms": ["pairwise"], "checker": "exact"}, "the answers are checked", 2),
    ],
)
def test_pairs_that_the_run_itself_will_draw_are_not_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: dict[str, Any], first: str, counted: int
) -> None:
    plain = EstimateLine("a", "judge", "pairwise", "default")
    drawn = {"pairs": ["equal"], "quality_judges": ["a"]}

    result = lines_of(monkeypatch, tmp_path / "data", plain, **(drawn | settings))

    assert result.note == f"pairs are drawn once {first}, and are not counted yet"
    assert len(result.lines) == counted


def test_a_table_has_the_sums_and_the_time_in_minutes() -> None:
    time = RunTime(by_limits=90.0)

    table = forecast(LINE, note="later", missing_keys={"a": "A_KEY"}, time=time).to_dict()

    assert (table["planned"], table["already_done"], table["cost_usd"], table["cached"]) == (2, 4, 3.0, 1)
    assert (table["minutes_by_limits"], table["minutes_by_earlier_calls"]) == (1.5, None)
    assert (table["note"], table["missing_keys"]) == ("later", {"a": "A_KEY"})
    assert table["by_judge"][0]["model"] == "a"

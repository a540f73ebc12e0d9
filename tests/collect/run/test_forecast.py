"""What a dry run says about its estimate, and how a run's answers change it."""

from pathlib import Path

import pytest

from engine.collect.calls import Reply
from engine.collect.configuration.config import RunConfig
from engine.collect.forecast.forecasts import forecast
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import watched_run
from engine.store import Store

from .small import MET, FakeModels, config, write_folder

PRICED = "price = { input_per_million = 1.0, output_per_million = 10.0 }\n"


def judged_by_a(folder: Path, a: str) -> RunConfig:
    return config(folder, judges=["a"], a=a)


def test_responses_still_to_be_collected_are_judged_in_the_forecast(tmp_path: Path, store: Store) -> None:
    both = config(write_folder(tmp_path / "none", responses=False), judges=["a"])

    costs = forecast(both, store, RunOptions())

    # Two generators answer three questions; one judge gives a verdict on two criteria of each answer.
    assert {(line.role, line.model): line.calls for line in costs.lines} == {
        ("generator", "a"): 3,
        ("generator", "b"): 3,
        ("judge", "a"): 3 * 2 * 2,
    }
    assert costs.already_done == 0
    assert not Path(store.root).exists()


def test_the_length_of_answers_is_called_a_guess(folder: Path, store: Store) -> None:
    costs = forecast(judged_by_a(folder, PRICED), store, RunOptions())

    line = costs.total
    answers = line.completion_tokens * 10.0 / 1e6
    assert line.cost_usd == pytest.approx(line.prompt_tokens / 1e6 + answers)
    assert costs.guesses[0].startswith(f"${answers:,.4f} of ${line.cost_usd:,.4f} is a guess")
    assert costs.guesses[1] == "without max_tokens nothing bounds the answers of a"


def test_max_tokens_limits_the_estimate(folder: Path, store: Store) -> None:
    costs = forecast(judged_by_a(folder, PRICED + "params = { max_tokens = 1000 }"), store, RunOptions())

    most = costs.total.prompt_tokens_high / 1e6 + 12 * 1000 * 10.0 / 1e6
    assert f"max_tokens bounds it to about ${most:,.2f}, retries not counted; " in costs.guesses[1]


def test_an_unknown_price_is_named(folder: Path, store: Store) -> None:
    costs = forecast(judged_by_a(folder, "api_base = 'http://127.0.0.1:1/v1'"), store, RunOptions())

    assert costs.total.cost_usd is None
    assert costs.unpriced == {"a": 12}
    (guess,) = costs.guesses
    assert guess.startswith('the price of a is unknown: no sum includes its 12 calls; add price = "IN/OUT"')
    assert guess.endswith('under [models.a] (a table that also has model = "openai/a")')


def test_answers_that_cost_more_than_expected_raise_the_estimate(folder: Path, store: Store) -> None:
    def long(model: str, question: str) -> Reply:
        del model, question
        return Reply(MET, prompt_tokens=0, completion_tokens=60_000, cost_usd=0.6)

    models = FakeModels(long)
    price = judged_by_a(folder, PRICED).models["a"].price
    models.prices = {"a": price}

    messages: list[str] = []
    report = run(
        judged_by_a(folder, PRICED), store, show=lambda status: messages.extend(status["pace"]), models=models
    )

    state = watched_run(store, "s", report.run_id)
    assert state is not None
    outlook = state.status["outlook"]
    assert (outlook["answers"], outlook["cost_usd"]) == (12, pytest.approx(12 * 0.6))
    assert outlook["to_come_usd"] == 0
    assert outlook["foreseen_tokens"] == 12 * 60
    assert any("times as much as estimated" in words for words in messages)

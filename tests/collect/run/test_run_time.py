"""How long a run takes, as far as it can be known before it begins."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from collect.run.small import config_text, write_folder
from command_line import spb

from engine.collect.configuration.read_config import load_config
from engine.collect.forecast.run_time import RunTime, run_time
from engine.collect.plan.token_estimates import EstimateLine
from engine.phrases import duration


class Earlier:
    """A study with the durations of earlier calls: of a call's several rows the first has it."""

    def __init__(self, *rows: tuple[str, float | None]) -> None:
        self.rows = rows

    def judgment_batches(self, *, columns: list[str]) -> list[pa.Table]:
        assert columns == ["judge", "latency_s"]
        judges, seconds = ([row[place] for row in self.rows] for place in (0, 1))
        return [pa.table({"judge": pa.array(judges), "latency_s": pa.array(seconds, pa.float64())})]


LINES = (
    EstimateLine("a", "judge", "single_rubric", "default", calls=90, prompt_tokens=9_000),
    EstimateLine("a", "judge", "pairwise", "default", calls=30, prompt_tokens=3_000),
    EstimateLine("b", "judge", "single_rubric", "default", calls=60, prompt_tokens=5_000),
)


@pytest.fixture
def configured(tmp_path: Path):
    """Return a function that reads the small configuration with other lines for a model or the run."""

    def config(of_model: str = "", of_run: str = "concurrency = 4"):
        text = config_text(write_folder(tmp_path / "data")).replace("openai/", "simulated/")
        text = text.replace("[models.a]\n", f"[models.a]\n{of_model}\n")
        before, _, after = text.partition("[run]")
        lines = [line for line in after.splitlines() if not line.startswith("concurrency")]
        (tmp_path / "run.toml").write_text("\n".join([f"{before}[run]\n{of_run}", *lines]), "utf-8")
        return load_config(tmp_path / "run.toml")

    return config


def test_limits_bound_the_time_from_below(configured) -> None:
    requests = run_time(LINES, configured("requests_per_minute = 40"), Earlier())
    tokens = run_time(LINES, configured("requests_per_minute = 40\ntokens_per_minute = 1_000"), Earlier())

    assert (requests.by_limits, requests.limited) == (180, "a")  # 120 calls
    assert tokens.by_limits == 720  # 12,000 tokens
    assert tokens.words() == "time: at least 12 minutes, by the limits of a"


def test_tokens_are_those_of_prompts_and_answers_and_the_slowest_model_decides(configured) -> None:
    fast = EstimateLine("b", "judge", "single_rubric", "default", calls=1)
    slow = EstimateLine("a", "judge", "single_rubric", "default", 1, prompt_tokens=900, completion_tokens=300)
    settings = configured("tokens_per_minute = 600")
    models = settings.models | {"b": settings.models["b"].model_copy(update={"requests_per_minute": 6.0})}

    time = run_time((fast, slow), settings.model_copy(update={"models": models}), Earlier())

    assert (time.by_limits, time.limited) == (120, "a")  # 1,200 tokens; b takes ten seconds


def test_calls_are_taken_to_last_as_long_as_earlier_ones(configured) -> None:
    earlier = Earlier(("a", 1.0), ("a", None), ("a", 3.0), ("b", 8.0))

    together = run_time(LINES, configured(), earlier)
    alone = run_time(LINES, configured("concurrency = 1"), earlier)

    assert together.by_earlier_calls == (120 * 2 + 60 * 8) / 4
    assert alone.by_earlier_calls == 120 * 2  # longer than all together by four at once
    assert together.words() == "time: about 3 minutes, as long as earlier calls took"


def test_models_of_which_no_call_is_known_are_named(configured) -> None:
    time = run_time(LINES, configured(), Earlier(("a", 2.0)))

    assert time.untimed == ("b",)
    assert time.words().endswith("as long as earlier calls took; of b no call is known")


def test_where_nothing_is_known_it_is_said_what_would_be_needed(configured) -> None:
    slow = run_time(LINES, configured("simulated = { slow_s = 0.1 }"), Earlier())
    assert slow == RunTime(untimed=("a", "b"))
    assert "`requests_per_minute`" in RunTime().words()
    assert run_time((), configured("requests_per_minute = 1"), Earlier()) == RunTime()


def test_simulated_models_are_said_to_take_no_time(configured) -> None:
    assert run_time(LINES, configured(), Earlier()).words() == (
        "time: hardly any, as simulated models answer at once"
    )


def test_a_dry_run_says_it(configured, tmp_path, monkeypatch, capsys) -> None:
    configured("requests_per_minute = 2")
    words = ("run", tmp_path / "run.toml", "--store", tmp_path / "store", "--dry-run")

    spb(monkeypatch, *words)
    printed = capsys.readouterr()
    spb(monkeypatch, *words, "--format", "json")
    forecast = json.loads(capsys.readouterr().out)

    calls = sum(line["calls"] for line in forecast["by_judge"] if line["model"] == "a")
    assert forecast["minutes_by_limits"] == calls / 2
    assert forecast["minutes_by_earlier_calls"] is None
    assert f"time: at least {duration(30 * calls)}, by the limits of a" in printed.err


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 second"),
        (119.5, "120 seconds"),
        (121, "3 minutes"),
        (3600, "60 minutes"),
        (7200, "2 hours"),
        (9001, "2.6 hours"),
        (100 * 3600 + 1, "101 hours"),
    ],
)
def test_a_time_is_written_in_the_largest_unit_of_which_there_are_two_and_rounded_up(seconds, words) -> None:
    assert duration(seconds) == words

"""A server's bill against the cap, where its answers are late, unreadable or longer than they should be."""

import json
from pathlib import Path

import pytest
from command_line import spb
from loopback import BillingServer, Charged, billing
from loopback.billing import How, Plan

from engine.collect.configuration.config import Price
from engine.collect.run.start import run
from engine.store import Store

from .small import FakeModels, config, config_text, write_folder

PRICE = "price = { input_per_million = 2.5, output_per_million = 10.0 }"


def thinking_late(number: int) -> Charged:
    """Answer three of ten calls late, after 20,000 tokens of thinking."""
    return Charged(20_000, "late") if number % 10 in (1, 4, 7) else Charged(300)


def always(how: How, tokens: int = 20_000) -> Plan:
    """Return a plan by which all answers arrive in one way."""
    return lambda _: Charged(tokens, how)


def mixed(number: int) -> Charged:
    """Answer in all ways in turn."""
    ways: tuple[How, ...] = ("whole", "reset", "half", "whole", "silent", "gateway", "whole", "stated")
    return Charged(20_000 if number % 3 else 300, ways[number % len(ways)])


PLANS: dict[str, Plan] = {
    "three of ten think long and are late": thinking_late,
    "all are late": always("late"),
    "all come as streams": always("stream"),
    "all are pages": always("page"),
    "all break off": always("half"),
    "all connections break": always("reset"),
    "no answer states its tokens": always("silent"),
    "all answers state zero tokens": always("zeros"),
    "a gateway waits too short": always("gateway"),
    "streams that state their tokens": always("stated"),
    "all ways in turn": mixed,
    "suddenly long": lambda number: Charged(300 if number < 20 else 30_000),
}


def run_under(
    cap: str,
    server: BillingServer,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    instances: int = 30,
    more: str = "",
    patience: float = 0.3,
) -> dict[str, object]:
    """Run `spb run` with one judge, with two calls for each instance; return its report."""
    data = write_folder(folder / "data", instances=instances, rubrics=1)
    model = f"api_base = '{server.url}'\n{PRICE}\n{more}"
    text = config_text(data, judges=["a"], a=model, b=model, run=f"timeout_s = {patience}\nconcurrency = 60")
    path = folder / "run.toml"
    path.write_text(text, "utf-8")
    spb(monkeypatch, "run", path, "--store", folder / "store", *cap.split(), "--format", "json")
    report: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return report


@pytest.mark.parametrize(
    ("plan", "cap"),
    [*((plan, 1.0) for plan in PLANS), ("all are late", 0.05), ("all ways in turn", 0.05)],
)
def test_the_bill_exceeds_the_cap_by_at_most_two_calls_and_all_of_it_is_counted(
    plan: str, cap: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(PLANS[plan]) as server:
        report = run_under(f"--max-usd {cap}", server, tmp_path, monkeypatch, capsys)

    assert server.calls > 0
    assert server.bill <= cap + 2 * server.dearest
    assert report["cost_usd"] >= server.bill - 1e-9  # type: ignore[operator]


@pytest.mark.parametrize("cap", [0.05, 1.0])
def test_a_server_that_ignores_max_tokens_exceeds_the_cap_by_at_most_two_calls(
    cap: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = "params = { max_tokens = 100 }"

    with billing(always("whole", 30_000), keeps_limit=False) as server:
        run_under(f"--max-usd {cap}", server, tmp_path, monkeypatch, capsys, more=limit)

    assert server.bill <= cap + 2 * server.dearest


def test_the_last_line_says_how_much_is_assumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = "params = { max_tokens = 1000 }"  # $0.01, and the prompt

    with billing(lambda number: Charged(300, "silent" if number == 0 else "whole")) as server:
        report = run_under("--max-usd 1", server, tmp_path, monkeypatch, capsys, instances=1, more=limit)

    assert 0.01 < report["assumed_usd"] < 0.012  # type: ignore[operator]
    assert server.bill < report["cost_usd"]  # type: ignore[operator]


def test_a_cap_is_used_where_answers_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(always("whole", 300)) as server:
        report = run_under("--max-usd 1", server, tmp_path, monkeypatch, capsys, patience=30)

    assert (report["done"], server.calls) == (60, 60)  # 60 answers of 300 tokens: $0.18 and their prompts


@pytest.mark.parametrize("how", ["late", "stream"])
def test_without_a_cap_four_lost_answers_are_not_asked_for_again_and_again(
    how: How, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(always(how)) as server:
        report = run_under("--no-cap", server, tmp_path, monkeypatch, capsys, instances=2)

    assert server.calls <= 4
    assert (report["done"], report["state"]) == (0, "errors")
    assert "timeout_s" in str(report["given_up"])


def test_trial_calls_before_the_run_count_toward_its_cap(tmp_path: Path) -> None:
    settings = config(write_folder(tmp_path / "data"), run="max_usd = 0.05\ntrial_usd = 0.05")
    price = Price(input_per_million=1.0, output_per_million=1.0)

    report = run(settings, Store(tmp_path / "s"), models=FakeModels(prices=dict.fromkeys("ab", price)))

    assert (report.end, report.calls) == ("budget", 0)
    assert "($0.05 spent, $0.05 of it on trial calls before the run)" in report.message

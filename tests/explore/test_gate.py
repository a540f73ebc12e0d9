"""The gate: what passes, fails or is undecided, and how pipelines learn of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import engine
from engine.cli import app
from engine.errors import UsageError
from engine.explore import compare
from engine.explore.compare import GateResult, check_judges, overall
from engine.report.formats import estimate_text, gate_junit, gate_markdown, totals
from engine.stats.power import alpha_of_look, alpha_spent

RESULTS = Path(__file__).parents[2] / "results"

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def health() -> Any:
    return engine.open_study(str(RESULTS / "demo-health"))


def row(low: float | None, high: float | None) -> dict[str, Any]:
    return {"ratio_outside": 1.5, "ratio_outside_low": low, "ratio_outside_high": high, "reasons": {}}


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [(0.9, 1.2, "PASS"), (1.3, 1.7, "FAIL"), (1.1, 1.9, "INCONCLUSIVE"), (None, None, "INCONCLUSIVE")],
)
def test_the_interval_decides_and_not_the_estimate(low: float, high: float, status: str) -> None:
    assert compare._ratio("a", row(low, high), 1.2).status == status


@pytest.mark.parametrize(
    ("conclusion", "require", "status"),
    [
        ("favours_itself", "no_material_preference", "FAIL"),
        ("overrates_itself", "no_material_preference", "FAIL"),
        ("no_material_preference", "no_material_preference", "PASS"),
        ("disfavours_itself", "no_material_preference", "INCONCLUSIVE"),
        ("disfavours_itself", "no_self_preference", "PASS"),
        ("not_shown", "no_self_preference", "INCONCLUSIVE"),
    ],
)
def test_a_required_conclusion_is_read_from_the_scorecard(conclusion: str, require: str, status: str) -> None:
    row = {"conclusion": conclusion, "estimate": 1.0, "low": 0.9, "high": 1.1, "reason": None}

    assert compare._conclusion("a", row, require).status == status


def test_one_failure_fails_all_and_an_empty_result_is_not_a_pass() -> None:
    passed, unsure = GateResult("a", "PASS", "r", ""), GateResult("b", "INCONCLUSIVE", "r", "")

    assert overall([passed]) == "PASS"
    assert overall([passed, unsure]) == "INCONCLUSIVE"
    assert overall([passed, unsure, GateResult("c", "FAIL", "r", "")]) == "FAIL"
    assert overall([]) == "INCONCLUSIVE"


def test_a_judge_of_the_generators_family_fails_without_any_verdict(health: Any) -> None:
    (result,) = check_judges(health, ["aster-mini"], independent=True)

    assert result.status == "FAIL"
    assert "aster-large" in result.reason


def test_an_unknown_judge_is_named_with_the_choices(health: Any) -> None:
    with pytest.raises(UsageError, match=r"unknown judge 'nobody'.*aster-large"):
        check_judges(health, ["nobody"])


def test_the_exit_code_reflects_the_result(tmp_path: Path) -> None:
    files = tmp_path / "g.xml", tmp_path / "g.md"
    store = ["--store", str(RESULTS), "--junit", str(files[0]), "--markdown", str(files[1])]

    result = CliRunner().invoke(app, ["check-judge", "demo-health", "--independent", *store])

    assert result.exit_code == 1
    assert files[0].read_text("utf-8").count("<failure ") == 9
    assert "FAIL" in files[1].read_text("utf-8").splitlines()[0]
    assert "FAIL (9 judges: 9 FAIL)" in result.stderr


@pytest.mark.parametrize("words", [["demo-health", "--junit", "{folder}"], ["no-such-study"]])
def test_an_error_never_exits_like_a_judge_that_fails(tmp_path: Path, words: list[str]) -> None:
    arguments = [word.format(folder=tmp_path) for word in words]  # a folder is no file to write

    result = CliRunner().invoke(app, ["check-judge", *arguments, "--independent", "--store", str(RESULTS)])

    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2


def test_results_are_counted_by_status_and_a_missing_interval_is_mentioned() -> None:
    mixed = [GateResult("a", "FAIL", "r", "w"), *(GateResult(n, "INCONCLUSIVE", "r", "w") for n in "bc")]

    assert totals(mixed) == "3 judges: 1 FAIL, 2 INCONCLUSIVE"
    assert totals(mixed[:1]) == "1 judge: 1 FAIL"
    assert totals([]) == "no judge was found"
    assert "3 judges: 1 FAIL, 2 INCONCLUSIVE." in gate_markdown("s", mixed)
    assert estimate_text(GateResult("a", "PASS", "r", "w", 1.5)) == "1.50 (no confidence interval)"


def test_names_are_not_markup_in_the_output() -> None:
    result = GateResult("a|<b>\x00", "INCONCLUSIVE", "rule", "why")

    markdown, junit = gate_markdown("s", [result]), gate_junit("s", [result])

    assert "<b>" not in markdown
    assert markdown.splitlines()[6].count("|") == 6  # five borders and one escaped bar
    assert junit.count(b"<skipped ") == 1
    assert b"\x00" not in junit


def test_alpha_spent_over_the_looks_sums_to_alpha() -> None:
    # O'Brien and Fleming at half of the looks: 2 - 2 Phi(1.959964 / sqrt(.5)) = 2 - 2 Phi(2.771808) = .005575
    assert alpha_spent(0.5) == pytest.approx(0.005575, abs=1e-6)
    assert alpha_spent(1.0) == pytest.approx(0.05)
    assert sum(alpha_of_look(look, 7) for look in range(1, 8)) == pytest.approx(0.05)


@pytest.mark.parametrize(("p", "status"), [(0.001, "FAIL"), (0.04, "PASS"), (None, "INCONCLUSIVE")])
def test_a_change_is_tested_at_the_alpha_of_its_look(p: float | None, status: str) -> None:
    change = {"judge": "a", "difference": 0.5, "low": 0.2, "high": 0.9, "p_adjusted": p}
    study = SimpleNamespace(
        inventory=SimpleNamespace(values=lambda _: ["monday", "tuesday"]),
        result=lambda _, **__: SimpleNamespace(rows=[change, change | {"judge": None}]),
    )

    (result,) = compare.changes(study, "hspp", "monday", "tuesday", look=1, looks=2)

    assert (result.judge, result.status, result.estimate) == ("a", status, 0.5)


def test_an_unknown_run_is_named(health: Any) -> None:
    with pytest.raises(UsageError, match="unknown run 'monday'"):
        compare.changes(health, "hspp", "monday", "tuesday")


def test_a_run_compared_with_itself_is_refused_and_not_passed(health: Any) -> None:
    with pytest.raises(UsageError, match="run 'simulated-20' is compared with itself; name an earlier"):
        compare.changes(health, "hspp", "simulated-20", "simulated-20")


def test_the_plugin_fails_a_test_whose_judge_fails(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.judge({str(RESULTS / "demo-health")!r}, "aster-mini", independent=True)
        def test_fair(spb_judge):
            spb_judge()
        """
    )

    pytester.runpytest_inprocess().assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("'nowhere'", "there is no study in 'nowhere'"),
        ("STUDY, 'x'", "unknown judge 'x'; choose from: aster-large"),
        ("STUDY, max_ration=1.2", "unknown rule 'max_ration'; choose from: max_ratio, require, independent"),
        ("STUDY, max_ratio='high'", "max_ratio 'high' is not a number above 0"),
    ],
)
def test_the_plugin_names_a_wrong_argument_without_a_traceback(
    pytester: pytest.Pytester, marker: str, message: str
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        STUDY = {str(RESULTS / "demo-health")!r}

        @pytest.mark.judge({marker})
        def test_fair(spb_judge):
            spb_judge()
        """
    )

    run = pytester.runpytest_inprocess()

    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([message.replace("[", "[[]") + "*"])
    run.stdout.no_fnmatch_line("*Traceback*")
    run.stdout.no_fnmatch_line("*compare.py*")

"""The gate: what passes, fails or is undecided, and how pipelines learn of it."""

import random
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import engine
from engine.cli import app
from engine.errors import UsageError
from engine.explore import gate
from engine.explore.gate import GateResult, check_judges, overall
from engine.report import gate_report
from engine.report.gate_results import estimate_text, gate_junit, gate_markdown, totals

RESULTS = Path(__file__).parents[2] / "results"

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def health() -> Any:
    return engine.open_study(str(RESULTS / "demo-health"))


def judged(conclusion: str = "not_shown", **values: Any) -> dict[str, Any]:
    """Return a row of the scorecard: 62 of 100 own cases given and 50 expected."""
    row = {"judge": "a", "conclusion": conclusion, "reason": None, "decided_by": "odds_self", "cautions": []}
    row |= {"estimate": 1.6, "low_plain": 1.1, "high_plain": 2.4, "low": 0.9, "high": 3.0}
    row |= {"own_given": 0.62, "own_expected": 0.5, "excess": 0.12, "excess_low": -0.05, "excess_high": 0.3}
    return row | {"excess_low_plain": 0.02, "excess_high_plain": 0.22, "reasons": {}} | values


def of_all(conclusion: str, **values: Any) -> dict[str, Any]:
    return judged(conclusion, judge=None, excess_low_plain=None, excess_high_plain=None, **values)


@pytest.mark.parametrize(
    ("row", "status"),
    [
        (judged("not_shown", excess_high_plain=0.0999), "PASS"),
        (judged("overrates_itself", excess_high_plain=0.0999), "PASS"),  # a claim of little matters little
        (judged("favours_itself", excess_low_plain=-0.3, excess_high_plain=-0.1), "PASS"),
        (judged("overrates_itself", excess_high_plain=0.1), "FAIL"),
        (judged("favours_itself"), "FAIL"),
        (judged("not_shown"), "INCONCLUSIVE"),
        (judged("too_few_cases", excess_low_plain=0.2), "INCONCLUSIVE"),
        (judged("no_material_preference"), "INCONCLUSIVE"),
        (judged("not_shown", excess_high_plain=0.05, cautions=["missing_verdicts"]), "INCONCLUSIVE"),
        (judged("favours_itself", excess_high_plain=0.05, cautions=["missing_verdicts"]), "FAIL"),
        (judged(excess_high_plain=0.05, cautions=["missing_verdicts"], excess_high_filled=0.09), "PASS"),
        (
            judged(excess_high_plain=0.05, cautions=["missing_verdicts"], excess_high_filled=0.1),
            "INCONCLUSIVE",
        ),
        (judged("favours_itself", excess_high=0.05, excess_low=0.01), "FAIL"),  # adjusted: decides nothing
        (of_all("not_shown", excess_high=0.09), "PASS"),
        (of_all("judges_overrate_themselves", excess_high=0.2), "FAIL"),
        (of_all("too_few_families", excess_low=None, excess_high=None), "INCONCLUSIVE"),
    ],
)
def test_by_default_the_plain_interval_of_the_excess_decides(row: dict[str, Any], status: str) -> None:
    assert gate.decide("a", row).status == status


def test_a_bound_that_is_none_is_named_in_pythons_spelling(health: Any) -> None:
    for bound, problem in ((-5, "is not a number above 0"), (500, "is more than all cases")):
        with pytest.raises(UsageError, match=f"^max_excess={bound} {problem}"):
            health.gate(max_excess=bound)


def test_an_interval_above_the_bound_without_a_conclusion_says_what_failing_takes() -> None:
    row = judged("not_shown", excess_low_plain=0.12, excess_high_plain=0.3, reason="missing_verdicts")

    result = gate.decide("a", row)

    assert result.status == "INCONCLUSIVE"
    assert result.reason == (
        "to fail takes a conclusion that it overrates its own answers, which is not reached, though the "
        "whole interval is above the bound; the scorecard says: no difference shown (cases without a verdict "
        "could change the result)"
    )


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (
            0.02,
            0.0999,
            "the whole interval is below the bound; that passes, whatever the scorecard concludes;",
        ),
        (0.02, 0.22, "the interval reaches above the bound, so an excess below it is not shown; the score"),
        (0.1, 0.22, "the whole interval is above the bound; the scorecard says: overrates its own answers"),
    ],
)
def test_the_reason_says_where_the_interval_lies(low: float, high: float, words: str) -> None:
    row = judged("overrates_itself", excess_low_plain=low, excess_high_plain=high)

    assert gate.decide("a", row).reason.startswith(words)


@pytest.mark.parametrize(
    ("conclusion", "high", "named"),
    [
        ("overrates_itself", 0.22, ["a"]),
        ("overrates_itself", 0.05, []),  # it passes
        ("favours_itself", 0.22, []),  # the cause is not open
        ("not_shown", 0.22, []),  # inconclusive
    ],
)
def test_only_who_fails_with_an_open_cause_is_explained(
    conclusion: str, high: float, named: list[str]
) -> None:
    row = judged(conclusion, excess_low_plain=0.02, excess_high_plain=high)

    assert gate.fails_with_open_cause([gate.decide("a", row)]) == named


def test_the_judges_together_that_fail_with_an_open_cause_are_explained_too() -> None:
    result = gate.decide(gate.TOGETHER, of_all("judges_overrate_themselves", excess_high=0.2))

    assert gate.fails_with_open_cause([result]) == [gate.TOGETHER]


def test_the_command_says_why_a_judge_fails_of_which_the_board_leaves_the_cause_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = judged("overrates_itself", excess_high_plain=0.22)
    monkeypatch.setattr(gate_report, "check_judges", lambda *_, **__: [gate.decide("dune", row)])

    printed = CliRunner().invoke(app, ["gate", "demo-pairs", "--store", str(RESULTS)]).output

    assert (
        "dune fails though spb judges leaves the cause open: the gate asks how much more it gives its own "
        "answers, not why."
    ) in " ".join(printed.split())


def test_the_command_says_where_a_shared_taste_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def printed(reason: str) -> str:
        row = judged("overrates_itself", excess_high_plain=0.22, reason=reason)
        monkeypatch.setattr(gate_report, "check_judges", lambda *_, **__: [gate.decide("dune", row)])
        arguments = ["gate", "demo-pairs", "--store", str(RESULTS)]
        return " ".join(CliRunner().invoke(app, arguments).output.split())

    command = 'spb explain "shared taste"'

    assert command in printed("shared_taste")
    assert command not in printed("within_tastes")
    explained = CliRunner().invoke(app, shlex.split(command)[1:]).output
    assert explained.startswith("shared taste: A liking of judges in general")


def test_the_rule_and_the_help_say_which_interval_decides_and_what_fails() -> None:
    help_words = " ".join(CliRunner().invoke(app, ["gate", "-h"]).output.split())
    printed = CliRunner().invoke(app, ["gate", "demo-pairs", "--store", str(RESULTS)]).output

    assert "plain 95% interval (not adjusted for the number of judges" in gate.decide("a", judged()).rule
    assert "fails though its number is below the bound, if its interval reaches above" in help_words
    assert "not adjusted for the number of judges" in help_words
    assert gate.EXCESS_RULE in " ".join(printed.split())


def test_a_conclusion_on_the_family_is_said_though_no_rule_checks_it() -> None:
    words = "; it overrates its family's answers, which the gate does not check"
    result = gate.decide("a", judged(family_conclusion="overrates_family"))

    assert result.reason.endswith(words)
    assert result.status == gate.decide("a", judged(family_conclusion="not_shown")).status
    assert "family" not in gate.decide("a", judged(family_conclusion="not_shown")).reason


def test_the_bound_of_the_excess_is_in_cases_of_100() -> None:
    row = judged("overrates_itself", excess_high_plain=0.22)

    assert gate.decide("a", row, max_excess=22.1).status == "PASS"
    assert gate.decide("a", row, max_excess=22).status == "FAIL"


@pytest.mark.parametrize(
    ("low", "high", "status"), [(0.9, 1.2, "PASS"), (1.3, 1.7, "FAIL"), (1.197, 1.9, "INCONCLUSIVE")]
)
def test_a_ratio_bounds_the_plain_interval_of_the_odds(low: float, high: float, status: str) -> None:
    result = gate.decide("a", judged(low_plain=low, high_plain=high), max_ratio=1.2)

    assert (result.status, result.low, result.high) == (status, low, high)
    assert "odds" in result.rule


@pytest.mark.parametrize(
    ("conclusion", "reason", "strict", "loose"),
    [
        ("favours_itself", None, "FAIL", "FAIL"),
        ("overrates_itself", "within_tastes", "FAIL", "FAIL"),
        ("no_material_preference", None, "PASS", "PASS"),
        ("not_shown", "undecided", "INCONCLUSIVE", "PASS"),
        ("not_shown", "adjustment", "INCONCLUSIVE", "PASS"),
        ("not_shown", "missing_verdicts", "INCONCLUSIVE", "INCONCLUSIVE"),
        ("not_shown", "discernment", "INCONCLUSIVE", "INCONCLUSIVE"),
        ("too_few_cases", "few_instances", "INCONCLUSIVE", "INCONCLUSIVE"),
        ("underrates_itself", None, "INCONCLUSIVE", "PASS"),
        ("disfavours_itself", None, "INCONCLUSIVE", "PASS"),
    ],
)
def test_a_required_conclusion_is_read_from_the_scorecard(
    conclusion: str, reason: str | None, strict: str, loose: str
) -> None:
    row = judged(conclusion, reason=reason)

    assert gate.decide("a", row, require="no_material_preference").status == strict
    assert gate.decide("a", row, require="not_shown").status == loose


@pytest.mark.parametrize(
    ("conclusion", "reason", "status"),
    [
        ("judges_favour_themselves", None, "FAIL"),
        ("judges_overrate_themselves", "same_items", "FAIL"),
        ("judges_disfavour_themselves", None, "PASS"),
        ("not_shown", "t_test", "PASS"),
        ("not_shown", "permutation", "PASS"),
        ("not_shown", "no_placebos", "INCONCLUSIVE"),
        ("too_few_families", None, "INCONCLUSIVE"),
    ],
)
def test_a_conclusion_on_all_judges_can_be_required(conclusion: str, reason: str | None, status: str) -> None:
    assert gate.decide(gate.TOGETHER, of_all(conclusion, reason=reason), require="not_shown").status == status


@pytest.mark.parametrize("row", [None, judged(conclusion=None, excess=None, estimate=None, low_plain=None)])
@pytest.mark.parametrize("rule", [{}, {"max_ratio": 1.25}, {"require": "not_shown"}])
def test_a_judge_without_a_number_is_not_checked(row: Any, rule: dict[str, Any]) -> None:
    result = gate.decide("a", row, **rule)

    assert (result.status, result.is_checked) == ("INCONCLUSIVE", False)


def study_of(*rows: dict[str, Any]) -> Any:
    """Return a study whose scorecard has these rows."""
    judges = [row["judge"] for row in rows if row["judge"] is not None]
    return SimpleNamespace(
        inventory=SimpleNamespace(values=lambda _, **__: judges),
        result=lambda *_, **__: SimpleNamespace(rows=list(rows), reason="no judge judged its own"),
    )


@pytest.mark.parametrize(
    ("rows", "rule", "message"),
    [
        ([judged(excess=None, reasons={"excess": "no_own_responses"})], {}, "no answers of its own"),
        (
            [judged(decided_by="vote_outside")],
            {"max_ratio": 1.2},
            "decided by votes on pairs, which have none; give --max-excess instead",
        ),
        ([judged(decided_by="bonus_outside")], {"max_ratio": 1.2}, "decided by scores, which have none"),
        ([judged(None, estimate=None)], {"require": "not_shown"}, "no number with an interval"),
        (
            [judged(excess_low_plain=None, reasons={"excess_high_plain": "hangs_on_one_instance"})],
            {},
            "undefined when any single question is left out",
        ),
        (
            [of_all("too_few_families", excess_low=None, excess_high=None)],
            {"group": True},
            "fewer than four families",
        ),
        (
            [
                of_all(
                    "too_few_families",
                    reason="too_few_families",
                    excess_high=None,
                    reasons={"excess_high": "undefined", "excess_high_plain": "not_of_all_judges"},
                )
            ],
            {"group": True},
            "fewer than four families",
        ),
        ([], {}, "no judge judged its own"),
    ],
)
def test_a_rule_that_applies_to_no_judge_is_an_error(
    rows: list[dict[str, Any]], rule: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=f"nothing was checked: .*{message}") as caught:
        check_judges(study_of(*rows), **rule)

    assert caught.value.exit_code == 2


def test_a_reason_of_several_judges_is_said_once_and_each_of_others_with_its_judges() -> None:
    lacking = {"excess": None, "reasons": {"excess": "no_own_responses"}}
    of_family = {"family_conclusion": "overrates_family"}
    study = study_of(judged("not_shown", **lacking), judged(judge="b", **lacking, **of_family))

    with pytest.raises(UsageError) as alike:
        check_judges(study)
    study.inventory.values = lambda _, **__: ["a", "b", "c"]  # c has no row
    with pytest.raises(UsageError) as different:
        check_judges(study)

    assert str(alike.value).count("no answers of its own") == 1
    assert str(alike.value).endswith("; give --independent, which needs no verdicts, or choose another study")
    assert "a and b: there is no number with an interval" in str(different.value)
    assert "; c: no answer of its own was judged" in str(different.value)


def test_one_judge_without_a_number_leaves_the_others_checked() -> None:
    passing = judged("not_shown", excess_high_plain=0.05)
    results = check_judges(study_of(passing, judged(judge="b", excess=None)))

    assert [(result.judge, result.status) for result in results] == [("a", "PASS"), ("b", "INCONCLUSIVE")]


def test_the_group_is_checked_alone_or_beside_the_judges_named() -> None:
    study = study_of(of_all("judges_favour_themselves"), judged("not_shown", excess_high_plain=0.05))

    assert [(each.judge, each.status) for each in check_judges(study, group=True)] == [
        (gate.TOGETHER, "FAIL")
    ]
    assert [each.judge for each in check_judges(study, ["a"], group=True)] == [gate.TOGETHER, "a"]
    assert [each.judge for each in check_judges(study)] == ["a"]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"max_excess": 10, "require": "not_shown"}, "rules of their own; give one"),
        ({"max_excess": 0}, "max-excess 0 is not a number above 0"),
        ({"require": "fair"}, "unknown requirement 'fair'; choose from: no_material_preference, not_shown"),
        ({"require": "inconclusive"}, "unknown requirement 'inconclusive'"),
        ({"group": True, "require": "no_material_preference"}, "no conclusion on all judges together"),
        ({"group": True, "independent": True}, "about single judges"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_judges(study_of(judged()), **rule)


def test_an_old_requirement_keeps_working() -> None:
    (result,) = check_judges(study_of(judged("underrates_itself")), require="no_self_preference")

    assert result.status == "PASS"


@pytest.mark.parametrize(
    ("low", "high", "bound", "text"),
    [
        (1.197, 1.94, 1.2, "1.520 (95% CI 1.197 to 1.940)"),
        (1.19, 1.94, 1.2, "1.52 (95% CI 1.19 to 1.94)"),
        (1.2, 1.94, 1.2, "1.52 (95% CI 1.20 to 1.94)"),
        (1.1999996, 1.94, 1.2, "1.5200000 (95% CI 1.1999996 to 1.9400000)"),
    ],
)
def test_as_many_digits_are_written_as_tell_an_end_from_the_bound(
    low: float, high: float, bound: float, text: str
) -> None:
    result = GateResult("a", "INCONCLUSIVE", "r", "w", 1.52, low, high, bound=bound)

    assert estimate_text(result) == text


def test_an_excess_is_written_in_cases_of_100() -> None:
    result = gate.decide("a", judged("favours_itself", excess_low_plain=0.0995, excess_high_plain=0.2))

    assert estimate_text(result) == "12.00 of 100 (95% CI 9.95 to 20.00), 62.0 given and 50.0 expected"


def test_an_excess_of_scores_is_written_in_points_of_own_answers() -> None:
    result = gate.decide("a", judged(decided_by="bonus_outside", n_own=70))

    assert result.rule.startswith("fewer than 10 points of 100 for own answers beyond those expected")
    assert estimate_text(result).startswith("12.0 points of 100 (95% CI 2.0 to 22.0), 62.0 given")
    assert estimate_text(result).endswith(", 70 own answers")


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


def test_the_demonstrations_planted_judge_fails_by_default_and_a_fair_one_passes() -> None:
    store = ["--store", str(RESULTS)]

    favouring = CliRunner().invoke(app, ["check-judge", "demo-health", "--judge", "aster-large", *store])
    fair = CliRunner().invoke(app, ["check-judge", "demo-health", "--judge", "aster-mini", *store])

    assert (favouring.exit_code, fair.exit_code) == (1, 0)
    assert "expected" in favouring.stdout


def table_of_verdicts(*, leaving_out: bool) -> str:
    """Return verdicts of four judges without bias, or those without a seventh of gpt-4o's on itself."""
    drawn, models = random.Random(4), ("gpt-4o", "claude-3", "gemini-2", "llama-3")
    lines = ["judge,generator,instance_id,rubric_id,met,truth"]
    for question in range(150):
        for rubric in range(3):
            for model in models:
                truth = drawn.random() < 0.4
                for judge in models:
                    met = drawn.random() < (0.9 if truth else 0.3)
                    left_out = judge == model == "gpt-4o" and drawn.random() < 1 / 7
                    if not (leaving_out and left_out):
                        place = f"{judge},{model},q{question},r{rubric}"
                        lines.append(f"{place},{str(met).lower()},{str(truth).lower()}")
    return "\n".join(lines)


@pytest.mark.parametrize(("leaving_out", "status"), [(False, "PASS"), (True, "INCONCLUSIVE")])
def test_dropped_verdicts_on_itself_are_filled_in_before_a_judge_passes(
    tmp_path: Path, leaving_out: bool, status: str
) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text(table_of_verdicts(leaving_out=leaving_out))
    options = ["--map", "reference_met=truth", "--set", "reference_source=program", "--no-doctor"]
    place = ["--store", str(tmp_path / "store")]
    runner = CliRunner()
    runner.invoke(app, ["import", "table", str(table), *options, "--study", "mine", *place])

    result = runner.invoke(app, ["check-judge", "mine", "--judge", "gpt-4o", *place])

    assert result.stdout.startswith(f"{status}\tgpt-4o\t"), result.output
    assert ("filled in" in result.stdout) == leaving_out


def test_a_ratio_is_no_rule_for_pairs() -> None:
    arguments = ["check-judge", "demo-pairs", "--max-ratio", "1.2", "--store", str(RESULTS)]

    result = CliRunner().invoke(app, arguments)

    assert isinstance(result.exception, UsageError)
    words = "--max-ratio bounds odds, and this study is decided by votes on pairs, which have none"
    assert words in str(result.exception)


def test_all_judges_together_are_checked_by_the_command() -> None:
    result = CliRunner().invoke(app, ["check-judge", "demo-health", "--group", "--store", str(RESULTS)])

    assert result.exit_code == 3
    assert result.stdout.startswith(f"INCONCLUSIVE\t{gate.TOGETHER}\t")
    assert f"INCONCLUSIVE ({gate.TOGETHER}: 1 INCONCLUSIVE)" in result.stderr


def test_the_exit_code_reflects_the_result(tmp_path: Path) -> None:
    files = tmp_path / "g.xml", tmp_path / "g.md"
    store = ["--store", str(RESULTS), "--junit", str(files[0]), "--markdown", str(files[1])]

    result = CliRunner().invoke(app, ["check-judge", "demo-health", "--independent", *store])

    assert result.exit_code == 1
    assert files[0].read_text("utf-8").count("<failure ") == 9
    assert "FAIL" in files[1].read_text("utf-8").splitlines()[0]
    assert "FAIL (9 judges: 9 FAIL)" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["demo-health", "--junit", "{folder}"],
        ["demo-health", "--out", "{folder}/a-file/x.json"],
        ["no-such-study"],
    ],
)
def test_an_error_never_exits_like_a_judge_that_fails(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a-file").touch()
    arguments = [word.format(folder=tmp_path) for word in words]  # a folder is no file, nor a file a folder

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
    of_shares = GateResult("a", "FAIL", "r", "w", -0.0741, -0.0973, -0.0489, kind="change")
    assert estimate_text(of_shares, 0.0, of_shares=True) == "-7.4 points (95% CI -9.7 to -4.9)"
    around_0 = GateResult("a", "PASS", "r", "w", -0.03, -0.06, -0.004)
    assert estimate_text(around_0) == "-0.03 (95% CI -0.06 to 0.00)"


def test_names_are_not_markup_in_the_output() -> None:
    result = GateResult("a|<b>\x00", "INCONCLUSIVE", "rule", "why")

    markdown, junit = gate_markdown("s", [result]), gate_junit("s", [result])

    assert "<b>" not in markdown
    assert markdown.splitlines()[6].startswith("| a\\|\\<b")  # the bar is escaped once: one cell
    assert junit.count(b"<skipped ") == 1
    assert b"\x00" not in junit


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


def test_the_plugin_holds_all_markers_of_a_test_and_names_the_number_and_the_bound(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.judge({str(RESULTS / "demo-health")!r}, max_excess=90)
        class TestFair:
            @pytest.mark.judge({str(RESULTS / "demo-health")!r}, "aster-large", max_excess=1)
            @pytest.mark.judge({str(RESULTS / "demo-health")!r}, "aster-mini", max_excess=90)
            def test_fair(self, spb_judge):
                spb_judge()

            def test_of_the_class(self, spb_judge):
                assert len(spb_judge()) > 1
        """
    )

    run = pytester.runpytest_inprocess("-rf")

    run.assert_outcomes(failed=1, passed=1)
    run.stdout.fnmatch_lines(
        ["aster-large: * of 100 (95% CI *; the rule is max_excess=1: fewer than 1 of 100*"]
    )


def test_the_plugin_fails_a_test_that_never_calls_what_it_takes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import pytest, unittest

        @pytest.mark.judge({str(RESULTS / "demo-health")!r})
        def test_forgotten(spb_judge):
            spb_judge

        def test_skipped(spb_judge):
            pytest.skip("not today")

        @pytest.mark.xfail(strict=True)
        def test_failed(spb_judge):
            raise ValueError

        @pytest.mark.usefixtures("spb_judge")
        class TestForgotten(unittest.TestCase):
            def test_forgotten(self):
                pass
        """
    )

    run = pytester.runpytest_inprocess()

    run.assert_outcomes(failed=2, skipped=1, xfailed=1)
    run.stdout.fnmatch_lines(["spb_judge is never called, so no judge is checked; call spb_judge()"])


def test_the_plugin_takes_a_study_itself_and_names_for_its_arguments(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import engine, pandas as pd, pytest

        FOLDER = {str(RESULTS / "demo-health")!r}
        FRAME = pd.DataFrame(
            [{{"judge": j, "generator": g, "instance_id": q, "rubric_id": "r", "met": True}}
             for j in ("gpt-4o", "o3") for g in ("qwen2-7b", "claude-3-opus") for q in range(9)]
        )

        @pytest.mark.judge(study=engine.from_frame(FRAME), judge="o3", independent=True)
        def test_of_a_frame(spb_judge):
            assert [each.judge for each in spb_judge()] == ["o3"]

        def test_by_name(spb_judge):
            study = engine.open_study(FOLDER)
            [one] = spb_judge(study=study, judge="aster-mini", max_excess=90)
            two = spb_judge(study, judges=["aster-mini", "aster-large"], max_excess=90)
            assert one in two and len(two) == 2

        @pytest.mark.judge(FOLDER, "aster-mini")
        def test_both(spb_judge):
            spb_judge(judge="aster-mini", judges=["aster-large"])
        """
    )

    run = pytester.runpytest_inprocess()

    run.assert_outcomes(passed=2, failed=1)
    run.stdout.fnmatch_lines(["judges=[[]'aster-large'] is given beside*give one of them"])
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(["*Several markers all hold*"])


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("'nowhere'", "unknown study 'nowhere' in 'results'"),
        ("STUDY, 'x'", "unknown judge 'x'; choose from: aster-large"),
        (
            "STUDY, max_ration=1.2",
            "unknown rule 'max_ration'; did you mean 'max_ratio'? choose from",
        ),
        ("STUDY, max_ratio='high'", "max_ratio='high' is not a number above 0"),
        ("PAIRS, max_ratio=1.2", "nothing was checked: *max_ratio= bounds odds"),
    ],
)
def test_the_plugin_names_a_wrong_argument_without_a_traceback(
    pytester: pytest.Pytester, marker: str, message: str
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        STUDY = {str(RESULTS / "demo-health")!r}
        PAIRS = {str(RESULTS / "demo-pairs")!r}

        @pytest.mark.judge({marker})
        def test_fair(spb_judge):
            spb_judge()
        """
    )

    run = pytester.runpytest_inprocess()

    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([message.replace("[", "[[]") + "*"])
    run.stdout.no_fnmatch_line("*Traceback*")
    run.stdout.no_fnmatch_line("*gate.py*")

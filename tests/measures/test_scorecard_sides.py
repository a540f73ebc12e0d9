"""The numbers of a judge's conclusion: on which scale, with which intervals, and why one is missing."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from engine.measures.scorecard import scorecard_sides
from engine.measures.scorecard.scorecard_inputs import Ratios
from engine.measures.scorecard.scorecard_sides import JudgedSide, family_columns
from engine.stats.conclusions import conclusion_rules
from engine.stats.conclusions.conclusion_rules import Conclusion, Evidence, QuestionAnswers
from engine.stats.conditional.given_and_expected import Expectations
from engine.stats.intervals.jackknife import Estimates

NAN = np.nan
VALUE, SE, FREEDOM = np.array([10.0, 20.0, NAN, 30.0]), np.array([4.0, 4.0, NAN, NAN]), np.full(4, 20)
UNDEFINED = [None, None, "no_own_cells", None]
LEVEL, LEVEL_TASTES = 0.98, 0.99


def numbers(value, se=SE):
    return Estimates(np.asarray(value, dtype=float), np.asarray(se, dtype=float), FREEDOM)


def evidence_of(scale="points", value=VALUE, relatives=None):
    """Return four judges: of the last the error is unknown, of the third the number."""
    own, discerned = numbers(value), numbers(value / 2)
    tastes = numbers(value, [8.0, NAN, NAN, NAN])
    given = np.array([0.75, 0.5, 0.25, 0.5])
    return Evidence(
        scale, own, tastes, discerned, discerned, tastes, UNDEFINED, [None] * 4, np.zeros(4), given, None,
        relatives,
    )  # fmt: skip


def side_of(scale="points", value=VALUE, conclusions=None, expectations=None, evidence=None):
    evidence = evidence or evidence_of(scale, value)
    first = conclusion_rules.Tested(np.array([0.01, 0.02, NAN, NAN]), LEVEL)
    second = conclusion_rules.Tested(np.array([0.03, NAN, NAN, NAN]), LEVEL_TASTES)
    nothing = np.zeros(4, dtype=bool)
    shared = conclusion_rules.Tested(np.array([0.2, NAN, NAN, NAN]), LEVEL_TASTES)
    side = nothing.astype(int)
    answers = QuestionAnswers(evidence, first, second, shared, side, nothing, [None] * 4, nothing)
    counts = {name: np.arange(4) + place for place, name in enumerate(("n_own", "n_other", "n_family"))}
    source = SimpleNamespace(
        number="bonus_outside", truth=None, case=SimpleNamespace(**counts),
        ratios=Ratios.none(4, np.array([3, 3, 3, 3]), "not_of_these_judgments"),
    )  # fmt: skip
    conclusions = conclusions or [Conclusion("favours_itself", None)] * 4
    expectations = expectations or Expectations(evidence.given, scale)
    return JudgedSide(source, answers, conclusions, expectations)


def plain(column):
    return [None if value is None or value != value else value for value in list(column.values)]


def reach(level, error=4.0):
    return stats.t.ppf((1 + level) / 2, 20) * error


def test_an_interval_stands_at_the_level_of_its_question_and_the_plain_one_at_95():
    columns = side_of().columns()

    for suffix, level, error in (("", LEVEL, 4.0), ("_plain", 0.95, 4.0), ("_tastes", LEVEL_TASTES, 8.0)):
        assert columns[f"low{suffix}"].values[0] == pytest.approx(10 - reach(level, error))
        assert columns[f"high{suffix}"].values[0] == pytest.approx(10 + reach(level, error))
        assert columns[f"excess_low{suffix}"].values[0] == pytest.approx(0.1 - reach(level, error) / 100)
        assert columns[f"excess_high{suffix}"].values[0] == pytest.approx(0.1 + reach(level, error) / 100)
    assert columns["own_expected_low"].values[0] == pytest.approx(0.65 - reach(LEVEL) / 100)
    assert columns["own_expected_high"].values[0] == pytest.approx(0.65 + reach(LEVEL) / 100)


def test_where_discernment_is_the_reason_the_interval_is_that_less_discernment():
    fallen = [Conclusion("not_shown", "discernment"), Conclusion("not_shown", "undecided")]

    columns = side_of(conclusions=[*fallen, Conclusion(None, "no_own_cells"), fallen[1]]).columns()

    assert columns["low"].values[0] == pytest.approx(5 - reach(LEVEL))
    assert columns["high"].values[0] == pytest.approx(5 + reach(LEVEL))
    assert columns["low"].values[1] == pytest.approx(20 - reach(LEVEL))
    assert columns["low_plain"].values[0] == pytest.approx(10 - reach(0.95))
    assert plain(columns["reason"]) == ["discernment", "undecided", "no_own_cells", "undecided"]


def test_what_is_given_expected_and_their_difference_follow_from_the_number():
    columns = side_of().columns()

    assert plain(columns["own_given"]) == [0.75, 0.5, 0.25, 0.5]  # counted, also where no number follows
    assert plain(columns["own_expected"]) == [
        pytest.approx(0.65),
        pytest.approx(0.3),
        None,
        pytest.approx(0.2),
    ]
    assert plain(columns["excess"]) == [pytest.approx(0.1), pytest.approx(0.2), None, pytest.approx(0.3)]
    assert [plain(columns[name]) for name in ("n_own", "n_other", "n_family")] == [
        [0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5],
    ]  # fmt: skip
    assert plain(columns["n_outside"]) == [3] * 4
    assert plain(columns["estimate"]) == [10, 20, None, 30]
    assert plain(columns["discerned"]) == [5, 10, None, 15]


def test_what_a_shared_taste_leaves_is_given_where_it_can_be_told():
    evidence = evidence_of()
    # Of 20 with a taste 12 are left; where nothing can be told, the number is unchanged.
    evidence = replace(
        evidence, shared=numbers([12.0, 20.0, NAN, 15.0]), own=numbers([20.0, 20.0, NAN, 30.0])
    )
    concluded = [Conclusion("overrates_itself", "shared_taste")] * 3 + [Conclusion("not_shown", "undecided")]

    columns = side_of(evidence=evidence, conclusions=concluded).without_shared_taste()

    left, p = columns["shared_taste_left"], columns["shared_taste_p"]
    assert plain(left) == [pytest.approx(0.6), None, None, None]
    assert plain(p) == [pytest.approx(0.2), None, None, None]
    assert [left.reason(j) for j in (1, 2, 3)] == ["no_shared_taste", "no_own_cells", "not_standing"]


def test_a_missing_number_says_why():
    columns = side_of().columns()

    for name in ("estimate", "discerned", "p", "p_tastes", "low", "low_tastes", "own_expected", "excess"):
        assert columns[name].reason(2) == "no_own_cells", name
    # Of the last the number is known and its error is not.
    for name in ("p", "p_adjusted", "low", "high_plain", "detectable", "own_expected_low", "excess_high"):
        assert (plain(columns[name])[3], columns[name].reason(3)) == (None, "hangs_on_one_instance"), name
    # Of the second tastes are not known.
    for name in ("p_tastes", "p_tastes_adjusted", "low_tastes", "excess_high_tastes"):
        assert (plain(columns[name])[1], columns[name].reason(1)) == (None, "tastes_unknown"), name
    assert columns["truth"].reason(0) == "not_of_these_judgments"
    assert columns["reason"].reason(0) == "concluded"


@pytest.mark.parametrize(
    ("scale", "scaled"), [("odds", np.exp), ("ratio", np.exp), ("votes", float), ("points", float)]
)
def test_logarithms_are_shown_as_odds_and_ratios(scale, scaled):
    columns = side_of(scale, VALUE / 10).columns()

    assert columns["estimate"].values[0] == pytest.approx(scaled(1.0))
    assert columns["discerned"].values[0] == pytest.approx(scaled(0.5))
    assert columns["low_plain"].values[0] == pytest.approx(scaled(1 - reach(0.95)))
    # The smallest value that is found with power .8.
    least = 4 * (stats.t.ppf(0.975, 20) + stats.t.ppf(0.8, 20))
    assert columns["detectable"].values[0] == pytest.approx(scaled(least))


def test_where_all_own_cases_are_alike_nothing_is_expected():
    columns = side_of(
        "odds", VALUE / 10, expectations=Expectations(np.array([1.0, 1.0, NAN, 1.0]), "odds")
    ).columns()

    assert plain(columns["own_given"]) == [1, 1, None, 1]
    assert plain(columns["own_expected"]) == plain(columns["excess_low"]) == [None] * 4
    assert [columns["own_expected"].reason(judge) for judge in (0, 2)] == [
        "all_own_cases_alike",
        "no_own_cells",
    ]
    assert columns["excess_low"].reason(0) == "all_own_cases_alike"


def test_an_undefined_number_without_a_reason_has_no_interval():
    evidence = evidence_of(value=np.array([10.0, 20.0, NAN, NAN]))

    columns = side_of(evidence=evidence, expectations=Expectations(evidence.given, "points")).columns()

    assert (columns["own_expected"].reason(3), columns["excess_low"].reason(3)) == (
        "undefined", "hangs_on_one_instance",
    )  # fmt: skip


def columns_of_family(monkeypatch, side, why=("no_relatives", None, None, None)):
    monkeypatch.setattr(scorecard_sides.JudgedSide, "of_family", classmethod(lambda *_: side))
    case = SimpleNamespace(n_own=np.arange(4), relatives_why=list(why))
    return family_columns(SimpleNamespace(case=case), np.ones(4, dtype=bool))


def test_without_relatives_no_number_of_them_has_a_value(monkeypatch):
    columns = columns_of_family(monkeypatch, None)

    assert all(plain(column) == [None] * 4 for column in columns.values())
    assert [columns["family_conclusion"].reason(judge) for judge in (0, 1)] == ["no_relatives"] * 2
    other = columns_of_family(monkeypatch, None, ["no_cells_of_relatives", None, None, None])
    assert [other["odds_family"].reason(judge) for judge in (0, 1)] == [
        "no_cells_of_relatives",
        "no_relatives",
    ]


def test_relatives_have_odds_where_odds_decide_and_else_none(monkeypatch):
    of_odds = columns_of_family(monkeypatch, side_of("odds", VALUE / 10))
    of_points = columns_of_family(monkeypatch, side_of())

    assert of_odds["family_conclusion"].values == ["favours_family"] * 4
    assert of_odds["odds_family"].values[0] == pytest.approx(np.exp(1))
    assert of_odds["odds_family"].intervals.low[0] == pytest.approx(np.exp(1 - reach(LEVEL)))
    assert of_odds["odds_family"].intervals.high[0] == pytest.approx(np.exp(1 + reach(LEVEL)))
    assert plain(of_odds["odds_family_p_adjusted"]) == [0.01, 0.02, None, None]
    assert plain(of_odds["odds_family_p_tastes_adjusted"]) == [0.03, None, None, None]
    assert of_odds["odds_family_p_tastes_adjusted"].reason(1) == "tastes_unknown"
    assert plain(of_points["odds_family"]) == [None] * 4
    assert of_points["odds_family_p"].reason(0) == "not_of_these_judgments"
    assert plain(of_points["family_given"]) == [0.75, 0.5, 0.25, 0.5]
    assert of_points["excess_family"].values[0] == pytest.approx(0.1)
    assert set(of_odds) == set(of_points)
    assert set(columns_of_family(monkeypatch, None)) <= set(of_odds)

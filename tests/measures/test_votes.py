"""`votes`: whom a judge votes for."""

import itertools

import numpy as np
import pytest
from plain.builders import compare, one, study_of

from engine.shipped_files import RESULTS
from engine.study import Study
from engine.views import vote_matrix, votes


@pytest.fixture(scope="module")
def demo_pairs() -> Study:
    return Study.open(RESULTS / "demo-pairs")


def test_the_shares_of_a_judge_sum_its_votes_and_every_model_has_a_rank(demo_pairs):
    rows = demo_pairs.result("votes", resamples=50).rows
    wins = demo_pairs.result("dbg", resamples=0, gold=[]).rows

    assert len(rows) == 81
    for judge in {row["judge"] for row in rows}:
        own_rows = [row for row in rows if row["judge"] == judge]
        shares, n = ([row[name] for row in own_rows] for name in ("win_rate", "n"))
        assert np.average(shares, weights=n) == pytest.approx(0.5)
        assert sorted(row["rank"] for row in own_rows) == list(range(1, 10))
        own = next(row for row in own_rows if row["generator"] == judge)
        of_dbg = next(row for row in wins if row["judge"] == judge and row["opponent"] is None)
        assert own["win_rate"] == pytest.approx(of_dbg["win_rate"], abs=0.01)
        assert own["rank_low"] <= own["rank"] <= own["rank_high"]


@pytest.mark.parametrize(
    ("measure", "module"), [("votes", "pairs.votes"), ("vote-ranking", "rankings.vote_ranking")]
)
def test_with_more_models_than_are_resampled_strengths_and_ranks_have_no_interval(
    load, monkeypatch, measure, module
):
    plain = study_of("J:F A:G B:H", instances=4)
    for n, (left, right) in itertools.product(range(4), itertools.combinations("JAB", 2)):
        for first in ("generator", "opponent"):
            won = n > "JAB".index(left)
            compare(plain, "J", left, right, first, "generator" if won else "opponent", f"x{n}")
    study, most = load(plain), f"engine.measures.{module}.MOST_RESAMPLED"
    with_intervals = study.result(measure, resamples=20).rows

    monkeypatch.setattr(most, 3)
    as_many = study.result(measure, resamples=20).rows
    monkeypatch.setattr(most, 2)
    more = study.result(measure, resamples=20).rows

    assert as_many == with_intervals
    assert None not in [row[f"{name}_low"] for row in as_many for name in ("strength", "rank")]
    for before, row in zip(as_many, more, strict=True):
        assert (row["strength"], row["rank"]) == (pytest.approx(before["strength"]), before["rank"])
        assert row["strength_low"] is row["rank_high"] is None
        assert row["reasons"]["rank_low"] == "no_resamples"


def test_both_orders_of_a_pair_are_one_vote_and_two_winners_are_half_of_it_each(load):
    plain = study_of("J:F A:G")
    compare(plain, "J", "J", "A", "generator", "generator", "x0")
    compare(plain, "J", "J", "A", "opponent", "opponent", "x0")

    result = load(plain).result("votes", resamples=0)

    assert {row["generator"]: (row["win_rate"], row["n"]) for row in result.rows} == {
        "J": (0.5, 1),
        "A": (0.5, 1),
    }
    meaning = next(field.meaning for field in result.measure.fields if field.name == "win_rate")
    for words in (meaning, votes.CAPTION.lower(), vote_matrix.MARKS.lower()):
        assert "both orders of a pair are one vote" in words
        assert "another winner in each, is half a" in words


def test_a_judges_votes_for_each_answer_are_the_share_of_its_pairs(load):
    plain = study_of("J:F A:G B:H", instances=2)
    for n, winner in ((0, "J"), (1, None)):  # J against A: won, then a tie; J against B: lost in x0 alone
        for first in ("generator", "opponent"):
            compare(plain, "J", "J", "A", first, "generator" if winner else "tie", f"x{n}")
    for first in ("generator", "opponent"):
        compare(plain, "J", "B", "J", first, "generator", "x0")

    rows = load(plain).result("votes", resamples=0).rows

    shares = {row["generator"]: (row["win_rate"], row["n"]) for row in rows}
    assert shares == {"J": (1.5 / 3, 3), "A": (0.5 / 2, 2), "B": (1.0, 1)}
    assert all(row["small"] for row in rows)
    assert one(rows, generator="B")["rank"] == 1

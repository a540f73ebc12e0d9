"""`votes`: whom a judge votes for."""

import numpy as np
import pytest

from engine.shipped_files import RESULTS
from engine.study import Study


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

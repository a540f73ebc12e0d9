"""`vote-ranking` against its second implementation by plain loops, on small random studies.

Intervals are not compared: they are bootstraps, whose draws the definition does not give.
"""

import math
import random

import pytest
from plain.awkward import GENERATORS, JUDGES, awkward_study
from plain.vote_ranking import vote_ranking

from engine.arrays.slicing.resolve import NoDataError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

OPTIONS = ({}, {"judges": list(JUDGES[1:3])}, {"generators": list(GENERATORS[:3]), "repeats": "first"})


def pairs_of(seed):
    """Return an awkward study of pairs; every fourth has one order of each pair."""
    study = awkward_study(random.Random(seed), instances=3, paradigms=("pairwise",), committee=False)
    if seed % 4 == 0:
        study.judgments[:] = [row for row in study.judgments if row["first"] != "opponent"]
    return study


@pytest.mark.parametrize("seed", range(20))
def test_a_ranking_by_votes_equals_its_plain_second_implementation(tmp_path, seed):
    rows = pairs_of(seed)
    rows.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "votes")
    study = Study.open(tmp_path / "store" / "votes")
    options = OPTIONS[seed % 3]
    expected = {(row["by"], row["model"]): row for row in vote_ranking(rows, **options)}

    try:
        ours = study.result("vote-ranking", resamples=0, **options).rows
    except NoDataError:
        ours = []

    assert [(row["by"], row["model"]) for row in ours] == list(expected), options
    for row in ours:
        theirs = expected[row["by"], row["model"]]
        assert row["n"] == theirs["n"]
        for field in ("rank", "strength"):  # both stop at a flat likelihood
            close = math.isclose(row[field], theirs[field], rel_tol=1e-6, abs_tol=1e-6)
            assert close, (options, field, row, theirs)

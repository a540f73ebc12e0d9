"""The imported published study gives the numbers printed in its paper."""

import pytest
from plain.published import STUDY, as_printed, needs_published_study, printed

from engine.importers.exchange import import_tidy
from engine.store import Store
from engine.study import Study

pytestmark = needs_published_study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    import_tidy(STUDY, Store(store), "ifeval")
    return Study.open(store / "ifeval")


@pytest.mark.parametrize(
    ("measure", "column", "field"),
    [
        ("accuracy", "IFEval MRA", "mra"),
        ("hspp", "IFEval HSPP-Rub. (Self)", "hspp_self"),
        ("hspp", "IFEval HSPP-Rub. (Fam.)", "hspp_family_with_self"),
    ],
)
def test_all_cells_of_table_1_are_reproduced(study, measure, column, field):
    expected = printed("Table 1", column)

    rows = study.result(measure, paradigm="single_rubric", resamples=0).rows

    assert len(expected) == 12
    assert {row["judge"]: as_printed(row[field], "0.00") for row in rows if row["judge"]} == expected


@pytest.mark.parametrize(("who", "field"), [("Self", "l2w_share_self"), ("Other", "l2w_share_other")])
def test_all_cells_of_table_2_are_reproduced(study, who, field):
    to_win, to_tie = (printed("Table 2", f"{who} {kind} (%)") for kind in ("l2w", "l2t"))

    rows = [row for row in study.result("hspp", level="instance", resamples=0).rows if row["judge"]]

    assert len(to_win) == len(to_tie) == 12
    assert {row["judge"]: as_printed(100 * row[field], "0.0") for row in rows} == to_win
    assert {row["judge"]: as_printed(100 * (1 - row[field]), "0.0") for row in rows} == to_tie

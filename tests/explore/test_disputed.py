"""The cells on which a judge and outside judges differ."""

import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.errors import UsageError
from engine.explore.disputed_cells import disputed_cells
from engine.importers.exchange import import_tidy
from engine.slices import Slice
from engine.store import Store
from engine.study import Study


@pytest.fixture
def study(tmp_path):
    """F and F2 of one family, G and H of others, judge F's response to four rubrics; the first is met."""
    plain = study_of(models="F:1 F2:1 G:2 H:3", rubrics=(1, 1, 1, 1))
    refer(plain, "F", "1000")
    for judge, mets in {"F": "1110", "F2": "0001", "G": "0100", "H": "0010"}.items():
        judge_rubrics(plain, judge, "F", mets)
    plain.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path), "small")
    return Study.open(tmp_path / "small")


def test_judges_outside_the_family_are_listed_on_either_side(study):
    first, second = disputed_cells(study, Slice(), "F")

    assert (first.favourable, first.crediting, first.not_crediting) == (True, ("G",), ("H",))
    assert (second.favourable, second.crediting, second.not_crediting) == (True, ("H",), ("G",))


def test_the_most_contradicted_cell_comes_first_if_every_verdict_counts(study):
    cells = disputed_cells(study, Slice(), "F", truth="any")

    assert [cell.against for cell in cells] == [1.0, 0.5, 0.5]


def test_relatives_are_compared_with_judges_outside_both_families(study):
    (cell,) = disputed_cells(study, Slice(), "F2", generator="F", favourable=False, limit=1)

    assert (cell.crediting, cell.not_crediting) == (("G",), ("H",))


def test_an_unknown_judge_is_named(study):
    with pytest.raises(UsageError, match="'nobody'"):
        disputed_cells(study, Slice(), "nobody")

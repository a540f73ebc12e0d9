"""What a judge passed of its own responses that the reference, or most outside judges, failed."""

import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.arrays.slicing.group_by import single_view
from engine.explore.stated_reasons import overestimations
from engine.importers.formats.exchange import import_tidy
from engine.paradigms import RUBRIC_PARADIGMS
from engine.slices import Slice
from engine.store import Store
from engine.study import Study

RELATIVE_AND_OUTSIDERS = {"F2": "0000", "G": "0100", "H": "0010", "I": "0111"}


def places(folder, own, *, reference=None):
    """Return the overestimations of F, whose response to four rubrics relatives and outsiders judged too."""
    plain = study_of(models="F:1 F2:1 G:2 H:3 I:4", rubrics=(1, 1, 1, 1))
    if reference is not None:
        refer(plain, "F", reference)
    for judge, mets in {"F": own, **RELATIVE_AND_OUTSIDERS}.items():
        judge_rubrics(plain, judge, "F", mets)
    plain.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder), "small")
    view = single_view(Study.open(folder / "small"), Slice(), None, RUBRIC_PARADIGMS)
    return overestimations(view.with_all_judges(), "F").tolist()


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("1111", [0, 3]),  # of G, H and I none passed the first, two the second and third, one the last
        ("0111", [3]),
        ("0000", []),
    ],
)
def test_without_a_reference_most_outside_judges_decide_and_relatives_do_not(tmp_path, own, expected):
    assert places(tmp_path, own) == expected


def test_a_reference_decides_alone(tmp_path):
    assert places(tmp_path, "1110", reference="1001") == [1, 2]

"""How many judgments and verdicts of each judge a slice has: hand counts."""

import pytest
from plain.builders import compare, judge_rubrics, study_of

from engine.arrays.slicing.verdict_counts import VerdictCounts, verdict_counts
from engine.importers.formats.exchange import import_tidy
from engine.slices import Slice
from engine.store import Store
from engine.study import Study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """J judges A and B, in x0 without one verdict on A, in x1 with none on B, and a pair of them."""
    plain = study_of("J:F A:G B:H", rubrics=(1, -1), instances=2)
    plain.instances[0]["category"], plain.instances[1]["category"] = "easy", "hard"
    for generator, text in (("A", "short"), ("B", "a longer text")):
        for i in range(2):
            plain.add("responses", instance_id=f"x{i}", generator=generator, text=text)
    judge_rubrics(plain, "J", "A", "1u", "x0", run_id="r1")
    judge_rubrics(plain, "J", "B", "11", "x0", run_id="r1")
    judge_rubrics(plain, "J", "A", "10", "x1", run_id="r2")
    judge_rubrics(plain, "J", "B", "uu", "x1", run_id="r2")
    judge_rubrics(plain, "A", "B", "uu", "x1", run_id="r2", paradigm="all_rubrics")
    compare(plain, "J", "A", "B", "generator", choice="generator", run_id="r1")
    folder = tmp_path_factory.mktemp("counts")
    plain.write(folder / "small")
    import_tidy(folder / "small", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


@pytest.mark.parametrize(
    ("filters", "of_j", "of_a"),
    [
        ({}, (9, 6), (2, 0)),
        ({"run": "r1"}, (5, 4), None),
        ({"paradigm": "pairwise"}, (1, 1), None),
        ({"category": "easy"}, (5, 4), None),
        ({"category": "hard"}, (4, 2), (2, 0)),
        ({"category": "hard", "run": "r2", "paradigm": "all_rubrics"}, None, (2, 0)),
        ({"polarity": "negative"}, (4, 2), (1, 0)),  # the pair is of whole answers
        ({"generators": "A"}, (4, 3), None),  # the pair is of B's too
        ({"generators": "A,B", "category": "easy"}, (5, 4), None),
        ({"response_length": ":5"}, (4, 3), None),
        ({"rubric_id": "k0", "category": "hard"}, (2, 1), (1, 0)),
    ],
    ids=str,
)
def test_judgments_and_verdicts_are_those_that_the_filters_keep(study, filters, of_j, of_a):
    counts = verdict_counts(study, Slice.of(**filters))

    of_judges = {"J": of_j, "A": of_a}
    assert counts == {judge: VerdictCounts(*n) for judge, n in of_judges.items() if n is not None}

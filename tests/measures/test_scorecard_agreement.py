"""How many other numbers of a study point the same way as a judge's conclusion."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.arrays.truths.references import NONE
from engine.errors import UsageError
from engine.measures.scorecard import scorecard_agreement as agreement
from engine.measures.scorecard.scorecard_agreement import other_numbers
from engine.slices import Slice

HSPP = SimpleNamespace(name="hspp", field="hspp_self", null=1.0)
SPB = SimpleNamespace(name="spb", field="spb", null=0.0)
UNTESTED = SimpleNamespace(name="other", field="other", null=None)
NOTHING = dict.fromkeys(("ratio_outside", "bonus_outside", "vote_outside", "odds_self"))


def source_of(*values, number="odds_self", truth="failed", ratio=None):
    evidence = SimpleNamespace(own=SimpleNamespace(value=np.array(values, dtype=float)))
    spec = SimpleNamespace(paradigm="single_rubric")
    return SimpleNamespace(
        number=number, truth=truth, case=SimpleNamespace(evidence=evidence),
        view=SimpleNamespace(request=SimpleNamespace(spec=spec)),
        ratios=SimpleNamespace(ratio=np.array(values if ratio is None else ratio, dtype=float)),
    )  # fmt: skip


def counted(monkeypatch, source, names, numbers=(), outside=()):
    monkeypatch.setattr(agreement, "number_rows", lambda *_: iter(numbers))
    monkeypatch.setattr(agreement, "_rows_outside", lambda *_: iter(outside))
    columns = other_numbers(None, Slice(), source, names)
    return {name: list(column.values) for name, column in columns.items()} | {"columns": columns}


def test_numbers_on_the_same_side_of_no_preference_agree(monkeypatch):
    numbers = [
        (HSPP, {"judge": "J", "hspp_self": 1.5}),
        (SPB, {"judge": "J", "spb": -0.1}),
        (HSPP, {"judge": "A", "hspp_self": 0.8}),
        (SPB, {"judge": "A", "spb": -0.1}),
        (HSPP, {"judge": "B", "hspp_self": 1.5}),
    ]

    of = counted(monkeypatch, source_of(0.5, -0.5, 0.0), ["J", "A", "B"], numbers)

    assert (of["agreeing"], of["disagreeing"]) == ([1, 2, 0], [1, 0, 0])  # B is on neither side
    assert of["hspp_self"] == [1.5, 0.8, 1.5]
    assert of["hspp_matched"] == [None] * 3
    assert of["columns"]["hspp_matched"].reason(0) == "no_verdict_with_a_reference"


def test_what_is_undefined_on_neither_side_untested_or_of_others_is_not_counted(monkeypatch):
    numbers = [
        (HSPP, {"judge": "J", "hspp_self": None}),
        (SPB, {"judge": "J", "spb": 1e-10}),
        (UNTESTED, {"judge": "J", "other": 5.0}),
        (SPB, {"judge": "stranger", "spb": 0.5}),
    ]

    of = counted(monkeypatch, source_of(0.5), ["J"], numbers)

    assert (of["agreeing"], of["disagreeing"], of["hspp_self"]) == ([0], [0], [None])
    assert counted(monkeypatch, source_of(1e-10), ["J"], [(SPB, {"judge": "J", "spb": 1.0})])["agreeing"] == [
        0
    ]


def test_of_several_rows_of_a_number_the_first_counts(monkeypatch):
    numbers = [(HSPP, {"judge": "J", "hspp_self": 1.5}), (HSPP, {"judge": "J", "hspp_self": 0.5})]

    of = counted(monkeypatch, source_of(0.5), ["J"], numbers)

    assert (of["agreeing"], of["disagreeing"], of["hspp_self"]) == ([1], [0], [1.5])


def test_numbers_against_outside_judges_count_but_for_the_one_that_decides(monkeypatch):
    outside = [
        NOTHING | {"judge": "J", "ratio_outside": 0.5, "odds_self": 3.0},
        NOTHING | {"judge": "J", "ratio_outside": 2.0, "bonus_outside": 0.5, "vote_outside": 0.0},
        NOTHING | {"judge": "stranger", "ratio_outside": 2.0},
    ]

    of_odds = counted(monkeypatch, source_of(0.5), ["J"], outside=outside)
    of_points = counted(monkeypatch, source_of(0.5, number="bonus_outside"), ["J"], outside=outside)

    # The ratio of .5 is against, .5 points are for it; a vote as others' is on neither side.
    assert (of_odds["agreeing"], of_odds["disagreeing"]) == ([1], [1])
    assert (of_points["agreeing"], of_points["disagreeing"]) == ([1], [1])


def requests_of(monkeypatch, source, *, paradigms=("single_rubric", "pairwise"), paradigm=None):
    """Return the rows and what is asked of `outside`, as (paradigm, level, reference)."""
    requests = []

    def compute(_study, _measure, *, resamples, **flags):
        assert resamples == 0
        requests.append((flags["paradigm"], flags["level"], flags.get("reference")))
        if flags["paradigm"] == "pairwise":
            raise UsageError("not of these")
        return SimpleNamespace(rows=[{"judge": "J"}])

    monkeypatch.setattr(agreement, "compute_measure", compute)
    study = SimpleNamespace(inventory=SimpleNamespace(values=lambda _: list(paradigms)))
    rows = list(agreement._rows_outside(study, Slice(paradigm=paradigm), source, ["J", "A"]))
    return rows, requests


def test_outside_is_asked_at_each_level_and_the_ratio_that_is_known_is_not_asked_again(monkeypatch):
    rows, requests = requests_of(monkeypatch, source_of(0.5, 0.5, ratio=[2.0, np.nan]))

    assert requests == [("single_rubric", "instance", NONE), ("pairwise", None, None)]
    assert rows[:2] == [
        NOTHING | {"judge": "J", "ratio_outside": 2.0},
        NOTHING | {"judge": "A"},
    ]
    assert rows[2:] == [{"judge": "J"}]


@pytest.mark.parametrize(("number", "truth"), [("bonus_outside", "failed"), ("odds_self", "any")])
def test_unless_odds_of_failed_criteria_decide_the_ratio_is_asked_for(monkeypatch, number, truth):
    rows, requests = requests_of(monkeypatch, source_of(0.5, number=number, truth=truth))

    assert requests[0] == ("single_rubric", "rubric", None)
    assert len(requests) == 3
    assert rows == [{"judge": "J"}] * 2


def test_only_the_paradigm_chosen_is_asked_for(monkeypatch):
    _, requests = requests_of(monkeypatch, source_of(0.5, number="vote_outside"), paradigm="pairwise")

    assert requests == [("pairwise", None, None)]

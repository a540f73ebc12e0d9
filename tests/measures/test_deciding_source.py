"""The number that decides: in which order they are looked at, and what is refused or reported."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.truths.references import NONE
from engine.errors import UsageError
from engine.measures.scorecard import deciding_source as deciding
from engine.slices import Slice

OPTIONS = {"decide": None, "clusters": "instance", "material": None}


@dataclass(frozen=True)
class FakeSource:
    """A source of one judge: its number, that of its relatives, and whether it judged its own answers."""

    number: str
    value: float = np.nan
    near: float | None = None
    has_judged: bool = True
    orders_missing: int = 0
    material: float | None = None
    clusters: np.ndarray | None = field(default=None, compare=False)

    @property
    def judged(self):
        return np.array([self.has_judged])

    @property
    def case(self):
        of_near = None if self.near is None else _number(self.near)
        return SimpleNamespace(evidence=_number(self.value, of_near))


def _number(value, relatives=None):
    return SimpleNamespace(own=SimpleNamespace(value=np.array([value])), relatives=relatives)


def decided(monkeypatch, *sources, themes=(), **options):
    monkeypatch.setattr(deciding, "_sources", lambda *_: iter(sources))
    fields = {"theme": np.array(themes, dtype=object)}
    study = SimpleNamespace(
        index=SimpleNamespace(instance_fields=fields),
        references=SimpleNamespace(choose=lambda _: None),
        inventory=SimpleNamespace(values=lambda *_, **__: ()),
    )
    return deciding.deciding_source(study, Slice(), OPTIONS | options)


def test_the_first_number_that_some_judge_has_decides(monkeypatch):
    undefined, votes, points = FakeSource("odds_self"), FakeSource("vote_outside", 0.1), FakeSource("b", 0.2)

    assert decided(monkeypatch, undefined, votes, points) == votes
    assert decided(monkeypatch, votes, points, material=1.5).material == 1.5


def test_without_a_number_the_first_of_own_answers_says_why_then_the_first_of_relatives(monkeypatch):
    nobody = FakeSource("odds_self", has_judged=False)
    first, second = FakeSource("vote_outside"), FakeSource("bonus_outside")
    near = FakeSource("bonus_outside", near=0.5, has_judged=False)
    later = FakeSource("odds_self", near=0.5, has_judged=False)
    undefined = FakeSource("vote_outside", near=np.nan, has_judged=False)

    assert decided(monkeypatch, nobody, near, first, second) == first
    assert decided(monkeypatch, nobody, undefined, near, later) == near


def test_where_nobody_judged_its_own_pairs_of_one_order_are_counted_once(monkeypatch):
    alone = [FakeSource("v", has_judged=False, orders_missing=number) for number in (1200, 800)]
    monkeypatch.setattr("engine.measures.scorecard.deciding_source.other_order", lambda _: "judge them")

    with pytest.raises(NoDataError, match=r"^1,200 judgments of pairs lack the other order"):
        decided(monkeypatch, *alone)
    with pytest.raises(NoDataError, match="no judge has judged its own answers in this slice"):
        decided(monkeypatch, FakeSource("v", has_judged=False))


def test_errors_are_clustered_by_ten_themes_or_more_an_instance_without_one_alone(monkeypatch):
    ten = [f"t{n}" for n in range(10)]

    source = decided(
        monkeypatch, FakeSource("odds_self", 1.0), clusters="theme", themes=[*ten, None, "t3", None]
    )

    # The instances of theme t3 share its code; those at places 10 and 12 have no theme.
    assert source.clusters.tolist() == [*range(10), 10, 3, 11]
    assert decided(monkeypatch, FakeSource("odds_self", 1.0), themes=ten).clusters is None
    with pytest.raises(UsageError, match="needs at least 10 themes, but the study has 9; leave out"):
        decided(monkeypatch, FakeSource("odds_self", 1.0), clusters="theme", themes=[*ten[1:], None])


@pytest.mark.parametrize("number", ["odds_self", "hspp_matched"])
def test_themes_cluster_verdicts_on_criteria_alone(monkeypatch, number):
    themes = list("abcdefghij")

    assert decided(monkeypatch, FakeSource(number, 1.0), clusters="theme", themes=themes).clusters is not None
    with pytest.raises(UsageError, match="but vote_outside decides here; leave out --clusters"):
        decided(monkeypatch, FakeSource("vote_outside", 1.0), clusters="theme", themes=themes)


@pytest.mark.parametrize("material", [0.0, -1.0, float("nan")])
def test_a_bound_of_equivalence_is_above_0(monkeypatch, material):
    with pytest.raises(UsageError, match=r"is not above 0; give odds such as 1\.25"):
        decided(monkeypatch, FakeSource("odds_self", 1.0), material=material)


ALL = ("all_rubrics", "direct_assessment", "pairwise", "score_rubric", "single_rubric")
FAILED, ANY = ("odds_self", "failed", None, "single_rubric"), ("odds_self", "any", None, "single_rubric")
MATCHED = ("hspp_matched", "failed", None, "single_rubric")
VOTES, LOST = ("vote_outside", None, "all", "pairwise"), ("vote_outside", None, "lost", "pairwise")
POINTS = ("bonus_outside", "any", None, "single_rubric")


@pytest.fixture
def sources(monkeypatch):
    """Return a function that lists what may decide, as (number, truth, pairs, paradigm)."""

    def in_order(
        *, paradigms=ALL, decide=None, reference=True, outside=True, gold=True, paradigm=None, lack=()
    ):
        def view_of(_study, spec):
            if spec.paradigm in lack:
                return None
            source = "program" if reference and spec.reference != NONE else None
            return SimpleNamespace(request=SimpleNamespace(source=source), spec=spec)

        masks = SimpleNamespace(outside=np.array([[False, outside], [outside, False]]))
        inventory = SimpleNamespace(values=lambda *_, **__: list(paradigms))
        references = SimpleNamespace(sources=["program"] if gold else [])
        study = SimpleNamespace(inventory=inventory, references=references)
        for name, fake in {
            "_view": view_of,
            "family_masks": lambda _: masks,
            "stored_preferences": lambda *_: SimpleNamespace(counting=[]),
            "prefer_variant": lambda _, spec, *__: spec,
            "resolve_truth": lambda _, spec: spec,
        }.items():
            monkeypatch.setattr(deciding, name, fake)
        return [
            (source.number, source.truth, source.pairs, source.view.spec.paradigm)
            for source in deciding._sources(study, Slice(paradigm=paradigm), decide)
        ]

    return in_order


def test_failed_criteria_decide_before_pairs_then_points_then_all_criteria(sources):
    assert sources() == [FAILED, VOTES, POINTS, ANY]
    # Judges of one family alone have no outside judges: the matched ratio stands in for the odds.
    assert sources(outside=False) == [MATCHED, VOTES, POINTS, ANY]
    assert sources(reference=False, gold=False) == [VOTES, POINTS, ANY]


@pytest.mark.parametrize(
    ("decide", "numbers"),
    [
        ("odds_self", [FAILED, ANY]),
        ("hspp_matched", [MATCHED]),
        ("vote_outside", [VOTES]),
        ("vote_outside_lost", [LOST]),
        ("bonus_outside", [POINTS]),
    ],
)
def test_a_number_named_is_the_only_one(sources, decide, numbers):
    assert sources(decide=decide) == numbers
    assert sources(decide=decide, outside=False) == numbers


def test_of_several_paradigms_of_a_kind_the_first_decides_or_the_one_chosen(sources):
    lists = [(number, truth, pairs, "all_rubrics") for number, truth, pairs, _ in (FAILED, POINTS, ANY)]
    direct, scores = (("bonus_outside", None, None, name) for name in ("direct_assessment", "score_rubric"))

    assert sources(paradigm="all_rubrics") == lists
    assert sources(paradigm="pairwise") == [VOTES]
    assert sources(paradigm="score_rubric") == [scores]
    assert sources(paradigms=("score_rubric", "direct_assessment")) == [direct]
    assert sources(paradigms=("score_rubric",)) == [scores]


def test_what_study_or_filters_do_not_allow_is_passed_over(sources):
    assert sources(lack=("single_rubric",)) == [VOTES]
    assert sources(lack=("pairwise",)) == [FAILED, POINTS, ANY]
    assert sources(paradigms=("pairwise",), lack=("pairwise",)) == []

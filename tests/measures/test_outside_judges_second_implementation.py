"""`outside` and `scorecard` against second implementations by plain loops, on awkward random studies."""

import functools
import math
import random

import pytest
from plain.awkward import COMMITTEE, JUDGES, awkward_study, favour
from plain.outside import outside
from plain.scorecard import scorecard, together_beside

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

KINDS = {
    "small": (0, {"instances": 6}),
    "planted": (2, {"instances": 28, "statuses": 0.02}),
    "planted, no reference": (3, {"instances": 16, "paradigms": ("single_rubric",)}),
    "scores": (4, {"instances": 16, "paradigms": ("direct_assessment",)}),
    "planted pairs": (5, {"instances": 22, "paradigms": ("pairwise",)}),
}
"""The seed and the settings of each study."""
RULES = {"few_instances", "few_credited", "few_uncredited", "few_pairs", "undecided", "missing_verdicts"}
RULES |= {"discernment", "same_items", "within_tastes", "tastes_unknown", "not_detectable", "adjustment"}
BEYOND = {"shared_taste": {"overrates": "favours", "underrates": "disfavours"}}
"""What only the engine looks at: there the plain conclusion is the firm one of the same side."""


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the studies by kind, both as plain rows and opened from a store."""
    by_kind = {}
    for kind, (seed, knobs) in KINDS.items():
        rng = random.Random(seed)
        rows = awkward_study(rng, **knobs)
        if "planted" in kind:
            favour(rows, rng, JUDGES[1], 0.8, (JUDGES[0], JUDGES[2]))
            favour(rows, rng, JUDGES[3], 0.8)
        if "no reference" in kind:
            for table in (rows.references, rows.preferences):
                table.clear()
            rows.committees.clear()
        for number, row in enumerate(rows.models):
            row["provider"] = row["provider"] or f"alone {number}"
        folder = tmp_path_factory.mktemp("awkward")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_kind[kind] = rows, Study.open(folder / "store" / "awkward")
    return by_kind


def same(actual, expected, rel=1e-6):
    if actual is None or expected is None or isinstance(expected, str | bool | list):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=rel, abs_tol=1e-8)


OF_OUTSIDE = [
    {},
    {"truth": "met"},
    {"truth": "any"},
    {"paradigm": "all_rubrics"},
    {"relatives": "provider"},
    {"reference": "human"},
    {"polarity": "negative"},
    {"judges": list(JUDGES[:2])},
    {"reference": f"committee:{COMMITTEE}", "leave_self_out": True},
    {"paradigm": "direct_assessment"},
    {"paradigm": "pairwise"},
    {"paradigm": "pairwise", "pairs": "lost"},
    {"paradigm": "pairwise", "pairs": "won"},
    {"paradigm": "pairwise", "pairs": "tied"},
    {"paradigm": "pairwise", "opponents": "all"},
]


@pytest.mark.parametrize("options", OF_OUTSIDE, ids=str)
@pytest.mark.parametrize("kind", ["small", "planted"])
def test_outside_equals_its_plain_second_implementation(studies, kind, options):
    rows, study = studies[kind]
    expected, _ = outside(rows, **options)

    ours = of_own(study.result("outside", resamples=20, min_instances=1, **options).rows, expected)

    assert list(ours) == [row["judge"] for row in expected]
    for row in expected:
        compare(ours[row["judge"]], row, passed_over=of_paradigm(options.get("paradigm"), "rubric"))


def of_own(rows, expected):
    """Return the rows by judge; the others are of families, and of judges of relatives alone."""
    judges = {row["judge"] for row in expected}
    for row in rows:
        if row["judge"] not in judges:
            assert row["n_family"] > 0
            assert row["odds_self"] is row["bonus_outside"] is row["vote_outside"] is None
    return {row["judge"]: row for row in rows if row["judge"] in judges}


@pytest.mark.parametrize("paradigm", ["single_rubric", "all_rubrics"])
@pytest.mark.parametrize("kind", ["small", "planted"])
def test_scores_from_verdicts_have_points_at_instance_level(studies, kind, paradigm):
    rows, study = studies[kind]
    expected, _ = outside(rows, paradigm=paradigm, truth="any")

    ours = study.result("outside", resamples=20, min_instances=1, paradigm=paradigm, level="instance").rows

    assert ours
    for row in of_own(ours, expected).values():
        theirs = next(one for one in expected if one["judge"] == row["judge"])
        fields = ("bonus_outside", "bonus_outside_low", "bonus_outside_high", "bonus_outside_p")
        assert all(same(row[field], theirs[field]) for field in fields), row["judge"]


def of_paradigm(paradigm, level):
    """Return the fields that the engine reports elsewhere: points of verdicts at instance level."""
    rubrics = paradigm in (None, "single_rubric", "all_rubrics") and level == "rubric"
    return {"reasons", "p_placebo"} | (
        {f"bonus_outside{end}" for end in ("", "_low", "_high", "_p")} if rubrics else set()
    )


OF_ODDS = {"estimate", "low", "high", "low_plain", "high_plain", "bound_low", "bound_high", "discerned"}
"""The fields of a scorecard that are odds where these decide."""


def compare(actual, expected, passed_over):
    """Compare common fields; only the second implementation has the standard errors themselves."""
    if "cautions" in expected:  # the second implementation has no expected numbers in its rows
        actual = dict(actual, cautions=[code for code in actual["cautions"] if code != "beyond_scale"])
    for field, value in expected.items():
        if field in passed_over or field.endswith(("_se", "_df")):
            continue
        value = 0 if field == "placebo_of" and value is None and actual[field] == 0 else value
        close = 1e-4 if field.startswith("odds") else 1e-6  # both stop at a flat likelihood
        if expected.get("decided_by") == "odds_self" and field in OF_ODDS:
            close = 1e-5
        assert same(actual[field], value, close), (field, actual[field], value)


FEW_OF_A_KIND = {"few_credited": lambda expected: expected, "few_uncredited": lambda expected: 1 - expected}
"""The share of own cases of which five must be expected, by the reason for too few cases."""

OF_SCORECARD = [
    ("small", {}),
    ("planted", {}),
    ("planted", {"relatives": "provider"}),
    ("planted", {"decide": "bonus_outside"}),
    ("planted", {"decide": "vote_outside"}),
    ("planted, no reference", {}),
    ("planted, no reference", {"decide": "odds_self"}),
    ("scores", {}),
    ("planted pairs", {}),
]


@pytest.fixture(scope="module")
def cards(studies):
    """Return a function that computes the engine's scorecard, each once."""

    @functools.cache
    def rows(place):
        kind, options = OF_SCORECARD[place]
        return studies[kind][1].result("scorecard", **options).rows

    return rows


@pytest.fixture(scope="module")
def beside(studies):
    """Return a function that computes the numbers beside a scorecard by plain loops, each once."""
    return functools.cache(lambda kind: together_beside(studies[kind][0]))


@pytest.mark.parametrize("place", range(len(OF_SCORECARD)), ids=lambda place: str(OF_SCORECARD[place]))
def test_a_scorecard_equals_its_plain_second_implementation(studies, cards, beside, place):
    kind, options = OF_SCORECARD[place]
    expected = scorecard(studies[kind][0], beside=beside(kind), **options)

    own = {row["judge"] for row in expected}
    together, *rows = cards(place)
    ours = {row["judge"]: row for row in rows if row["judge"] in own}

    assert together["judge"] is None
    assert all(row["conclusion"] is None and row["n_family"] > 0 for row in rows if row["judge"] not in own)
    assert list(ours) == [row["judge"] for row in expected]
    assert expected
    for row in expected:
        card = firm(ours[row["judge"]])
        at_defaults = {"agreeing", "disagreeing"} if "relatives" in options else set()
        if row["needed"] is not None and row["reason"] in FEW_OF_A_KIND:  # the share expected asks for more
            share = FEW_OF_A_KIND[row["reason"]](card["own_expected"])
            row = row | {"needed": max(row["needed"], math.ceil(5 / share))}
        compare(card, row, passed_over={"reasons", "reason", "family_reason"} | at_defaults)
        for field in ("reason", "family_reason"):  # reasons for undefined numbers are worded differently
            if field in row and (card[field] in RULES or row[field] in RULES):
                assert card[field] == row[field], field


def firm(card):
    """Return a row with the conclusions that there would be without what only the engine looks at."""
    card = dict(card)
    for code, reason in (("conclusion", "reason"), ("family_conclusion", "family_reason")):
        if card[reason] in BEYOND:
            verb, whom = card[code].split("_")
            card |= {code: f"{BEYOND[card[reason]][verb]}_{whom}", reason: None}
    return card


def test_the_compared_studies_have_every_kind_of_conclusion(cards):
    codes = set()
    for place in range(len(OF_SCORECARD)):
        for row in cards(place):
            codes |= {row["conclusion"], row["family_conclusion"]} | set(row["cautions"])
            codes |= {field for field in ("needed", "tipping", "themes_for") if row[field] is not None}

    assert codes >= {
        "favours_itself",
        "overrates_itself",
        "too_few_cases",
        "not_shown",
    }
    assert codes >= {"favours_family", "overrates_family"}
    assert codes >= {"needed", "tipping", "themes_for"}

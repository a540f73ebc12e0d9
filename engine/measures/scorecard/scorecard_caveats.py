"""What may overturn a conclusion: missing verdicts, the reference's errors and family, themes, cautions."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.truths.references import COMMITTEE
from engine.conclusions import is_claim, is_firm, side_of
from engine.measures.rows import Column
from engine.measures.scorecard.beyond_scale import EXPECTED, is_beyond_scale
from engine.measures.scorecard.scorecard_agreement import ROUNDING
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.stats import Bools, Counts, Floats
from engine.stats.conclusions.conclusion_rules import LOGARITHMIC, answer
from engine.stats.conditional.discernment import FEWEST
from engine.stats.conditional.taste_spread import placebo_ranks
from engine.stats.conditional.tastes import FEW_FAMILIES
from engine.stats.outside.outside import compare_with_outside

MOST_REFITTED = 20
"""Judges up to which tipping and missing verdicts' bounds are computed: each takes fits of all judges."""
MOST_CELLS_REFITTED = 2_000_000
"""Verdicts up to which tipping is computed: it takes a dozen fits per judge, a second each beyond."""
MOST_THEMES = 50
"""With more themes each has an instance or two, and none is reported."""


def missing_columns(source: NumberSource, keep: Bools) -> dict[str, Column]:
    """Return the shares of missing verdicts, and the number if all of its own were for or against it."""
    own, other = source.missing.shares("own"), source.missing.shares("other")
    value = source.case.evidence.own.value
    few = int(keep.sum()) <= MOST_REFITTED
    low, high = np.array([value, value]) if few else np.full((2, len(value)), np.nan)
    for j in np.flatnonzero(keep & (np.nan_to_num(own.together) > 0) & source.judged).tolist():
        if few:
            low[j], high[j] = source.bounds(j)
    why = [code or ("undefined" if few else "many_judges") for code in source.case.evidence.undefined]
    if source.case.evidence.scale in LOGARITHMIC:
        low, high = np.exp(low), np.exp(high)
    return {
        "missing_own": Column(own.missing, reasons="nothing_asked"),
        "missing_other": Column(other.missing, reasons="nothing_asked"),
        "absent_own": Column(own.absent, reasons="nothing_asked"),
        "absent_other": Column(other.absent, reasons="nothing_asked"),
        "bound_low": Column(low, reasons=why),
        "bound_high": Column(high, reasons=why),
    }


def doubt_columns(source: NumberSource, columns: Mapping[str, Column], keep: Bools) -> dict[str, Column]:
    """Return tipping, the reference's family, ties and the rank among placebos."""
    judges, case = len(keep), source.case
    tipping: list[int | None] = [None] * judges
    shares: list[float | None] = [None] * judges
    untipped = ["not_standing"] * judges
    cells = 0 if source.joint is None else int(count(source.joint.counted).sum())
    for j in np.flatnonzero(keep).tolist():
        conclusion = columns["conclusion"].values[j]
        if source.truth != "failed" or side_of(conclusion) <= 0:
            continue
        if keep.sum() > MOST_REFITTED:
            untipped[j] = "many_judges"
        elif cells > MOST_CELLS_REFITTED:
            untipped[j] = "many_verdicts"
        else:
            tipping[j], shares[j] = _tipping(source, j, str(conclusion))
    rank, number = placebo_ranks(case.evidence.own.value, case.placebos.value)
    why, pairs = case.evidence.undefined, source.own_pairs
    ties = Column([None] * judges, reasons="not_of_pairs")
    if pairs is not None:
        ties = Column(pairs.tie_share, reasons="no_reference")
    return {
        "tipping": Column(tipping, reasons=untipped),
        "tipping_share": Column(shares, reasons=untipped),
        "family_in_reference": Column(_family_in_reference(source)),
        "tie_share": ties,
        **_theme_columns(source, judges),
        "placebo_rank": Column([int(n) or None for n in rank], reasons=why),
        "placebo_of": Column([int(n) or None for n in number], reasons=why),
    }


def _theme_columns(source: NumberSource, judges: int) -> dict[str, Column]:
    """Return in how many themes each judge credits its own more than outside judges do, and in how many less.

    For verdicts, by the sign of `difference_outside` among the instances of one theme; themes in which it is
    undefined or 0 are in neither.
    """
    themes = np.array(source.view.study.index.instance_fields["theme"], dtype=object)
    joint = source.joint
    judged = themes if joint is None else themes[joint.has_verdict]
    names = [theme for theme in dict.fromkeys(judged.tolist()) if theme is not None]
    if joint is None or len(names) < 2 or len(names) > MOST_THEMES:
        code = "not_of_these_judgments" if joint is None else "no_themes"
        nothing = Column([None] * judges, reasons=code)
        return {"themes_for": nothing, "themes_against": nothing}
    of_theme = (themes[:, None] == np.array(names, dtype=object)).astype(np.float32)

    def by_theme(counts: Counts) -> Floats:
        sums = counts.astype(np.float32) @ of_theme  # of so few they are exact
        return np.asarray(sums, dtype=np.float64)

    of_themes = replace(joint, clusters=None).common_in(by_theme)
    [shares] = compare_with_outside(of_themes, joint.masks, joint.masks.own)
    above, below = (sign * shares.difference > ROUNDING for sign in (1, -1))
    return {"themes_for": Column(above.sum(axis=1)), "themes_against": Column(below.sum(axis=1))}


def _tipping(source: NumberSource, judge: int, conclusion: str) -> tuple[int | None, float | None]:
    """Return how many own failures must be removed, credited ones first, to change the conclusion.

    That is until the answers to its questions by the numbers alone no longer hold.
    """
    joint = source.joint
    assert joint is not None  # noqa: S101 - only verdicts tip
    cells, credited = joint.own_cells_by_doubt(judge, source.view.study.index.places_by_id)

    def holds(number: int) -> bool:
        removed = np.zeros(len(joint.layout.instance_of), dtype=bool)
        removed[cells[:number]] = True
        case = source.case_of(joint.without_own(judge, joint.layout.pack(removed)))
        answers, _ = answer(case.evidence)
        firm = is_firm(conclusion)
        return answers.same_side(judge, 1) and not (firm and answers.open[judge])

    # Each cell removed weakens the case for the conclusion, which allows bisection.
    low, high = 0, min(max(credited, 1), len(cells))
    while high < len(cells) and holds(high):
        low, high = high, min(2 * high, len(cells))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high, high / credited if credited else None


def _family_in_reference(source: NumberSource) -> list[float]:
    """Return the share of a committee's members that are the judge or of its family, 0 for others."""
    view, judges, committee = source.view, len(source.view.judges), None
    name = view.request.source or ""
    if name.startswith(COMMITTEE) and source.truth != "any":
        committee = view.study.info.committees.get(name.removeprefix(COMMITTEE))
    if committee is None:
        return [0.0] * judges
    positions = np.array([view.study.index.models.index(member) for member in committee.members])
    relations = view.study.index.relations(view.judges, positions, view.request.exclusion.relatives)
    related, voting = relations.self_mask | relations.family, np.ones((judges, len(positions)), dtype=bool)
    if view.request.spec.exclude_family:
        voting &= ~related
    elif view.request.spec.leave_self_out:
        voting &= ~relations.self_mask
    heads = np.maximum(voting.sum(axis=1), 1)
    return list(((related & voting).sum(axis=1) / heads).tolist())


def cautions(source: NumberSource, columns: Mapping[str, Column]) -> list[list[str]]:
    case = source.case
    gap = source.unequal["own"] != 0
    family = columns["family_in_reference"].values
    takes_side = np.array([is_claim(code) for code in columns["conclusion"].values], dtype=bool)
    has_placebo = np.isfinite(case.placebos.value) & (case.placebos.se > 0)
    unmeasured = takes_side & (has_placebo.sum(axis=1) < FEWEST) & (source.number != "hspp_matched")
    # A family that only judges says nothing of what families that answer like.
    families = len(np.intersect1d(case.families.judge, case.families.generator))
    few_families = families < FEW_FAMILIES and source.number != "hspp_matched"
    beyond = [is_beyond_scale({name: columns[name].values[j] for name in EXPECTED}) for j in range(len(gap))]
    return [
        [
            code
            for code, holds in (
                ("no_outside_judges", source.number == "hspp_matched"),
                ("strictness", source.number == "odds_self" and source.truth == "any"),
                ("tastes_assumed", case.tastes.assumed),
                ("few_families", bool(takes_side[j]) and few_families and not case.tastes.assumed),
                ("discernment_untold", bool(unmeasured[j])),
                ("family_in_reference", family[j] > 0),
                ("missing_verdicts", bool(gap[j])),
                ("beyond_scale", beyond[j]),
            )
            if holds
        ]
        for j in range(len(gap))
    ]

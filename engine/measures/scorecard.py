"""`scorecard`: the one place that says which judges favour themselves (MEASURES section 16)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import count
from engine.arrays.joint_verdicts import family_masks
from engine.arrays.references import COMMITTEE, NONE
from engine.arrays.resolve import NoDataError
from engine.errors import UsageError
from engine.measures.columns import judge_columns
from engine.measures.compute import compute_measure
from engine.measures.entries.rubrics import OUTSIDE
from engine.measures.judge_summary import BIASES, number_rows
from engine.measures.outside_judges import outside_table
from engine.measures.rows import Column, Intervals, Options, Table
from engine.measures.scorecard_inputs import Case, Source, Whose, deciding_source, more_missing
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import Slice
from engine.stats import Floats
from engine.stats.conclusion_rules import CLAIMS, EQUIVALENT, LEANINGS, LOGARITHMIC, Conclusions, conclude
from engine.stats.outside import compare_with_outside, placebo_ranks

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


_ROUNDING = 1e-9
MOST_REFITTED = 20
"""Judges up to which tipping and missing verdicts' bounds are computed: each takes fits of all judges."""
MOST_CELLS_REFITTED = 2_000_000
"""Verdicts up to which tipping is computed: it takes a dozen fits per judge, a second each beyond."""
_STILL: dict[str, tuple[tuple[bool, ...], tuple[str, ...]]] = {
    "favours_itself": ((False,), ("favours_itself",)),
    "leans_to_itself": ((False,), ("leans_to_itself", "favours_itself")),
    "no_material_preference": ((False, True), ("no_material_preference",)),
    "disfavours_itself": ((True,), ("disfavours_itself",)),
    "leans_against_itself": ((True,), ("leans_against_itself", "disfavours_itself")),
}
"""How missing own verdicts are filled in to test a conclusion, and which conclusions uphold it.

Missing verdicts on others' responses are filled in the opposite way.
"""
FEWEST_FAMILIES = 5
"""With fewer, the tastes that a family's models share cannot be estimated (docs/claims.md says why)."""
MOST_THEMES = 50
"""With more themes each has an instance or two, and none is reported."""
_MORE_CASES_DECIDE = ("undecided", "few_instances", "few_credited", "few_uncredited", "few_pairs")
"""The reasons for which more cases may decide."""
_BIASES = tuple(one for one in BIASES if one.name != "hspp_family")
_OUTSIDE = {"ratio_outside": 1.0, "bonus_outside": 0.0, "vote_outside": 0.0, "odds_self": 1.0}


def scorecard_table(
    study: "StudyArrays", spec: Slice, options: Options, _weights: NDArray[np.float32] | None
) -> Table:
    """Return a row for each judge with a response of its own judged; NoDataError if there is none."""
    source = deciding_source(study, spec, options)
    case = source.case
    conclusions = conclude(case.evidence)
    names = [study.index.models[j] for j in source.view.judges]
    is_shown = np.array([not spec.judges or name in spec.judges for name in names], dtype=bool)
    keep = source.judged & is_shown
    gate = _missing_columns(source, conclusions, keep)
    columns = _decision(source, case, conclusions, gate) | gate | _family_columns(source, conclusions, keep)
    columns |= _other_numbers(study, spec, source, case, names)
    columns |= _doubt_columns(source, case, columns, keep)
    columns["cautions"] = Column(_cautions(source, case, columns))
    columns |= judge_columns(source.view)
    applied = {"truth": source.truth, "pairs": source.pairs, "decided_by": source.number}
    filters = source.view.request.filters() | applied
    return Table(columns, keep, source.view.study.index.n_instances, source.left_out, filters)


def _to_scale(case: Case, values: Floats) -> Floats:
    return np.exp(values) if case.evidence.scale in LOGARITHMIC else values


def _decision(
    source: Source, case: Case, conclusions: Conclusions, gate: Mapping[str, Column]
) -> dict[str, Column]:
    evidence, own, judges = case.evidence, case.evidence.own, len(conclusions.conclusion)
    low, high = own.interval()
    overturned = gate["overturned"].values
    conclusion = ["inconclusive" if o else c for o, c in zip(overturned, conclusions.conclusion, strict=True)]
    reason = [o or r for o, r in zip(overturned, conclusions.reason, strict=True)]
    why = evidence.undefined
    unsure = [code or "hangs_on_one_instance" for code in why]
    no_tastes = [code or "too_few_judges_for_tastes" for code in why]
    no_discernment = [code or "discernment_untold" for code in why]
    interval = Intervals(case.ratio_low, case.ratio_high, evidence.ratio_p, "hangs_on_one_instance")
    return {
        "conclusion": Column(conclusion),
        "decided_by": Column([source.number] * judges),
        "truth": Column([source.truth] * judges, reasons="not_of_these_judgments"),
        "estimate": Column(_to_scale(case, own.value), reasons=why),
        "discerned": Column(_to_scale(case, evidence.discerned.value), reasons=no_discernment),
        "low": Column(_to_scale(case, low), reasons=unsure),
        "high": Column(_to_scale(case, high), reasons=unsure),
        "p": Column(conclusions.p, reasons=unsure),
        "p_tastes": Column(conclusions.p_tastes, reasons=no_tastes),
        "p_judge_tastes": Column(conclusions.p_judge_tastes, reasons=no_tastes),
        "p_adjusted": Column(conclusions.p_adjusted, reasons=unsure),
        "reason": Column(reason, reasons="concluded"),
        "ratio_outside": Column(evidence.ratio, reasons=case.ratio_reasons, intervals=interval),
        **{name: Column(getattr(case, name)) for name in ("n_own", "n_other", "n_outside", "n_family")},
        "detectable": Column(_to_scale(case, own.detectable(evidence.taste)), reasons=unsure),
        "needed": Column(_cases_needed(case, conclusion, reason), reasons="not_inconclusive"),
    }


def _cases_needed(case: Case, conclusion: list[str], reason: list[str | None]) -> list[int | None]:
    """Return how many own cases in all would decide, for judges that are inconclusive for lack of them."""
    evidence = case.evidence
    times = evidence.own.times_needed(evidence.taste, EQUIVALENT[evidence.scale])
    return [
        int(np.ceil(n * max(more, 1.0)))
        if code == "inconclusive" and why in _MORE_CASES_DECIDE and np.isfinite(more)
        else None
        for code, why, n, more in zip(conclusion, reason, case.n_own.tolist(), times.tolist(), strict=True)
    ]


def _family_columns(source: Source, conclusions: Conclusions, keep: NDArray[np.bool_]) -> dict[str, Column]:
    case, of_family = source.case, conclusions.relatives
    judges, why = len(case.n_own), case.relatives_reasons
    numbers = ("odds_family", "odds_family_p", "odds_family_p_adjusted")
    if case.evidence.relatives is None or of_family is None:
        nothing = Column([None] * judges, reasons=[code or "no_relatives" for code in why])
        return dict.fromkeys(("family_conclusion", "family_reason", *numbers), nothing)
    relatives = case.evidence.relatives.own
    ends = [np.exp(end) for end in relatives.interval()]
    unsure = [code or "hangs_on_one_instance" for code in why]
    interval = Intervals(ends[0], ends[1], of_family.p, "hangs_on_one_instance")
    _, other, family = source.missing_shares
    missing = more_missing(family, other)  # those on its family are not filled in
    overturned = _overturning_reasons(
        of_family,
        keep,
        hangs_on_missing=lambda j: bool(missing[j]) and of_family.conclusion[j] in _STILL,
        upheld=partial(source.upheld_on_same_items, family=True),
    )
    conclusion = [
        None if code == "no_relatives" else "inconclusive" if falls else claim.replace("itself", "family")
        for claim, code, falls in zip(of_family.conclusion, why, overturned, strict=True)
    ]
    return {
        "family_conclusion": Column(conclusion, reasons=why),
        "family_reason": Column(
            [falls or claim for claim, falls in zip(of_family.reason, overturned, strict=True)],
            reasons="concluded",
        ),
        "odds_family": Column(np.exp(relatives.value), reasons=why, intervals=interval),
        "odds_family_p": Column(of_family.p, reasons=unsure),
        "odds_family_p_adjusted": Column(of_family.p_adjusted, reasons=unsure),
    }


def _missing_columns(source: Source, conclusions: Conclusions, keep: NDArray[np.bool_]) -> dict[str, Column]:
    """Return possible effects of missing verdicts: their shares and the bounds; and what is overturned."""
    own, other, _ = source.missing_shares
    value = source.case.evidence.own.value
    few = int(keep.sum()) <= MOST_REFITTED
    low, high = np.array([value, value]) if few else np.full((2, len(value)), np.nan)
    for j in np.flatnonzero(keep & (np.nan_to_num(own) > 0)).tolist():
        if few:
            low[j], high[j] = source.bounds(j)
    why = [code or ("undefined" if few else "many_judges") for code in source.case.evidence.undefined]
    overturned = _overturning_reasons(
        conclusions,
        keep,
        hangs_on_missing=lambda j: _hangs_on_missing(source, j, conclusions.conclusion[j]),
        upheld=source.upheld_on_same_items,
    )
    return {
        "missing_own": Column(own, reasons="nothing_asked"),
        "missing_other": Column(other, reasons="nothing_asked"),
        "bound_low": Column(_to_scale(source.case, low), reasons=why),
        "bound_high": Column(_to_scale(source.case, high), reasons=why),
        "overturned": Column(overturned),
    }


def _overturning_reasons(
    conclusions: Conclusions,
    keep: NDArray[np.bool_],
    *,
    hangs_on_missing: Callable[[int], bool],
    upheld: Callable[[int], bool],
) -> list[str | None]:
    """Return why each judge's conclusion falls after all; None if it does not."""
    reasons: list[str | None] = [None] * len(keep)
    for j in np.flatnonzero(keep).tolist():
        if hangs_on_missing(j):
            reasons[j] = "missing_verdicts"
        elif conclusions.conclusion[j] in (*CLAIMS, *LEANINGS) and not upheld(j):
            reasons[j] = "same_items"
    return reasons


def _hangs_on_missing(source: Source, judge: int, conclusion: str) -> bool:
    """Return whether a conclusion on a judge falls if its verdicts missing more often are filled in."""
    own, other, _ = source.missing_shares
    if conclusion not in _STILL or not source.unequal(own, other)[judge]:
        return False
    whose: Whose = "own" if own[judge] > other[judge] else "other"
    ways, still = _STILL[conclusion]
    cases = (source.case_filled(judge, favourable=way == (whose == "own"), whose=whose) for way in ways)
    return any(conclude(case.evidence).conclusion[judge] not in still for case in cases)


def _other_numbers(
    study: "StudyArrays", spec: Slice, source: Source, case: Case, names: list[str]
) -> dict[str, Column]:
    """Return the study's other numbers on each judge, and how many point the same way."""
    numbers: dict[str, dict[str, float]] = {name: {} for name in names}
    hspp: dict[str, dict[str, float]] = {"hspp_self": {}, "hspp_matched": {}}
    for number, row in number_rows(study, spec, _BIASES, 0, 0):
        if row[number.field] is None or number.null is None or row["judge"] not in numbers:
            continue
        numbers[row["judge"]].setdefault(number.name, row[number.field] - number.null)
        if number.field in hspp:
            hspp[number.field].setdefault(row["judge"], row[number.field])
    for row in _rows_outside(study, spec, source, names):
        if row["judge"] in numbers:
            for name, null in _OUTSIDE.items():
                if row[name] is not None:
                    numbers[row["judge"]].setdefault(name, row[name] - null)
    agreeing, disagreeing = [], []
    for name, value in zip(names, case.evidence.own.value.tolist(), strict=True):
        others = [n for of, n in numbers[name].items() if of != source.number and abs(n) > _ROUNDING]
        same = sum((number > 0) == (value > 0) for number in others)
        has_side = abs(value) > _ROUNDING
        agreeing.append(same if has_side else 0)
        disagreeing.append(len(others) - same if has_side else 0)
    columns = {
        field: Column([hspp[field].get(name) for name in names], reasons="no_verdict_with_a_reference")
        for field in hspp
    }
    return columns | {"agreeing": Column(agreeing), "disagreeing": Column(disagreeing)}


def _rows_outside(
    study: "StudyArrays", spec: Slice, source: Source, names: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of `outside` for each paradigm and level; for what decides, the ratio is known."""
    decides = source.number == "odds_self"
    measure = replace(OUTSIDE, function=partial(outside_table, odds=not decides, placebos=False))
    known_paradigm = source.view.request.spec.paradigm if decides and source.truth == "failed" else None
    for paradigm in study.inventory.values("paradigm") if spec.paradigm is None else [spec.paradigm]:
        for level in ("rubric", "instance") if paradigm in RUBRIC_PARADIGMS else (None,):
            if level == "rubric" and paradigm == known_paradigm:
                for name, ratio in zip(names, source.case.evidence.ratio.tolist(), strict=True):
                    known_ratio = None if np.isnan(ratio) else ratio
                    yield dict.fromkeys(_OUTSIDE) | {"judge": name, "ratio_outside": known_ratio}
                continue
            flags = spec.filters() | {"paradigm": paradigm, "level": level}
            if level == "instance":
                flags["reference"] = NONE
            with suppress(UsageError, NoDataError):
                yield from compute_measure(study, measure, resamples=0, **flags).rows


def _doubt_columns(
    source: Source, case: Case, columns: Mapping[str, Column], keep: NDArray[np.bool_]
) -> dict[str, Column]:
    """Return tipping, the reference's family, ties and the rank among placebos."""
    judges = len(keep)
    tipping: list[int | None] = [None] * judges
    shares: list[float | None] = [None] * judges
    untipped = ["not_standing"] * judges
    cells = 0 if source.joint is None else int(count(source.joint.counted).sum())
    for j in np.flatnonzero(keep).tolist():
        conclusion = str(columns["conclusion"].values[j])
        if source.truth != "failed" or conclusion not in ("favours_itself", "leans_to_itself"):
            continue
        if keep.sum() > MOST_REFITTED:
            untipped[j] = "many_judges"
        elif cells > MOST_CELLS_REFITTED:
            untipped[j] = "many_verdicts"
        else:
            tipping[j], shares[j] = _tipping(source, j, conclusion)
    rank, number = placebo_ranks(case.evidence.own.value, case.placebos)
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


def _theme_columns(source: Source, judges: int) -> dict[str, Column]:
    """Return in how many themes each judge credits its own more than outside judges do, and in how many less.

    For verdicts, by the sign of `difference_outside` among the instances of one theme; themes in which it is
    undefined or 0 are in neither.
    """
    themes = np.array(source.view.study.index.instance_fields["theme"], dtype=object)
    names = [theme for theme in dict.fromkeys(themes.tolist()) if theme is not None]
    joint = source.joint
    if joint is None or len(names) < 2 or len(names) > MOST_THEMES:
        code = "not_of_these_judgments" if joint is None else "no_themes"
        nothing = Column([None] * judges, reasons=code)
        return {"themes_for": nothing, "themes_against": nothing}
    of_theme = (themes[:, None] == np.array(names, dtype=object)).astype(np.float64)
    of_themes = replace(joint, clusters=None).common_in(lambda counts: counts.astype(np.float64) @ of_theme)
    [shares] = compare_with_outside(of_themes, joint.masks, joint.masks.own)
    above, below = (sign * shares.difference > _ROUNDING for sign in (1, -1))
    return {"themes_for": Column(above.sum(axis=1)), "themes_against": Column(below.sum(axis=1))}


def _tipping(source: Source, judge: int, conclusion: str) -> tuple[int | None, float | None]:
    """Return how many own failures must be removed, credited ones first, to change the conclusion."""
    joint = source.joint
    assert joint is not None  # noqa: S101 - only verdicts tip
    cells, credited = joint.own_cells_by_doubt(judge)

    def holds(number: int) -> bool:
        removed = np.zeros(len(joint.layout.instance_of), dtype=bool)
        removed[cells[:number]] = True
        case = source.case_of(joint.without_own(judge, joint.layout.pack(removed)))
        return conclude(case.evidence).conclusion[judge] == conclusion

    # Each cell removed weakens the case for the conclusion, which allows bisection.
    low, high = 0, min(max(credited, 1), len(cells))
    while high < len(cells) and holds(high):
        low, high = high, min(2 * high, len(cells))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high, high / credited if credited else None


def _family_in_reference(source: Source) -> list[float]:
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


def _cautions(source: Source, case: Case, columns: Mapping[str, Column]) -> list[list[str]]:
    own, other = (np.asarray(columns[f"missing_{who}"].values, dtype=np.float64) for who in ("own", "other"))
    gap = source.unequal(own, other)
    family = columns["family_in_reference"].values
    takes_side = np.isin(columns["conclusion"].values, (*CLAIMS, *LEANINGS))
    unmeasured = takes_side & ~case.evidence.discerned.defined & (source.number != "hspp_matched")
    families = len(np.unique(family_masks(source.view).outside, axis=0))
    few_families = families < FEWEST_FAMILIES and source.number != "hspp_matched"
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
            )
            if holds
        ]
        for j in range(len(gap))
    ]

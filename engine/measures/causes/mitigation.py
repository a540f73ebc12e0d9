"""`mitigation`: self-preference under another way of asking (MEASURES section 9; EQP section 3.6)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.judgment_calls import CostedRows
from engine.arrays.judgment_rows import Selection
from engine.arrays.left_out import in_slice
from engine.arrays.pairs.judged_pairs import JudgedPairs, by_judge, judged_pairs, kept_mask
from engine.arrays.pairs.pair_orders import has_answer
from engine.arrays.pairs.pair_outcomes import OutcomesOfPairs, PairCube
from engine.arrays.pairs.pair_quality import Quality, stored_quality
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.errors import unknown
from engine.measures import entry
from engine.measures.columns import judge_columns
from engine.measures.entry import ADDED, OF_JUDGE, PAIRWISE, Field, Measure, Option
from engine.measures.pairs import discriminability, equal_quality, pair_sets
from engine.measures.pairs.labelled_pairs import quality_of_pairs
from engine.measures.pairs.pair_options import (
    CONTRAST_OPTIONS,
    D_FIELD,
    EQP,
    EQUAL_OPTIONS,
    QUALITY_OR_PEOPLE,
)
from engine.measures.pairs.pair_sets import prepare_pairs
from engine.measures.rows import Column, Options, Table, first_reason, stack
from engine.paradigms import PAIR_PARADIGMS
from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.added_cases import padded_change
from engine.stats.intervals.bootstrap import resample
from engine.stats.pairs import equal_pairs
from engine.stats.ratios import ratio
from engine.stats.scores.ranks import TOLERANCE

POINTWISE = "pointwise"
COMPARED = ("cot", "structured", POINTWISE)


@dataclass(frozen=True, eq=False)
class VariantVerdicts:
    """The judges' answers in one variant: resolved pairs, single answers, and the cost of a verdict."""

    pairs: JudgedPairs
    answers: OutcomesOfPairs
    cost: Floats


def mitigation_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge and variant; all figures use the pairs that count in both variants."""
    quality = quality_of_pairs(view, options)
    baseline = _variant_verdicts(view, view.request.selection.variant, options)
    variants = _variants(view, options["variants"])
    left_out = Counter(_left_out(view, view.request.selection.variant, quality, options))
    tables = []
    for variant in variants:
        after = _variant_verdicts(view, variant, options, baseline)
        tables.append(_columns(view, quality, baseline, after, options))
        if variant != POINTWISE:
            left_out.update(_left_out(view, variant, quality, options))
    judges = len(view.judges)
    rows = [v * judges + j for j in range(judges) for v in range(len(variants))]
    columns = {}
    for name, column in {name: stack([part[name] for part in tables]) for name in tables[0]}.items():
        draws = None if column.draws is None else column.draws[:, rows]
        columns[name] = Column([column.values[i] for i in rows], draws, [column.reason(i) for i in rows])
    columns["variant"] = Column(variants * judges)
    columns["baseline"] = Column([view.request.selection.variant] * len(rows))
    n_cases = sum(np.asarray(columns[name].values) for name in ("n_pairs", "n_null_pairs", "n_contrast"))
    instances = len(np.unique(baseline.pairs.instance))
    return Table(columns, np.asarray(n_cases) > 0, instances, left_out)


def _variants(view: SliceView, names: tuple[str, ...]) -> list[str]:
    """Return the variants compared: those named, or all shipped ones that the study has."""
    study = view.study
    present = [str(name) for name in study.inventory.values("variant", paradigm=PAIR_PARADIGMS)]
    present = [name for name in present if name != view.request.selection.variant]
    if study.inventory.total(paradigm="quality", variant="default"):
        present.append(POINTWISE)
    for name in names:
        if name not in present:
            raise unknown("variant", name, present)
    variants = list(names) or [name for name in COMPARED if name in present]
    if not variants:
        raise NoDataError(
            f"the study has no other prompt template to compare with {view.request.selection.variant!r}"
        )
    return variants


def _cube(view: SliceView, variant: str) -> PairCube:
    cube = view.study.cube(replace(view.request.selection, variant=variant))
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    return cube


def _variant_verdicts(
    view: SliceView, variant: str, options: Options, like: VariantVerdicts | None = None
) -> VariantVerdicts:
    if variant == POINTWISE and like is not None:
        return _pointwise(view, like)
    cube = _cube(view, variant)
    rows = cube.rows
    has_verdict = has_answer(rows) & in_slice(view, rows) & np.isin(rows.judge, view.judges)
    verdicts = np.bincount(np.searchsorted(view.judges, rows.judge[has_verdict]), minlength=len(view.judges))
    costs = CostedRows(view.study.files, view.study.index, replace(view.request.selection, variant=variant))
    total = costs.total(view.judges, lambda costed: in_slice(view, costed))
    return VariantVerdicts(
        judged_pairs(view, rows, cube.pairs),
        discriminability.answers_of(view, cube, options),
        ratio(total, verdicts.astype(np.float64)),
    )


def _pointwise(view: SliceView, like: VariantVerdicts) -> VariantVerdicts:
    """Return the same pairs as the judge's own mean scores decide them; equal scores are a tie."""
    cube, study = stored_quality(view.study, view.request.spec), view.study
    scores = np.full((len(study.index.models), *cube.scores.shape[1:]), np.nan)
    scores[cube.judges] = cube.scores

    def decide(judge: Ints, first: Ints, second: Ints, instance: Ints) -> Floats:
        difference = scores[judge, first, instance] - scores[judge, second, instance]
        return np.where(np.abs(difference) < TOLERANCE, 0.0, np.sign(difference))

    pairs, answers = like.pairs, like.answers
    value = decide(pairs.judge, pairs.target, pairs.other, pairs.instance)
    pairs = replace(pairs, value=value, firm=value).select(~np.isnan(value))
    answer = decide(answers.judge, answers.generator, answers.opponent, answers.instance)
    generators = view.request.spec.generators
    is_shown = np.array([not generators or model in generators for model in study.index.models])
    cells = kept_mask(view, np.arange(len(is_shown))) if len(view.kept_cells) > 1 else view.kept_cells
    scored = ~np.isnan(scores[view.judges]) & cells[None] & is_shown[None, :, None]
    costs = CostedRows(study.files, study.index, Selection(paradigm="quality"))

    def in_cells(rows: CostedRows) -> Bools:
        place = rows.generator if len(cells) > 1 else np.zeros_like(rows.generator)
        return np.asarray(is_shown[rows.generator] & cells[place, rows.instance])

    total = costs.total(view.judges, in_cells)
    cost = ratio(total, scored.sum(axis=(1, 2)).astype(np.float64))
    return VariantVerdicts(pairs, replace(answers, answer=answer), cost)


def _columns(
    view: SliceView, quality: Quality, before: VariantVerdicts, after: VariantVerdicts, options: Options
) -> dict[str, Column]:
    in_before, in_after = _common_places(view, before.pairs, after.pairs)
    pairs = [before.pairs.select(in_before).both_ways(), after.pairs.select(in_after).both_ways()]
    sets = pair_sets.sets_of(view, quality, pairs[0], options)
    counts = [pair_sets.tally(view, part, sets) for part in pairs]
    spb = [equal_quality.shares(view, part, options)["spb"] for part in counts]
    missing = [spb[0].reason(row) for row in range(len(view.judges))]
    is_zero = (np.asarray(spb[0].values) == 0).tolist()
    zero = ["spb_baseline_is_zero" if b else why for b, why in zip(is_zero, missing, strict=True)]
    values = [Resampled(np.asarray(column.values), column.draws) for column in spb]
    columns = judge_columns(view) | {
        "spb_baseline": spb[0],
        "spb": spb[1],
        "reduction": Column(*combine(equal_pairs.reduction, *values), missing),
        "eta": Column(*combine(equal_pairs.improvement, *values), zero),
    }
    for name, part in (("n_pairs", "pir"), ("n_null_pairs", "null_pir")):
        columns[name] = Column(counts[0][part].number.sum(axis=1))
    columns |= _changes(view, pairs, sets["pir"])
    columns |= _discriminability(view, quality, before.answers, after.answers, options)
    columns["cost_ratio"] = Column(ratio(after.cost, before.cost), reasons="no_costs_stored")
    return columns


def _common_places(view: SliceView, first: Any, second: Any) -> tuple[Ints, Ints]:
    n = len(view.study.index.models)
    keys = []
    for pairs in (first, second):
        of_models = ("target", "other") if isinstance(pairs, JudgedPairs) else ("generator", "opponent")
        places = (pairs.judge, pairs.instance, *(getattr(pairs, name) for name in of_models))
        keys.append(np.ravel_multi_index(places, (n, view.study.index.n_instances, n, n)))
    _, in_first, in_second = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    return in_first, in_second


def _changes(view: SliceView, pairs: list[JudgedPairs], own: Bools) -> dict[str, Column]:
    """Return the firm self-choices gained and lost, and McNemar's test of them."""
    before, after = (part.firm == 1 for part in pairs)
    gained, lost = (
        by_judge(view, pairs[0], own & change).sum(axis=1) for change in (after & ~before, before & ~after)
    )
    few = np.full(len(gained), len(np.unique(pairs[0].instance[own])) < view.request.spec.min_instances)
    why = first_reason((gained + lost == 0, "no_choice_changed"), (few, "too_few_instances"))
    p = Column(np.where(few, np.nan, equal_pairs.mcnemar_p(gained, lost)), reasons=why)
    return {
        "firm_gained": Column(gained),
        "firm_lost": Column(lost),
        "mcnemar_p": p,
        "mcnemar_p_adjusted": pair_sets.adjusted_p(p),
    }


def _discriminability(
    view: SliceView, quality: Quality, before: OutcomesOfPairs, after: OutcomesOfPairs, options: Options
) -> dict[str, Column]:
    """Return D under the variant and its change, over the contrast pairs answered in both."""
    before, after = (answers.select(~np.isnan(answers.answer)) for answers in (before, after))
    in_before, in_after = _common_places(view, before, after)
    counts = [
        pair_sets.contrast_answers(view, quality, answers.select(at), options)
        for answers, at in ((before, in_before), (after, in_after))
    ]
    columns = [discriminability.answer_columns(view, *part, options["seed"]) for part in counts]
    d = [column["d"] for column in columns]
    draws = None
    if view.weights is not None:
        changes = (counts[1][0] - counts[0][0], counts[1][1])
        gained, number = (resample(part, view.weights) for part in changes)
        draws = padded_change(gained, number, np.random.default_rng(options["seed"]))
    change = Column(np.asarray(d[1].values) - np.asarray(d[0].values), draws, "no_contrast_pair")
    return {"d": d[1], "d_baseline": d[0], "d_change": change, "n_contrast": columns[1]["n"]}


def _left_out(view: SliceView, variant: str, quality: Quality, options: Options) -> Mapping[str, int]:
    relevant = pair_sets.at_epsilon(quality, options["epsilon"])
    return pair_sets.count_left_out(view, _cube(view, variant), quality, relevant)


MITIGATION = Measure(
    name="mitigation",
    title="Mitigation",
    question="Does another prompt reduce self-preference, and at what cost?",
    formula="eta = (|SPB baseline| - |SPB variant|) / |SPB baseline|, on pairs that count in both",
    paper=f"{EQP}, equation 9 and Table 7",
    left_out="pairs that count in only one of the two variants",
    function=mitigation_table,
    chart="before-and-after",
    prepare=prepare_pairs,
    empty="no pair counts in both variants",
    keys=("judge", "variant"),
    headline="reduction",
    paradigms=PAIRWISE,
    options=(
        Option(
            "variants",
            "names",
            "variants to compare (default: cot, structured and pointwise, where present)",
            (),
        ),
        *QUALITY_OR_PEOPLE,
        *EQUAL_OPTIONS,
        *CONTRAST_OPTIONS,
    ),
    intervals={ADDED: ("spb_baseline", "spb", "reduction", "eta", "d", "d_baseline", "d_change")},
    fields=(
        *OF_JUDGE,
        entry.key("variant", "the variant"),
        entry.key("baseline", "the variant it is compared with"),
        entry.share("spb_baseline", "SPB in the baseline", title="SPB, usual prompt"),
        entry.share("spb", "SPB in the variant"),
        entry.difference(
            "reduction",
            "|SPB| of the baseline minus |SPB| of the variant, from the same resampled questions",
            title="Reduction of |SPB|",
        ),
        entry.ratio("eta", "reduction as a share of the baseline's |SPB|", tested=False),
        entry.count("n_pairs", "pairs with its own answer that count in both"),
        entry.count("n_null_pairs", "null pairs that count in both"),
        entry.count("firm_gained", "pairs in which it chose itself firmly with the variant only"),
        entry.count("firm_lost", "pairs in which it chose itself firmly with the baseline only"),
        entry.number(
            "mcnemar_p",
            "p-value of McNemar's exact test of firm_gained against firm_lost; naive",
            title="p, McNemar (naive)",
        ),
        entry.number("mcnemar_p_adjusted", "p-value of McNemar's test, adjusted over judges"),
        D_FIELD,
        entry.share("d_baseline", "D in the baseline"),
        entry.difference("d_change", "D in the variant minus D in the baseline", title="Change in D"),
        entry.count("n_contrast", "clearly different pairs answered in both variants", title="n for D"),
        Field(
            "cost_ratio", "ratio", "cost of a verdict in the variant / in the baseline", title="Relative cost"
        ),
    ),
)

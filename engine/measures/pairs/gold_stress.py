"""`gold-stress`: self-preference under every panel of gold judges, and without each family of them.

Who the gold judges are is a choice. For pairs it decides DBG, and by the judges of quality SPB; for rubrics
the excess with which own failures are passed, by a committee's members, by people, or by several sources.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.left_out import of_own_answers, pairs_left_out
from engine.arrays.one_thread import one_thread
from engine.arrays.pairs.judged_pairs import judged_pairs, prefer_variant
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.pairs.pair_quality import has_quality, quality_judges, quality_of, stored_quality
from engine.arrays.slicing.resolve import NoDataError, common_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.gold_panels import ReferencePanels
from engine.arrays.truths.gold_preferences import GoldTruth, SourceVotes, resolve_truth
from engine.arrays.truths.reference_planes import Planes
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import ByJudge, judge_columns
from engine.measures.entry import EPSILON, OF_JUDGE, SMALL, Field, Measure
from engine.measures.pairs.equal_quality import shares
from engine.measures.pairs.pair_sets import at_epsilon, count_left_out, sets_of, tally
from engine.measures.reference.hspp import preference_columns
from engine.measures.rows import FEW, Column, Columns, Options, Table, stack_rows
from engine.paradigms import PAIR_PARADIGMS, RUBRIC_PARADIGMS, TRAITS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.pairs.gold_stress import Panel, family_panel, mean_changes, panels_to_try, same_side
from engine.stats.ratios import rate
from engine.wording import option

PARADIGMS = (*RUBRIC_PARADIGMS, *PAIR_PARADIGMS)
OF_PAIRS = {"third_party": "all", "null_pairs": "drawn", "two_stage": False, "quality": "judges"}
"""The options of SPB that have no say here."""


@dataclass(frozen=True, eq=False)
class NumberOfPanels:
    """One number of each judge shown under panels of gold judges.

    `whole` is the number under all of them, with draws, `n` its cases, `left_out` what is none, `under` gives
    it for a panel without draws, shape (1, judges), or (2, judges) with the ratio after the difference.
    """

    name: str
    gold_judges: tuple[str, ...]
    whole: Column
    n: Ints
    left_out: Mapping[str, int]
    under: Callable[[Panel], Floats]


def prepare_gold_stress(study: StudyArrays, spec: Slice, _options: Options, by: str | None) -> Slice:
    """Return the slice without the judge among its own gold judges; of pairs, with section 11's truth."""
    spec = replace(spec, leave_self_out=not spec.exclude_family)
    paradigm = common_paradigm(study, spec, by, _first_with_gold(study, spec))
    if paradigm is None:
        return spec
    spec = replace(spec, paradigm=paradigm)
    if not TRAITS[paradigm].of_pairs:
        return spec
    return resolve_truth(study, prefer_variant(study, spec, by, "forced", "default"))


@one_thread()
def gold_stress_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge shown and each number that several gold judges decide."""
    if isinstance(view.cube, PairCube):
        numbers = [number for number in (_dbg(view), _spb(view, options)) if number is not None]
    else:
        numbers = [_of_rubrics(view)]
    numbers = [number for number in numbers if len(number.gold_judges) > 1]
    if not numbers:
        raise NoDataError(
            "fewer than two gold judges: that takes preferences of several gold judges, several judges of "
            "quality, or a reference of several members, such as ",
            option("reference", "committee:NAME"),
        )
    columns = stack_rows([judge_columns(view) | _columns(view, number) for number in numbers])
    keep = np.asarray(columns["n"].values) > 0
    filters = {} if isinstance(view.cube, PairCube) else {"reference": " + ".join(numbers[0].gold_judges)}
    return Table(columns, keep, view.study.index.n_instances, numbers[0].left_out, filters)


def _columns(view: SliceView, number: NumberOfPanels) -> Columns:
    families = _families(view.study, number.gold_judges)
    subsets = panels_to_try(families)
    forms = np.array([number.under(panel) for panel in subsets])
    values, ratios = forms[:, 0], forms[:, 1] if forms.shape[1] > 1 else np.full_like(forms[:, 0], np.nan)
    changes = mean_changes(values, subsets, len(number.gold_judges))
    names = [" + ".join(number.gold_judges[g] for g in panel) for panel in subsets]
    place = {panel: n for n, panel in enumerate(subsets)}
    everyone = subsets[-1]
    without = {
        name: place[panel]
        for name in sorted({name for name in families if name})
        if (panel := tuple(g for g in everyone if g not in family_panel(families, name)))
        and len(panel) < len(everyone)
    }
    rows = range(values.shape[1])
    defined = [np.flatnonzero(~np.isnan(values[:, row])).tolist() for row in rows]
    left = [[name for name, n in without.items() if not np.isnan(values[n, row])] for row in rows]
    most = [_greatest(number.gold_judges, changes[:, row]) for row in rows]
    return {
        "number": Column([number.name for _ in rows]),
        "value": number.whole,
        "least": Column(np.fmin.reduce(values), reasons="no_panel"),
        "greatest": Column(np.fmax.reduce(values), reasons="no_panel"),
        "same_side": Column(same_side(values), reasons="no_panel"),
        "matters_most": Column([name for name, _ in most], reasons="no_panel"),
        "mean_change": Column(np.array([change for _, change in most]), reasons="no_panel"),
        "hspp_self": Column(ratios[-1], reasons="no_ratio_here"),
        "hspp_least": Column(np.fmin.reduce(ratios), reasons="no_ratio_here"),
        "hspp_greatest": Column(np.fmax.reduce(ratios), reasons="no_ratio_here"),
        "gold_judges": Column([list(number.gold_judges) for _ in rows]),
        "changes": Column([_plain(changes[:, row]) for row in rows]),
        "panels": Column([[names[n] for n in defined[row]] for row in rows]),
        "value_by_panel": Column([values[defined[row], row].tolist() for row in rows]),
        "families_without": Column(left),
        "value_without": Column([[float(values[without[name], row]) for name in left[row]] for row in rows]),
        "n": Column(number.n),
        "small": Column(list(number.n < FEW)),
    }


def _greatest(names: Sequence[str], changes: Floats) -> tuple[str | None, float]:
    if np.isnan(changes).all():
        return None, np.nan
    most = int(np.nanargmax(changes))
    return names[most], float(changes[most])


def _plain(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _families(study: StudyArrays, names: Sequence[str]) -> list[str | None]:
    """Return the family of each gold judge; None for people and programs."""
    models, families = study.index.models, study.index.model_fields["family"]
    return [families[models.index(name)] if name in models else None for name in names]


def _first_with_gold(study: StudyArrays, spec: Slice) -> tuple[str, ...]:
    """Return the paradigms, pairs first where several sources judge them and rubrics have one at most."""
    several = len(study.references.stored_sources) > 1 or spec.reference is not None
    return PARADIGMS if several else (*PAIR_PARADIGMS, *RUBRIC_PARADIGMS)


def _dbg(view: SliceView) -> NumberOfPanels | None:
    gold = GoldTruth(view)
    if not gold.sources:
        return None
    pairs = judged_pairs(view, view.pair_cube.rows, view.pair_cube.pairs).own()
    votes = gold.votes(pairs.row, pairs.instance, pairs.target, pairs.other)
    pairs, votes = pairs.select(votes.has_vote), SourceVotes(votes.by_source[votes.has_vote])
    win, size = (1 + pairs.value) / 2, len(view.judges)

    def under(panel: Panel) -> Floats:
        truth = SourceVotes(votes.by_source[:, list(panel)]).win
        decided = ~np.isnan(truth)
        total = np.bincount(pairs.row[decided], (win - truth)[decided], size)
        return np.asarray(rate(total, np.bincount(pairs.row[decided], minlength=size)))[None]

    sums, every = ByJudge(view, pairs.row, pairs.instance), np.ones(len(win), dtype=bool)
    whole, n = sums.average(win - votes.win, every, "no_item"), sums.counts(every).sum(axis=1)
    left_out = pairs_left_out(view, view.pair_cube, concerned=of_own_answers, blame=gold.blame)
    return NumberOfPanels("dbg", gold.sources, whole, n, left_out, under)


def _spb(view: SliceView, options: Options) -> NumberOfPanels | None:
    study, spec = view.study, view.request.spec
    if not has_quality(study):
        return None
    options = {**options, **OF_PAIRS}
    models = study.index.models
    names = tuple(models[j] for j in quality_judges(stored_quality(study, spec), models, ()))
    pairs = judged_pairs(view, view.pair_cube.rows, view.pair_cube.pairs).both_ways()

    def sets_under(panel: Panel) -> dict[str, Bools]:
        quality = quality_of(view, {**options, "quality_judges": tuple(names[g] for g in panel)})
        sets = sets_of(view, quality, pairs, options)
        return {name: sets[name] for name in ("pir", "null_pir", "pir_family")}

    def under(panel: Panel) -> Floats:
        firm = pairs.firm == 1
        pir, null = (
            rate(*(np.bincount(pairs.row[each], minlength=len(view.judges)) for each in (mask & firm, mask)))
            for name, mask in sets_under(panel).items()
            if name != "pir_family"
        )
        return np.asarray(pir - null)[None]

    counts = tally(view, pairs, sets_under(tuple(range(len(names)))))
    columns = shares(view, counts, options)
    quality = quality_of(view, {**options, "quality_judges": names})
    left_out = count_left_out(view, view.pair_cube, quality, at_epsilon(quality, options["epsilon"]))
    n = np.asarray(columns["n_pairs"].values)
    return NumberOfPanels("spb", names, columns["spb"], n, left_out, under)


def _of_rubrics(view: SliceView) -> NumberOfPanels:
    gold = ReferencePanels.of(view)
    assert isinstance(view.cube, VerdictCube)  # noqa: S101 - for the type checker
    cube, index, counts = view.cube, view.study.index, view.rubric

    def counts_under(panel: Panel, weights: Weights | None = None) -> RubricCounts:
        return replace(counts, planes=Planes(index, cube, gold.majority(panel)), weights=weights)

    def under(panel: Panel) -> Floats:
        columns = preference_columns(view, counts_under(panel))
        return np.array([columns[name].values for name in ("difference_self", "hspp_self")])

    if len(gold.sources) < 2:
        nothing = np.full(len(view.judges), np.nan)
        return NumberOfPanels("own_minus_others", (), Column(nothing), nothing, {}, lambda _: nothing[None])
    whole = counts_under(tuple(range(len(gold.sources))), view.weights)
    return NumberOfPanels(
        "own_minus_others",
        gold.sources,
        preference_columns(view, whole)["difference_self"],
        (whole.failed.total * view.relations.self_mask).sum(axis=1),
        whole.left_out,
        under,
    )


GOLD_STRESS = Measure(
    name="gold-stress",
    title="Gold stress test",
    question="How far does a judge's self-preference depend on who the gold judges are?",
    formula=(
        "DBG, SPB or own minus others' passed failures under every non-empty subset of the gold judges (of "
        "more than 8, each alone, all, and all but each or one family), a judge never its own; mean_change: "
        "the mean |change| when a gold judge leaves a panel"
    ),
    paper="dbg-score, Figure 5 without one gold judge; every subset is this project's",
    left_out="as in the DBG score, pairs of equal quality and overestimations; pairs that split a panel",
    function=gold_stress_table,
    prepare=prepare_gold_stress,
    chart="gold-stress",
    headline="value",
    keys=("judge", "number"),
    paradigms=PARADIGMS,
    empty="no number of a judge is decided by several gold judges",
    options=(EPSILON,),
    fields=(
        *OF_JUDGE,
        entry.key("number", "dbg, spb, or own_minus_others (passed failures of criteria)"),
        entry.difference("value", "the number under all gold judges together", tested=False),
        Field("least", "difference", "its lowest value under any panel"),
        Field("greatest", "difference", "its highest value under any panel"),
        entry.portion(
            "same_side",
            "share of panels that put it on the same side of 0 as all together",
            title="Panels on the same side of 0",
        ),
        entry.key(
            "matters_most",
            "the gold judge whose leaving moves it most, in the mean over panels",
            title="Gold judge that matters most",
        ),
        Field(
            "mean_change",
            "difference",
            "by how much: the mean |change| when that gold judge leaves",
            title="Moves by",
        ),
        Field("hspp_self", "ratio", "of criteria: the HSPP ratio under all gold judges"),
        Field(
            "hspp_least", "ratio", "of criteria: the lowest ratio under any panel", title="HSPP ratio, lowest"
        ),
        Field(
            "hspp_greatest",
            "ratio",
            "of criteria: the highest ratio under any panel",
            title="HSPP ratio, highest",
        ),
        entry.count("n", "the judge's own pairs or failures under all gold judges"),
        Field("gold_judges", "list", "the gold judges, or judges of quality"),
        Field(
            "changes",
            "list",
            "the mean |change| when each of them leaves a panel; null where unknown",
            members="number",
        ),
        Field("panels", "list", "every panel that gives a value, members joined by +"),
        Field("value_by_panel", "list", "the value under each of these panels", members="number"),
        Field("families_without", "list", "families of gold judges that can be left out"),
        Field("value_without", "list", "the value without each of these families", members="number"),
        SMALL,
    ),
)

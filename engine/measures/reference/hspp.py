"""`hspp`: self-preference ratios for each judge, and their mean (MEASURES section 2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import RubricCounts, combine
from engine.arrays.slicing.slice_counts import InstanceCounts
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns
from engine.measures.entry import DELETED, FAMILY, JUDGE, LOST_COMPARISONS, OF_FEW_CASES, SMALL, Measure
from engine.measures.outside.matched_intervals import matched_intervals, matched_ratios
from engine.measures.reference.ratio_intervals import preference_of_few, tails
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.added_cases import padded_ratio
from engine.stats.ratios import mean_of_defined, rate, ratio
from engine.stats.self_preference import Relations, self_preference

RATIOS = ("hspp_self", "hspp_family", "hspp_family_with_self")


def hspp_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge, and a last one of the means over judges."""
    counts = view.counts
    columns = preference_columns(view, counts)
    if view.weights is not None:
        few, tail = preference_of_few(view, counts), tails(view, counts, columns)
        columns = {
            name: replace(column, few=few.get(name), tail=tail.get(name)) for name, column in columns.items()
        }
    rng = np.random.default_rng(options["seed"])
    columns |= _rubric_ratios(counts, rng) if isinstance(counts, RubricCounts) else _win_shares(view, counts)
    failed, relations = counts.failed.total, view.relations
    masks = {"n_self": relations.self_mask, "n_family": relations.family, "n_other": relations.unrelated_mask}
    columns |= {name: Column((failed * mask).sum(axis=1)) for name, mask in masks.items()}
    columns |= judge_columns(view)
    columns["small"] = Column(np.asarray(columns["n_self"].values) < FEW)
    columns["judges"] = Column([None] * len(failed), reasons="row_of_one_judge")
    keep = np.asarray(counts.present.any(axis=1))
    columns, counted = _with_means(columns, keep), counts.counted_instances
    return Table(columns, np.append(keep, keep.any()), counts.instances, view.left_out, counted=counted)


def _missing_parts(relations: Relations, failed: Ints, o_other: Floats) -> dict[str, list[tuple[Bools, str]]]:
    """Return for each rate and ratio what may be missing, and its code; `failed` by judge and generator."""

    def lacking(who: Bools, nobody: str, no_failure: str) -> list[tuple[Bools, str]]:
        none_failed = (failed * who).sum(axis=1) == 0
        return [(np.asarray(~who.any(axis=1)), nobody), (np.asarray(none_failed), no_failure)]

    own = lacking(relations.self_mask, "no_own_responses", "no_own_failures")
    family = lacking(relations.family, "no_relatives", "no_failures_of_relatives")
    other = lacking(relations.unrelated_mask, "no_others", "no_failures_of_others")
    together = lacking(relations.family_with_self, "no_failures_of_family", "no_failures_of_family")
    zero = (np.asarray(~(np.nan_to_num(o_other) > 0)), "no_overestimation_of_others")
    return {
        "o_self": own,
        "o_family": family,
        "o_other": other,
        "hspp_self": [*own, *other, zero],
        "hspp_family": [*family, *other, zero],
        "hspp_family_with_self": [*together, *other, zero],
        "difference_self": [*own, *other],
    }


def preference_columns(view: SliceView, counts: RubricCounts | InstanceCounts) -> dict[str, Column]:
    """Return rates and ratios with their draws; undefined ones with the reason."""
    value, draws = combine(
        lambda over, failed: self_preference(over, failed, view.relations), counts.over, counts.failed
    )
    why = _missing_parts(view.relations, counts.failed.total, value.o_other)
    return {
        name: Column(numbers, None if draws is None else getattr(draws, name), first_reason(*why[name]))
        for name, numbers in vars(value).items()
    }


def _rubric_ratios(counts: RubricCounts, rng: np.random.Generator) -> dict[str, Column]:
    size, own, others = counts.matched
    value = ratio(own.total.astype(float), others.total.astype(float))
    draws = None
    if own.draws is not None and others.draws is not None:
        draws = padded_ratio(own.draws, others.draws, rng)
    why = first_reason(
        (np.asarray(~counts.relations.unrelated_mask.any(axis=1)), "no_others"),
        (size.total == 0, "no_matched_rubrics"),
        (others.total == 0, "no_overestimation_of_others"),
    )
    shares = Column([None] * len(value), reasons="instance_level_only")
    if draws is None:
        matched = Column(value, None, why)
        mantel_haenszel = Column(ratio(*counts.matched_sums[3:]), None, why)
    else:
        of_matched, weighted = matched_ratios(counts).values()
        matched = Column(value, draws, why, few=matched_intervals(of_matched))
        mantel_haenszel = Column(weighted.value, None, why, few=matched_intervals(weighted))
    return {
        "hspp_matched": matched,
        "hspp_mantel_haenszel": mantel_haenszel,
        "n_matched": Column(size.total),
        "l2w_share_self": shares,
        "l2w_share_other": shares,
    }


def _win_shares(view: SliceView, counts: InstanceCounts) -> dict[str, Column]:
    def share(who: Bools) -> Column:
        wins = (counts.to_win.total * who).sum(axis=1)
        return Column(rate(wins, (counts.over.total * who).sum(axis=1)), reasons="no_overestimation")

    nothing = Column([None] * len(view.judges), reasons="rubric_level_only")
    return {
        "hspp_matched": nothing,
        "hspp_mantel_haenszel": nothing,
        "n_matched": Column(np.zeros(len(view.judges), dtype=np.int64)),
        "l2w_share_self": share(view.relations.self_mask),
        "l2w_share_other": share(view.relations.unrelated_mask),
    }


def _with_means(columns: dict[str, Column], keep: Bools) -> dict[str, Column]:
    """Append the row of means over the judges kept; for counts, their sums."""
    defined = int((~np.isnan(np.asarray(columns["hspp_self"].values)[keep])).sum())
    all_columns = {}
    for name, column in columns.items():
        last: Any = {"judges": defined, "small": False}.get(name)
        why, draws = "row_of_means", column.draws
        if name in RATIOS:
            why, last = "no_judge_with_a_ratio", float(mean_of_defined(np.asarray(column.values)[keep]))
        elif name.startswith("n_"):
            last = int(np.asarray(column.values)[keep].sum())
        if draws is not None:
            mean = mean_of_defined(draws[:, keep]) if name in RATIOS else np.full(len(draws), np.nan)
            draws = np.column_stack([draws, mean])
        reasons = [*column.row_reasons(), why]
        few = column.few
        if few is not None:  # the row of means does not rest on few
            few = few.changed(lambda part: np.append(part, np.zeros(1, part.dtype)))
        tail = None if column.tail is None else np.append(column.tail, np.nan)
        values: Sequence[Any] | NDArray[Any]
        if not isinstance(column.values, np.ndarray):
            values = [*column.values, last]
        elif last is None:
            values = np.append(column.values, np.nan)
        else:
            values = np.append(column.values, np.array(last, column.values.dtype))
        all_columns[name] = Column(values, draws, reasons, few=few, tail=tail)
    return all_columns


HSPP = Measure(
    name="hspp",
    title="Harmful self-preference ratio",
    question=(
        "How many times as likely is a judge to pass its own failed criteria as those of other families?"
    ),
    formula="O(J, J) / mean of O(J, G) over models G outside J's family",
    paper="rubric-self-preference, equations 1 and 2",
    left_out="models without a failed criterion have no rate and do not enter the means",
    function=hspp_table,
    chart="own-answers",
    headline="hspp_self",
    row_of_all="mean",
    compared_as="ratio",
    intervals={
        DELETED: ("hspp_matched", "hspp_mantel_haenszel"),
        OF_FEW_CASES: (
            *("o_self", "o_family", "o_other", "hspp_self", "hspp_family", "hspp_family_with_self"),
            "difference_self",
        ),
    },
    fields=(
        JUDGE,
        FAMILY,
        entry.share(
            "o_self",
            "how often the judge passes criteria that its own answers failed",
            title="Passed own failures",
        ),
        entry.share(
            "o_family",
            "how often it passes criteria failed by its family's other models, averaged over them",
            title="Passed its family's failures",
        ),
        entry.share(
            "o_other",
            "how often it passes criteria failed by models of other families, averaged over them",
            title="Passed others' failures",
        ),
        entry.ratio(
            "hspp_self",
            "o_self / o_other; 1 means no self-preference",
            title="HSPP ratio",
            axis="ratio (1 = no preference)",
        ),
        entry.ratio(
            "hspp_family", "o_family / o_other; 1 means no preference for its family", title="Family ratio"
        ),
        entry.ratio(
            "hspp_family_with_self",
            "the family ratio with the judge counted in its own family",
            title="Family ratio, self included",
        ),
        entry.ratio(
            "hspp_matched",
            "the ratio over criteria that both the judge's own answer and the other answer failed",
            title="Matched ratio",
        ),
        entry.ratio(
            "hspp_mantel_haenszel",
            "the matched ratio with each criterion weighted by its information (Mantel-Haenszel)",
            title="Matched ratio, weighted",
        ),
        entry.difference("difference_self", "o_self - o_other", title="Own minus others"),
        entry.count(
            "n_self", f"criteria failed by its own answers; {LOST_COMPARISONS}", title="n own failed"
        ),
        entry.count("n_family", f"criteria failed by its family's answers; {LOST_COMPARISONS}"),
        entry.count(
            "n_other", f"criteria failed by other families' answers; {LOST_COMPARISONS}", title="n others"
        ),
        entry.count("n_matched", "criteria that both answers failed, over all models outside its family"),
        entry.portion(
            "l2w_share_self",
            "of its own losses that it overestimated, the share turned into wins",
            title="Own losses turned into wins",
        ),
        entry.portion(
            "l2w_share_other",
            "of others' losses that it overestimated, the share turned into wins",
            title="Others' losses turned into wins",
        ),
        SMALL,
        entry.count("judges", "on the row of means: judges whose ratio is defined"),
    ),
)

"""The measures of MEASURES sections 2, 5, 6, 7 and 8: point values, by plain loops.

Every function takes a PlainStudy and the command line's options as keyword arguments (`asking.DEFAULTS`;
filters take one value or a list, `length=(low, high)` with None for an open end, None in a list for
"has no value") and returns `(rows, left_out)`. Undefined is None.
Incompatible options raise `RefusedError`.

Readings, for points that MEASURES leaves open:

Rows
 1. "The first present paradigm": any judgment row of it, whatever its variant, status or run.
 2. Repeats are merged after rows without a reference are put aside; `merged` counts the ok rows minus the
    resulting verdicts, so a tied group of k adds k. `repeats = first` is the lowest trial among the ok rows
    that count, of several runs the first in the table.
 3. Majority of repeated choices (A, tie, B): the most frequent one; equally frequent: none.
 4. A filter on `run` or `ordering` holds for agreement too; filters on rubrics, judges, generators and
    position do not. A named committee's votes ignore run, ordering, transform and `repeats`.
 5. `left_out` counts only rows that the filters (rubric, judge, generator, agreement, position) let in.
 6. `reference_tie`: people or a committee tied; everything else missing is `no_reference`. A direct
    assessment or a pair has `no_reference` if any verdict of its responses is missing, `reference_tie` if
    all missing ones are ties. A response without a score (no positive rubric) has `no_reference` there.
 7. `incomplete` exists in rubric paradigms at instance level: (judge, instance, generator) with a row in the
    slice of any status, in which some kept rubric lacks an ok verdict or a reference. An instance whose
    rubrics are all filtered out is outside the slice, not incomplete.
 8. `common`: the sets compared are the shown judges that have a counted row; a cell is counted by a verdict
    (after merging), a direct assessment or a resolved pair (both its cells). `left_out` gains `not_common`.
 9. `position` on rubric paradigms at instance level: a response's score is taken over the rubrics that this
    judge has a row for at that position.
10. Filters on rubrics asked of whole-instance paradigms: constant is required in every instance of the study.
    `theme` of a rubric: its own, else its instance's. An instance without rubrics fails any of polarity,
    length, axis and checker.
11. Words are counted by splitting at white space; without a criterion there is no number of words.

Overestimation and ratios
12. A judge has a row where one of its rows counts: a verdict, a complete score, a resolved pair. A
    (judge, generator) row of `overestimation` exists where the pair has such a row; n may be 0 there.
13. Underestimation at instance level mirrors the other: w* = +1 and w_J < 1.
14. `relatives`: equal values of the column; null is kin to none; `base_model` compares the column only, not
    the base's own name. Field `family` is always the family.
15. hspp_family_with_self for a judge without a rate of its own is its relatives' mean alone.
16. Means over generators: hspp's row of means has only judge, judges and the three ratios; it is there even
    when no judge has a row.
17. Pairs' w* is the sign of the reference's scores; `preferences` play no part in these measures.
18. A resolved pair row follows the same rule as two orders (p without p_tie decides, else choice); if its
    repeats are tied the rows with orders serve. Rows with orders beside a resolved one count as `merged`.
    p is a tie within 1e-9 of 0.5. An order of unknown place is `order_missing` even where the pair resolves.
    An order whose repeats are tied is missing.
19. For direct assessment and pairs, `scores` chooses the reference's score.

Accuracy, delta, curve
20. `accuracy` gives both numbers for rubric paradigms whatever the level; mra is None with total 0 elsewhere.
21. rank_shift and pair_order are taken on the instances where judge and reference have a score for all the
    generators with a raw delta for that judge; None where there is no such instance or only one generator.
    Rank 1 is best. A pair ordered alike includes tied in both; the denominator is all pairs of generators.
    `family_bonus` is mean delta over F_J minus mean over S_J. Scores are clipped before subtraction for
    `weighted_mean_clipped`. raw_delta, leniency and leniency_outside are fractions.
22. `rubrics_kept` is a share of the (instance, rubric) with a counted verdict of a shown judge when no
    threshold is set; with `agreement_of = verdict` of the (instance, rubric, generator); with
    `agreement_without_family` the mean of the judges' shares. The same at both levels. A rubric on which no
    two judges have a verdict has no agreement and is dropped at every threshold.
    With `agreement_of = verdict` the curve has the rubric level only.
"""

from typing import Any

from plain.agreement import agreement_of
from plain.asking import Query, RefusedError, ask, mean, models, relation
from plain.deltas import delta_rows
from plain.pairs import resolved_pairs
from plain.ratios import Fields, accuracy_fields, instance_cells, judges_of, mean_row, rate, ratio, ratio_rows
from plain.scores import (
    Comparison,
    Scored,
    comparisons_of_scores,
    kept_rubrics,
    scores_from_assessments,
    scores_from_verdicts,
)
from plain.study import PlainStudy
from plain.verdicts import Verdict, counted_verdicts, rubric_cells

Result = tuple[list[Fields], dict[str, int]]


def hspp(study: PlainStudy, **options: Any) -> Result:
    """The ratio of section 2 for each judge, and a last row with the means over judges."""
    return hspp_of(ask(study, **options))


def hspp_of(query: Query) -> Result:
    """The same for a question that others may share."""
    rows = hspp_rows(query)
    return [*rows, mean_row(rows)], query.left_out


def hspp_rows(query: Query) -> list[Fields]:
    """The rows of the judges."""
    if query.level == "rubric":
        verdicts = counted_verdicts(query)
        return ratio_rows(query, rubric_cells(verdicts), verdicts)
    scored, comparisons = instance_level(query)
    return ratio_rows(query, instance_cells(scored, comparisons))


def instance_level(query: Query) -> tuple[list[Scored], list[Comparison]]:
    """The scores and the comparisons of the requested paradigm; pairs have comparisons only."""
    result: tuple[list[Scored], list[Comparison]] = query.remembered(
        "instance level", lambda: _instance_level(query)
    )
    return result


def _instance_level(query: Query) -> tuple[list[Scored], list[Comparison]]:
    if query.paradigm == "pairwise":
        return [], resolved_pairs(query)
    if query.is_rubric_paradigm:
        verdicts = counted_verdicts(query)
        scored = scores_from_verdicts(query, verdicts, kept_rubrics(query))
    elif query.paradigm == "direct_assessment":
        scored = scores_from_assessments(query)
    else:
        scored = []
    return scored, list(comparisons_of_scores(query, scored))


def overestimation(study: PlainStudy, **options: Any) -> Result:
    """Rates of over- and underestimation for each judge and generator."""
    query = ask(study, **options)
    if query.level == "rubric":
        cells = rubric_cells(counted_verdicts(query))
    else:
        cells = instance_cells(*instance_level(query))
    rows = []
    for judge in judges_of(query, cells):
        for generator in models(query):
            cell = cells.get((judge, generator))
            if cell is None:
                continue
            row = {
                "judge": judge,
                "generator": generator,
                "relation": relation(query, judge, generator),
                "rate": rate(cell),
                "over": cell.over,
                "n": cell.lost,
                "under_rate": ratio(cell.under, cell.won),
                "under": cell.under,
                "under_n": cell.won,
            }
            rows.append(row)
    return rows, query.left_out


def accuracy(study: PlainStudy, **options: Any) -> Result:
    """MRA and MIPA (section 5) with their numerators and denominators."""
    return accuracy_of(ask(study, **options))


def accuracy_of(query: Query) -> Result:
    """The same for a question that others may share."""
    verdicts = counted_verdicts(query) if query.is_rubric_paradigm else []
    whole = not (query.is_rubric_paradigm and splits_verdicts(query))
    scored, comparisons = instance_level(query) if whole else ([], [])
    present = {one.judge for one in [*verdicts, *scored, *comparisons]}
    rows = [
        {"judge": judge, **accuracy_fields(judge, verdicts, comparisons)}
        for judge in models(query)
        if judge in present
    ]
    return rows, query.left_out


def splits_verdicts(query: Query) -> bool:
    """Whether the threshold keeps single verdicts, so that scores of whole instances are undefined."""
    return query.min_agreement is not None and query.agreement_of == "verdict"


def delta(study: PlainStudy, **options: Any) -> Result:
    """The centered score delta of section 8, for each judge and generator."""
    query = ask(study, **{**options, "level": options.get("level") or "instance"})
    if query.level != "instance" or query.paradigm == "pairwise":
        raise RefusedError("delta needs scores of responses")
    scored, _comparisons = instance_level(query)
    rows: list[Fields] = []
    for judge in models(query):
        mine = [one for one in scored if one.judge == judge]
        if mine:
            rows += delta_rows(query, judge, mine)
    return rows, query.left_out


THRESHOLDS = [round(0.5 + 0.05 * step, 2) for step in range(11)]


def agreement_curve(study: PlainStudy, **options: Any) -> Result:
    """The mean ratio of the judges at each threshold of agreement, at both levels."""
    plain = ask(study, **{**options, "min_agreement": None, "level": None})
    if not plain.is_rubric_paradigm:
        raise RefusedError("agreement is that of rubric verdicts")
    levels = [options["level"]] if options.get("level") else ["rubric", "instance"]
    if plain.agreement_of == "verdict":
        levels = ["rubric"]
    verdicts = counted_verdicts(plain)
    rows = []
    for level in levels:
        for threshold in THRESHOLDS:
            query = plain.with_options(min_agreement=threshold, level=level)
            ratios = mean_row(hspp_rows(query))
            row = {"threshold": threshold, "level": level, "hspp_self_mean": ratios["hspp_self"]}
            rows.append(
                {**row, "judges": ratios["judges"], "rubrics_kept": share_kept(plain, verdicts, threshold)}
            )
    return rows, plain.left_out


def share_kept(query: Query, verdicts: list[Verdict], threshold: float) -> float | None:
    """The share of the judged rubrics (or single verdicts) whose agreement reaches the threshold."""
    shares = []
    for judges in judge_groups(query, verdicts):
        passing: dict[tuple[str, ...], bool] = {}
        for v in verdicts:
            if v.judge in judges:
                item = (v.instance_id, v.generator, v.rubric_id)
                place = item if query.agreement_of == "verdict" else (v.instance_id, v.rubric_id)
                if place not in passing:
                    value = agreement_of(query, v.judge, item)
                    passing[place] = value is not None and value >= threshold - 1e-9
        shares.append(sum(passing.values()) / len(passing))
    return mean(shares)


def judge_groups(query: Query, verdicts: list[Verdict]) -> list[set[str]]:
    """All judges at once, or one at a time if each has its own agreement."""
    judges = {v.judge for v in verdicts}
    if query.agreement_without_family:
        return [{judge} for judge in sorted(judges)]
    return [judges] if judges else []

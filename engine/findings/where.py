"""Rules on where judges favour themselves: slices, opponents, changes over runs, rankings."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.explore import find_slices
from engine.findings.claims import (
    Claim,
    Mark,
    MarkKind,
    Measurement,
    Number,
    Row,
    RuleContext,
    RuleResult,
    near_end,
)
from engine.findings.who_favours_itself import BEYOND
from engine.measures.rankings import ALL
from engine.measures.rows import SURE
from engine.stats.bootstrap import benjamini_hochberg
from engine.values import quantity
from engine.words import confidence, number, p_value, with_interval
from engine.words.sentences import slice_place

# ------------------------------------------------------------------------------
# Where judges favour themselves most: slices of rubrics, and opponents in pairs.


SLICE = Number("slices", "where", "find", "difference", "slice", "n_self", "own failures there", 1.0)
OPPONENT = replace(BEYOND, rule="opponents", question="where")


def slices(context: RuleContext) -> RuleResult:
    """Claim, for each judge, the slice in which its ratio is significantly higher than elsewhere.

    All slices of one column and of two are tried (`spb find`), with p adjusted over all slices of all judges;
    a slice is claimed below 0.05. Each judge gets one slice: the most certain, or the simpler one that
    contains it. Contradicted if the matched ratio in the slice is not above 1. Ordered by the interval's
    lower end, highest first.
    """
    measurement = context.measurement(SLICE)
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    higher = [row for row in result.rows if row["p_adjusted"] < SURE and row["difference"] > 1]
    foremost = []
    for judge in dict.fromkeys(row["judge"] for row in higher):
        first = find_slices.clearest([row for row in higher if row["judge"] == judge])
        foremost += [] if first is None else [first]
    foremost.sort(key=lambda row: -near_end(row, SLICE))
    n_slices = int(result.filters["slices_tried"])
    summary = f"the ratio is significantly higher in {len(higher):,} of {quantity(n_slices, 'slice')} tried"
    return RuleResult(tuple(_slice(measurement, row) for row in foremost), summary)


def _slice(measurement: Measurement, row: Row) -> Claim:
    view = {
        name: ("true",) if value is True else (value,) if isinstance(value, str) else tuple(value)
        for name, value in row["filters"].items()
    }
    matched = row["hspp_matched"]
    doubt = []
    if matched is not None and matched <= 1:
        ratio = f"the ratio is {matched:.2f} (n {row['n_matched']:,})"
        doubt = [Mark(MarkKind.CONTRADICTED, f"there, on rubrics that both responses failed, {ratio}")]
    same = [other for other in measurement.result.rows if other["judge"] == row["judge"] and other is not row]
    return measurement.claim(
        row,
        f"With {slice_place(row)}, the ratio of {row['judge']} is {SLICE.value(row)} times as high as on "
        f"other rubrics ({SLICE.ci(row)}): {number(row['hspp_self'])} against {number(row['hspp_rest'])}.",
        rows=same[:4],
        view=view | ({} if row["by"] is None else {"by": (row["by"],)}),
        marks=doubt,
    )


def opponents(context: RuleContext) -> RuleResult:
    """Claim, for each judge, the opponent against which it most favours its own worse responses.

    The number is T of `quality-baseline` against that opponent. Every judge is tested against every opponent,
    with p adjusted over all these pairs; an opponent is claimed below 0.05. Each judge gets one opponent, and
    all are ordered by the interval's lower end, highest first.
    """
    measurement = context.measurement(OPPONENT)
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    field = OPPONENT.field
    tested = [row for row in result.rows if row["opponent"] is not None and row[f"{field}_p"] is not None]
    if not tested:
        return RuleResult(reason="no judge has a T with an interval against any one opponent")
    adjusted = benjamini_hochberg(np.array([row[f"{field}_p"] for row in tested], dtype=np.float64))
    tests = [row | {f"{field}_p_adjusted": float(p)} for row, p in zip(tested, adjusted, strict=True)]
    sure = [row for row in tests if row[f"{field}_p_adjusted"] < SURE and row[field] > 0]
    sure.sort(key=lambda row: -near_end(row, OPPONENT))
    first = list({row["judge"]: row for row in reversed(sure)}.values())[::-1]
    claims = []
    for row in first:
        judge, own_tests = row["judge"], [test for test in tests if test["judge"] == row["judge"]]
        is_most = all(row[field] > test[field] for test in own_tests if test is not row)
        sentence = (
            f"Of responses that lost to {row['opponent']}, {judge} votes for its own {OPPONENT.value(row)} "
            f"more often than for other models' ({OPPONENT.ci(row)})"
            f"{', the most of all opponents' if is_most else ''}."
        )
        claims.append(measurement.claim(row, sentence, rows=own_tests, view={"judge": (judge,)}))
    return RuleResult(tuple(claims), f"{len(sure):,} of {len(tested):,} pairs of judge and opponent")


# ------------------------------------------------------------------------------
# What changed between the last two runs.


RATIO = Number("since-last-run", "changed", "hspp", "difference", "compare", null=1.0)
SHARE = replace(RATIO, null=0.0, form="share")
COMPARED = (RATIO, replace(SHARE, measure="equal-quality"), replace(SHARE, measure="dbg"))
"""Changes of a measure's headline; the first that both runs allow is reported."""


def runs_in_order(context: RuleContext) -> list[str]:
    """Return the runs with judgments: those without a start in `runs` by name, then the others by start."""
    names = [str(run) for run in context.study.inventory.values("run_id") if run is not None]
    table = context.study.files.table("runs", ("run_id", "started_at")).to_pylist()
    starts = {row["run_id"]: row["started_at"] for row in table if row["started_at"] is not None}
    return sorted(names, key=lambda run: (run in starts, str(starts.get(run, "")), run))


def since_last_run(context: RuleContext) -> RuleResult:
    """Claim that a judge's number differs between the last run and the one before.

    The number is the change of the ratio (`hspp`, last / before), in studies of pairs that of SPB or of DBG.
    It is claimed if its interval excludes no change; not significant if p, adjusted over all judges, is 0.05
    or more. The largest certain change comes first.
    """
    runs = runs_in_order(context)
    if len(runs) < 2:
        name = f", {runs[0]}" if runs else ""
        return RuleResult(reason=f"the study has only one run{name}, so there is nothing to compare")
    last, earlier = runs[-1], runs[-2]
    reason = None
    for change in COMPARED:
        measurement = context.measurement(change, run=(last,), against={"run": earlier})
        rows = [row for row in measurement.result.rows if None not in (row.get("judge"), row["difference"])]
        rows = [row for row in rows if row.get("opponent") is None]
        if rows:
            changed_rows = [row for row in rows if near_end(row, change) > 0]
            changed_rows.sort(key=lambda row: -near_end(row, change))
            claims = tuple(_change(measurement, row, earlier, last) for row in changed_rows)
            share = f"{len(claims)} of {quantity(len(rows), 'judge')}"
            return RuleResult(claims, f"{share} changed from run {earlier} to run {last}")
        reason = reason or measurement.result.reason
    return RuleResult(reason=f"runs {last} and {earlier} have no judge in common with a number: {reason}")


def _change(measurement: Measurement, row: Row, earlier: str, last: str) -> Claim:
    change = measurement.number
    was, now = number(row["b"], change.form), number(row["a"], change.form)
    verb = "rose" if row["a"] > row["b"] else "fell"
    of_ratio = change.form == "ratio"
    name = "ratio" if of_ratio else measurement.result.measure.title
    by = f"{change.value(row)} times" if of_ratio else change.value(row)
    return measurement.claim(
        row,
        f"From run {earlier} to run {last} the {name} of {row['judge']} {verb} from {was} to {now} "
        f"({by}; {change.ci(row)}).",
        view={"compare": ("runs",), "run_a": (last,), "run_b": (earlier,)},
    )


# ------------------------------------------------------------------------------
# What self-preference does to the ranking of models, and which corrected ranking is closest to the reference.


SURELY = 0.95  # the smallest share of resamples at which a flip of two models counts as sure

NAMES = {
    ALL: "all judges together",
    "all-without-self": "all judges except the model itself",
    "all-without-family": "all judges outside the model's family",
}
"""The rankings by several judges, in words."""

SHIFT = Number("own-places", "ranking", "delta", "rank_shift", "matrix", "n", "instances", 0.0)
LEAD = Number("flips", "ranking", "ranking-flips", "lead", "findings", form="share")
GAIN = Number(
    "corrections", "ranking", "ranking-distance", "gain", "findings", "n_models", "models", 0.0, few=0
)

PLACE = Number(
    "places", "ranking", "corrected", "rank", "findings", "n_labelled", "instances with a reference"
)

RANKING: Mapping[str, tuple[str, ...]] = {"part": ("ranking",)}
"""The part of the findings page that shows the ranking."""


def own_places(context: RuleContext) -> RuleResult:
    """Claim that a judge raises its own rank if it ranks itself higher than the reference does.

    The number is the judge's own row of `delta`: its rank by its own scores minus its rank by the
    reference's. It is claimed if the interval is below 0; there is no p. Leniency alone raises a weak model:
    contradicted if the ratio of own failures shows nothing, not significant if that is uncertain. Judges that
    gain most ranks come first.
    """
    measurement = context.measurement(SHIFT)
    result = measurement.result
    rows = [row for row in result.rows if row["judge"] == row["generator"] and row["rank_shift"] is not None]
    if not rows:
        return RuleResult(reason=result.reason or "no judge ranks itself beside a reference")
    raised = [row for row in rows if row["rank_shift_high"] is not None and row["rank_shift_high"] < 0]
    raised.sort(key=lambda row: (row["rank_shift_high"], row["rank_shift"]))
    claims = []
    for row in raised:
        shift, low, high = (-row[f"rank_shift{end}"] for end in ("", "_high", "_low"))
        higher = f"{with_interval(shift, None, None, 'places')} higher than the reference does"
        sentence = f"{row['judge']} ranks itself {higher} ({confidence(low, high, 'places')})."
        claims.append(measurement.claim(row, sentence, rows=rows, view={"shade": ("delta",)}))
    return RuleResult(tuple(claims), f"{len(raised)} of {quantity(len(rows), 'judge')}")


def flips(context: RuleContext) -> RuleResult:
    """Claim each pair of models that all judges together rank in the opposite order to the reference.

    For each judge, also the most certain pair in which it ranks itself above a model that the reference ranks
    above it. The reversal must hold in at least 95 % of the resamples, by the ranking and by the reference;
    other reversed pairs are listed below. Not significant if p, adjusted for all pairs and rankings compared,
    is 0.05 or more, since among many pairs some are reversed by chance. The number is the difference in
    score. The most certain come first.
    """
    measurement = context.measurement(LEAD)
    result = measurement.result
    if not result.rows and result.filters.get("reference") is not None:
        return RuleResult(summary="no pair of models changes places")
    if not result.rows:
        return RuleResult(reason=result.reason)
    sure = [row for row in result.rows if row["sure"] is not None and row["sure"] >= SURELY]
    own = [row for row in sure if row["itself"]]
    surest = [
        max((row for row in own if row["by"] == by), key=lambda row: (row["sure"], row["lead"]))
        for by in {row["by"] for row in own}
    ]
    flip_rows = [*(row for row in sure if row["by"] == ALL), *surest]
    flip_rows.sort(key=lambda row: (-row["sure"], row["by"], row["above"], row["below"]))
    summary = f"{len(sure)} of {quantity(len(result.rows), 'flip')} sure"
    return RuleResult(tuple(_flip(measurement, row) for row in flip_rows), summary)


def _flip(measurement: Measurement, row: Row) -> Claim:
    who = "All judges together put" if row["by"] == ALL else f"{row['by']} puts"
    above = "itself" if row["itself"] else row["above"]
    p, marks, sure = row["p_flip_adjusted"], [], ""
    if p is not None and p < SURE:
        sure = f" (adjusted p {p_value(p, 'below ')})"
    else:
        why = "no p-value" if p is None else f"adjusted p = {p:.2g}"
        marks = [Mark(MarkKind.NOT_SIGNIFICANT, why)]
    return measurement.claim(
        row,
        f"{who} {above} above {row['below']}, by {LEAD.value(row)} ({LEAD.ci(row)}); the reference ranks "
        f"{row['below']} higher{sure}.",
        of=f"{row['by']}:{row['above']}:{row['below']}",
        view=RANKING,
        marks=marks,
    )


def corrections(context: RuleContext) -> RuleResult:
    """Claim how much closer to the reference each ranking by several judges is than that of all judges.

    The number is `gain` of `ranking-distance`: Kendall's tau-b with the reference's ranking minus that of all
    judges together, from the same resamples. Not significant if the interval includes 0. Nothing is claimed
    about a committee that is itself the reference. The ranking closest to the reference comes first.
    """
    measurement = context.measurement(GAIN)
    result = measurement.result
    reference = result.filters.get("reference")
    everyone = next((row for row in result.rows if row["by"] == ALL and row["tau"] is not None), None)
    if everyone is None:
        return RuleResult(reason=result.reason or "all judges together rank no two models of the reference's")
    rows = [row for row in result.rows if is_joint(row["by"]) and row["by"] not in (ALL, reference)]
    rows = [row for row in rows if row["gain"] is not None]
    rows.sort(key=lambda row: -row["tau"])
    claims = []
    for row in rows:
        change = "closer to" if row["gain"] > 0 else "farther from" if row["gain"] < 0 else "no closer to"
        sentence = (
            f"The ranking by {ranking_words(row['by'])} is {change} the reference's than the ranking by "
            f"{NAMES[ALL]}: tau-b {number(row['tau'])} against {number(everyone['tau'])} "
            f"(difference {GAIN.value(row)}; {GAIN.ci(row)}). "
            f"It reverses {quantity(int(row['flips']), 'pair')}, against {int(everyone['flips']):,}."
        )
        claims.append(measurement.claim(row, sentence, of=row["by"], rows=result.rows, view=RANKING))
    return RuleResult(tuple(claims), f"{quantity(len(result.rows), 'ranking')} compared with the reference's")


def places(context: RuleContext) -> RuleResult:
    """Claim that a model's rank by the judges' scores differs from that by its corrected score.

    The number is `rank` of `corrected`, with its ranks in a 95 % confidence set that holds for all models
    jointly. It is claimed if the rank by uncorrected scores is outside that set. The model that moves
    farthest comes first.
    """
    measurement = context.measurement(PLACE)
    result = measurement.result
    rows = [row for row in result.rows if row["rank"] is not None and row["rank_low"] is not None]
    rows = [row for row in rows if row["uncorrected"] is not None]
    if not rows:
        return RuleResult(reason=result.reason or "no score can be corrected here")
    scores = [row["uncorrected"] for row in rows]
    moves = []
    for row in rows:
        first = 1 + sum(score > row["uncorrected"] for score in scores)
        last = sum(score >= row["uncorrected"] for score in scores)
        distance = max(first - row["rank_high"], row["rank_low"] - last)
        if distance > 0:
            moves.append((distance, first, row))
    moves.sort(key=lambda each: -each[0])
    claims = [
        measurement.claim(
            row,
            f"By the judges' scores, {row['model']} ranks number {first}; corrected with the reference, it "
            f"ranks number {row['rank']:g} (95% CI {row['rank_low']:g} to {row['rank_high']:g}).",
            of=row["model"],
            rows=rows,
            view=RANKING,
        )
        for _, first, row in moves
    ]
    return RuleResult(tuple(claims), f"{len(claims)} of {quantity(len(rows), 'model')} moved")


def is_joint(by: str) -> bool:
    """Return whether a ranking is by several judges."""
    return by in NAMES or by.startswith("committee:")


def ranking_words(by: str) -> str:
    return NAMES.get(by) or (f"the {by.replace(':', ' ', 1)}" if by.startswith("committee:") else by)

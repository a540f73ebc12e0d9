"""Sentences about ratios, points, committees, comparisons, slices that stand out, votes, and people."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from engine import words
from engine.explore.compare import Comparison
from engine.explore.find_slices import clearest, significant_rows
from engine.measures.reasons import meaning
from engine.measures.rows import FEW, SURE
from engine.values import join_names, quantity
from engine.words import (
    Row,
    confidence,
    difference,
    in_sentence,
    number,
    p_value,
    text_of,
    value_words,
    with_interval,
)

if TYPE_CHECKING:
    from engine.annotations.agreement import Agreement, Estimate


# ------------------------------------------------------------------------------
# What a judge's self-preference means in points and places, so that a ratio such as 1.2 can be judged.


def own_rows(deltas: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows of `delta` with judges' own numbers, one per judge."""
    return [dict(row) for row in deltas if row["generator"] in (None, row["judge"])]


def score_bonus_sentences(deltas: Iterable[Row], ratios: Iterable[Row]) -> dict[str, str]:
    """Return a sentence or two for each judge, from the rows of `delta` and `hspp` (one slice).

    An undefined number is called undefined, never 0.
    """
    ratio_of = {row["judge"]: row for row in ratios if row["judge"] is not None}
    sentences = {}
    for row in own_rows(deltas):
        sentence, ratio = f"{row['judge']} {_bonus(row)}{_places(row)}.", ratio_of.get(row["judge"])
        if ratio is not None and ratio["hspp_self"] is not None:
            ci = confidence(ratio.get("hspp_self_low"), ratio.get("hspp_self_high"))
            sentence += (
                f" Its HSPP ratio is {number(ratio['hspp_self'])} ({ci}): it passes "
                f"{100 * ratio['o_self']:.0f}% of its own failures and "
                f"{100 * ratio['o_other']:.0f}% of others'."
            )
        sentences[row["judge"]] = sentence
    return sentences


def largest_bonus(deltas: Iterable[Row]) -> str | None:
    """Return the judge with the largest bonus for itself, None if no judge has one."""
    rows = [row for row in own_rows(deltas) if row["bonus"] is not None]
    return max(rows, key=lambda row: float(row["bonus"]))["judge"] if rows else None


def _bonus(row: Row) -> str:
    value, low, high = row["bonus"], row["bonus_low"], row["bonus_high"]
    if value is None:
        return "has no bonus here: it scored no response of its own, or none of another family"
    if not _is_sure(row) and not row["rank_shift"] and row["rank_shift"] is not None:
        points = with_interval(value, None, None, "signed")
        return (
            f"does not move itself in the ranking by its scores (difference {points} of 100 points, "
            f"{confidence(low, high, 'points')}, which may be chance)"
        )
    verb = "marks itself up by" if value >= 0 else "marks itself down by"
    ends = (low, high) if value >= 0 or low is None else (-high, -low)
    interval = "" if low is None else f" ({confidence(*ends, 'points')})"
    points = f"{with_interval(abs(value), None, None, 'points')} of 100{interval}"
    doubt = "" if _is_sure(row) else ", which may be chance"
    return f"{verb} {points} compared with other families' models{doubt}"


def _is_sure(row: Row) -> bool:
    """Return whether a judge's bonus has no interval that includes 0."""
    low, high = row["bonus_low"], row["bonus_high"]
    return low is None or high is None or low > 0 or high < 0


def _places(row: Row) -> str:
    shift = row["rank_shift"]
    if shift is None:
        return ""
    if shift == 0:
        return ", and ranks itself as the reference does" if _is_sure(row) else ""
    places = f"{abs(shift):g} {'place' if abs(shift) == 1 else 'places'}"
    return f", and ranks itself {places} {'higher' if shift < 0 else 'lower'} than the reference does"


# ------------------------------------------------------------------------------
# Sentences about paradigms, committees and agreement, from the rows of their measures.


def paradigms(rows: Iterable[Row]) -> str:
    """Return a sentence on which paradigm has the highest mean ratio; rows of `hspp` by paradigm."""
    parts = [_with_number(row) for row in _means(rows)]
    if not parts:
        return "No paradigm has a mean ratio here."
    if len(parts) == 1:
        return f"Mean ratio over judges: {parts[0]}. There is no other paradigm to compare."
    return f"The mean ratio over judges is highest with {parts[0]}, followed by {join_names(parts[1:])}."


def slices(rows: Iterable[Row], column: str) -> str:
    """Return a sentence on the slices with the highest and lowest mean ratio.

    `rows` are those of `hspp` grouped by this `column`, such as `axis`.
    """
    means = [row for row in _means(rows) if row["n_self"] >= FEW and row["hspp_self_low"] is not None]
    if len(means) < 2:
        return f"Fewer than two slices by {column} have a mean ratio of enough cases to compare."
    first, *_, last = means
    disjoint = first["hspp_self_low"] is not None and last["hspp_self_high"] is not None
    disjoint = disjoint and first["hspp_self_low"] > last["hspp_self_high"]
    doubt = "their intervals do not overlap" if disjoint else "their intervals overlap, so this may be chance"
    return (
        f"By {column}, the mean ratio over judges is highest for {_with_number(first)} and lowest for "
        f"{_with_number(last)}; {doubt}."
    )


def committee(rows: Sequence[Row]) -> list[str]:
    """Return for how many members the committee has a lower ratio or higher accuracy; rows of `committee`.

    The difference is clear where each of the two numbers is outside the other's interval.
    """
    sentences = []
    for level, accuracy in (("rubric", "mra"), ("instance", "mipa")):
        of_level = [row for row in rows if row["level"] == level]
        ratios, accuracies = _pairs(of_level, "hspp_self"), _pairs(of_level, accuracy)
        if not ratios and not accuracies:
            continue
        lower = [row for row, alone, together in ratios if together < alone]
        higher = [row for row, alone, together in accuracies if together > alone]
        sentences.append(
            f"At {level} level the committee's ratio is lower than the member's for {len(lower)} of "
            f"{len(ratios)} members, clearly so for {_apart(lower, 'hspp_self')}. Its accuracy is higher for "
            f"{len(higher)} of {len(accuracies)}, clearly so for {_apart(higher, accuracy)}."
        )
    above = [row for row in rows if (row["hspp_self_committee"] or 0) > 1]
    names = [
        f"{row['judge']} ({row['level']} level)"
        for row in above
        if significant(row, "hspp_self_committee", 1)
    ]
    if names:
        sentences.append(f"The committee's ratio is still above 1 for {join_names(names)}.")
    return sentences


def clearly_apart(row: Row, field: str) -> bool:
    """Return whether a member's number and the committee's are each outside the other's interval."""
    of_committee = f"{field}_committee"
    return excludes(row, field, row[of_committee]) and excludes(row, of_committee, row[field])


def _apart(rows: Sequence[Row], field: str) -> int:
    return sum(clearly_apart(row, field) for row in rows)


def committee_sizes(rows: Sequence[Row], combine: str = "majority") -> list[str]:
    """Return how the mean ratio changes from one judge to all together; rows of `committee-size`."""
    sentences = []
    for level in ("rubric", "instance"):
        of_level = [row for row in rows if row["level"] == level and row["hspp_self"] is not None]
        if len(of_level) < 2:
            continue
        first, last = of_level[0], of_level[-1]
        sentences.append(
            f"At {level} level the members' mean ratio goes from {_ratio(first, 'hspp_self')} with "
            f"{_judge_count(first['size'])} to {_ratio(last, 'hspp_self')} with "
            f"{_judge_count(last['size'])} together."
        )
    even = [row for row in rows if row["size"] % 2 == 0]
    if sentences and combine == "majority" and even:
        sentences.append(
            "Committees of even size drop tied votes, which fall on hard cases: compare odd sizes only with "
            "odd sizes."
        )
    return sentences or ["Fewer than two committee sizes have a ratio to compare."]


def committee_families(rows: Sequence[Row]) -> str:
    """Return for how many families the ratio is lower without their own votes; `committee-families` rows."""
    of_level = [row for row in rows if row["level"] == rows[0]["level"]]
    both = [row for row in of_level if row["hspp_self_outside"] is not None]
    both = [row for row in both if row["hspp_self_outside_whole"] is not None]
    if not both:
        return "Without any one of the families, too few members or no failures are left for a ratio."
    lower = [row for row in both if row["hspp_self_outside"] < row["hspp_self_outside_whole"]]
    parts = [
        f"{row['without']} from {number(row['hspp_self_outside_whole'])} to "
        f"{_ratio(row, 'hspp_self_outside')}"
        for row in both
    ]
    return (
        f"At {of_level[0]['level']} level the mean ratio is lower for {len(lower)} of "
        f"{quantity(len(both), 'family')} when their own members do not vote: {'; '.join(parts)}."
    )


def _judge_count(size: int) -> str:
    return "one judge" if size == 1 else quantity(size, "judge")


def agreement(rows: Sequence[Row], level: str = "rubric") -> str:
    """Return how the mean ratio changes from no threshold to the highest; rows of `agreement-curve`."""
    of_level = [row for row in rows if row["level"] == level and row["hspp_self_mean"] is not None]
    if len(of_level) < 2:
        return "Too few thresholds have a ratio to say whether agreement lowers self-preference."
    first = of_level[0]
    # Thresholds without an interval have too few cases to end on.
    last = next((row for row in of_level[:0:-1] if row["hspp_self_mean_low"] is not None), of_level[-1])
    highs, lows = ([row[f"hspp_self_mean_{end}"] for row in (first, last)] for end in ("high", "low"))
    has_ends = None not in (*highs, *lows)
    doubt = "; the intervals overlap, so this may be chance" if has_ends and max(lows) <= min(highs) else ""
    return (
        f"As agreement rises from {first['threshold']:.0%} to {last['threshold']:.0%}, the mean ratio goes "
        f"from {_ratio(first, 'hspp_self_mean')} to {_ratio(last, 'hspp_self_mean')}, with "
        f"{last['rubrics_kept']:.0%} of the rubrics left{doubt}."
    )


def _pairs(rows: Iterable[Row], field: str) -> list[tuple[Row, float, float]]:
    """Return each member's row, its number and that of the committee in its place, if both are known."""
    both = [(row, row[field], row[f"{field}_committee"]) for row in rows]
    return [each for each in both if each[1] is not None and each[2] is not None]


def _means(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of `hspp` that are means over judges, highest first."""
    means = [row for row in rows if row["judge"] is None and row["hspp_self"] is not None]
    return sorted(means, key=lambda row: -float(row["hspp_self"]))


def _with_number(row: Row) -> str:
    """Return a slice with its mean ratio: `all rubrics (1.20, 95% CI 1.09 to 1.33)`."""
    low, high = row["hspp_self_low"], row["hspp_self_high"]
    interval = "" if low is None or high is None else f", {confidence(low, high)}"
    return f"{str(row['slice']).replace('_', ' ')} ({number(row['hspp_self'])}{interval})"


def _ratio(row: Row, field: str) -> str:
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    return number(row[field]) if low is None or high is None else in_sentence(row[field], low, high)


# ------------------------------------------------------------------------------
# A comparison in words.


def finding(comparison: Comparison, number: str) -> list[str]:
    """Return the result in sentences: for two judges, or for the mean and each judge."""
    rows = [row for row in comparison.rows if row["field"] == number]
    kind = next(field.kind for field in comparison.measure.fields if field.name == number)
    if any(row["judge"] != row["judge_b"] for row in rows):
        return [f"{row['judge']} against {row['judge_b']}: {_side_by_side(row, kind)}" for row in rows]
    sentences = [f"Mean of judges: {_side_by_side(row, kind)}" for row in rows if row["judge"] is None]
    tested = [row for row in rows if row["judge"] is not None and row["p_adjusted"] is not None]
    sure = [row for row in tested if row["p_adjusted"] < SURE]
    n_tested, null = quantity(len(tested), "judge"), 1.0 if kind == "ratio" else 0.0
    if not tested:
        return [*sentences, "No judge has enough cases on both sides to be tested."]
    if not sure:
        return [*sentences, f"None of {n_tested} differs significantly (adjusted p below {SURE})."]
    higher = [str(row["judge"]) for row in sure if row["difference"] > null]
    lower = [str(row["judge"]) for row in sure if row["difference"] <= null]
    sides = (("A", higher), ("B", lower))
    parts = "; ".join(f"higher in {side}: {', '.join(names)}" for side, names in sides if names)
    counts = f"{len(sure)} of {n_tested} differ significantly (adjusted p below {SURE})"
    return [*sentences, f"{counts}; {parts}."]


def _side_by_side(row: Row, kind: str) -> str:
    a, b = text_of(row, "a", kind=kind), text_of(row, "b", kind=kind)
    against = "ratio of ratios" if kind == "ratio" else "difference"
    return f"{a} in A, {b} in B; {against} {difference(row, kind=kind)}, p {text_of(row, 'p')}."


def common(comparison: Comparison) -> str:
    """Return what the sides share, what was dropped, and how they were resampled."""
    overlap = comparison.common
    drops = f"{overlap.dropped_a:,} of A and {overlap.dropped_b:,} of B"
    if overlap.applied:
        dropped = f"dropped: {drops}" if overlap.dropped_a or overlap.dropped_b else "none was dropped"
        text = f"Compared on the {quantity(overlap.both, 'response')} that both sides share; {dropped}."
    elif overlap.both:
        text = f"Compared on all responses of each side: {overlap.both:,} are shared, {drops} are not."
    else:
        text = f"The sides share no response ({drops}), so each is compared as a whole."
    if comparison.shared_draws:
        return f"{text} Both sides use the same resamples."
    return f"{text} The two studies are resampled independently."


def one_side_only(comparison: Comparison) -> str | None:
    """Return which judges are on one side only; None if none are, or if two judges are compared."""
    if any(row["judge"] != row["judge_b"] for row in comparison.rows):
        return None
    a, b = ({str(row["judge"]) for row in side.rows if row["judge"]} for side in comparison.sides)
    only = {"A": sorted(a - b), "B": sorted(b - a)}
    parts = [f"only in {side}: {', '.join(names)}" for side, names in only.items() if names]
    return f"Judges {'; '.join(parts)}." if parts else None


def basis(comparison: Comparison) -> tuple[str, ...]:
    """Return what each side is based on and what it leaves out."""
    return tuple(
        f"{name}: study {side.study}. {words.basis_of(side.filters)} {words.left_out_of(side)}"
        for name, side in zip("AB", comparison.sides, strict=True)
    )


# ------------------------------------------------------------------------------
# Sentences built from numbers: a measure's result in words.


def self_preference(rows: Sequence[Row], level: str = "rubric") -> list[str]:
    """Return which ratios are above 1, and whether they remain so once matched, in sentences.

    `rows` are those of `hspp` (one slice, at one level). A ratio counts as above 1 if it is significantly
    (`significant`), and survives matching if the matched ratio's interval is above 1 too. Judges without a
    ratio are counted, never called unbiased. Only the scorecard concludes who favours itself.
    """
    judges = [row for row in rows if row.get("judge") is not None]
    rated = sorted((row for row in judges if row["hspp_self"] is not None), key=lambda row: -row["hspp_self"])
    if not rated:
        return ["No judge has a ratio here."]
    tested = [row for row in rated if row["hspp_self_low"] is not None]
    above = [row for row in tested if significant(row, "hspp_self", 1) and row["hspp_self"] > 1]
    if not above:
        highest = f"{rated[0]['judge']}'s, {_ratio(rated[0], 'hspp_self')}"
        first = f"No ratio is clearly above 1; the highest is {highest}."
        if not tested:
            first = f"The highest ratio is {highest}, without an interval."
        return [first, *_other_judges(judges, rated, ())]
    top = above[0]
    own = "passes its own failed answers"
    if level == "instance":
        own = "turns comparisons that its own responses lost into wins or ties"
    times, ci = number(top["hspp_self"]), confidence(top["hspp_self_low"], top["hspp_self_high"])
    of = "the highest ratio here" if top is rated[0] else "the highest ratio with an interval"
    return [
        f"{top['judge']} {own} {times} times as often as other families' ({ci}), {of}.",
        *([_matched_sentence(top)] if level == "rubric" else []),
        *_also_above(above[1:]),
        *_other_judges(judges, rated, above),
    ]


def _matched_sentence(row: Row) -> str:
    verdict = _survival(row)
    if verdict is None:
        return "No criterion was failed by both answers, so its failures may simply be harder."
    ratio = _ratio(row, "hspp_matched")
    if verdict:
        return f"The same on criteria that both answers failed: {ratio}."
    return f"Not clear on criteria that both answers failed: {ratio}."


def _survival(row: Row) -> bool | None:
    """Return whether the matched interval is above 1, None if there is none."""
    low = row.get("hspp_matched_low")
    return None if low is None else bool(low > 1)


def _also_above(rows: Sequence[Row]) -> list[str]:
    """Return whose ratios are also above 1, and which of these are not clearly so once matched."""
    sentences = []
    if rows:
        names = join_names([f"{row['judge']} ({number(row['hspp_self'])})" for row in rows])
        sentences.append(f"Also above 1: {names}.")
    unclear = [row for row in rows if _survival(row) is False]
    if unclear:
        names = join_names([f"{row['judge']} ({number(row['hspp_matched'])})" for row in unclear])
        sentences.append(f"Not clear on criteria that both answers failed: {names}.")
    return sentences


def _other_judges(judges: Sequence[Row], rated: Sequence[Row], above: Sequence[Row]) -> list[str]:
    """Return how many other intervals include 1, which ratios are below it, and how many judges have none."""
    firsts = {row["judge"] for row in above}
    others = [row for row in rated if row["judge"] not in firsts and row["hspp_self_low"] is not None]
    around = [row for row in others if row["hspp_self_low"] <= 1 <= row["hspp_self_high"]]
    below = [row for row in others if significant(row, "hspp_self", 1)]
    sentences = []
    if around and above:
        includes = "interval includes" if len(around) == 1 else "intervals include"
        sentences.append(f"For {quantity(len(around), 'other judge')} the {includes} 1.")
    if below:
        sentences.append(f"Below 1: {join_names([_judge_with_number(row, 'hspp_self') for row in below])}.")
    sentences += unadjusted(rated, "hspp_self", 1, lambda row: f"{row['judge']} ({number(row['hspp_self'])})")
    no_interval = [row for row in rated if row["hspp_self_low"] is None]
    if no_interval and above:
        names = join_names([f"{row['judge']} ({number(row['hspp_self'])})" for row in no_interval], MOST)
        sentences.append(f"Too few cases for an interval: {names}.")
    n_unrated = len(judges) - len(rated)
    if n_unrated:
        sentences.append(f"{quantity(n_unrated, 'judge')} {'has' if n_unrated == 1 else 'have'} no ratio.")
    return sentences


def family_preference(rows: Sequence[Row]) -> list[str]:
    """Return whose ratios for the rest of their family are above 1; rows of `hspp` (one slice)."""
    judges = [row for row in rows if row.get("judge") is not None and row.get("hspp_family_low") is not None]
    judges.sort(key=lambda row: -row["hspp_family"])
    above = [row for row in judges if significant(row, "hspp_family", 1) and row["hspp_family"] > 1]
    if not judges:
        return ["No judge has a ratio for the rest of its family here."]
    first = "No ratio for the rest of a family is clearly above 1."
    if above:
        names = join_names([_judge_with_number(row, "hspp_family") for row in above])
        first = f"For the rest of the family, above 1: {names}."
    return [first, *unadjusted(judges, "hspp_family", 1, partial(_judge_with_number, field="hspp_family"))]


def excludes(row: Row, field: str, null: float) -> bool:
    """Return whether a number has an interval that excludes `null`."""
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    return low is not None and high is not None and (low > null or high < null)


def significant(row: Row, field: str, null: float) -> bool:
    """Return whether a number's interval excludes `null` and its adjusted p, if it has one, is below 0.05."""
    p = row.get(f"{field}_p_adjusted")
    return excludes(row, field, null) and (p is None or p < SURE)


def unadjusted(rows: Sequence[Row], field: str, null: float, name: Callable[[Row], str]) -> list[str]:
    """Name the judges, by `name`, whose numbers differ from `null` only if p is not adjusted over judges."""
    names = [name(row) for row in rows if excludes(row, field, null) and not significant(row, field, null)]
    if not names:
        return []
    tests = sum(row.get(f"{field}_p_adjusted") is not None for row in rows)
    return [f"Not significant once adjusted for {quantity(tests, 'judge')}: {join_names(names, MOST)}."]


def _judge_with_number(row: Row, field: str) -> str:
    """Return a judge with its number: `m1 1.38 [1.20, 1.55]`."""
    return f"{row['judge']} {with_interval(row[field], row[f'{field}_low'], row[f'{field}_high'])}"


# ------------------------------------------------------------------------------
# The results of the slice finder in sentences, with names of models and values unescaped.


def slice_sentences(rows: Sequence[dict[str, Any]], n_tried: int) -> list[str]:
    """Return which slice stands out, how clearly, and how many of those tried do; or that none does."""
    if not rows:
        return ["No slice has enough cases to be tested."]
    first, clear = clearest(rows), significant_rows(rows)
    if first is None:
        return [
            f"No slice stands out: none of the {n_tried:,} tried differs significantly from the rest.",
            f"The closest (not significant): {slice_words(rows[0])}.",
        ]
    verb = "stands" if len(clear) == 1 else "stand"
    count = f"{len(clear):,} of {quantity(n_tried, 'slice')} tried {verb} out"
    texts = [f"{count}. First: {slice_words(first)}."]
    if first["hspp_matched"] is None:
        texts.append("No rubric there was failed by both responses, so its failures may simply be harder.")
    else:
        ratio = f"{number(first['hspp_matched'])} (n {first['n_matched']:,})"
        texts.append(f"There, on rubrics that both failed, the ratio is {ratio}.")
    judges = dict.fromkeys(row["judge"] for row in clear if row["judge"] != first["judge"])
    if judges:
        texts.append(f"Slices of {join_names(list(judges))} stand out too.")
    return texts


def slice_words(row: Row) -> str:
    """Return a row in words: the judge, the slice, the difference with its interval, n and p."""
    few = ", few cases" if row["small"] else ""
    return (
        f"with {slice_place(row)}, the ratio of {row['judge']} is {number(row['difference'])} times as high "
        f"as elsewhere ({confidence(row['difference_low'], row['difference_high'])}; "
        f"{number(row['hspp_self'])} against {number(row['hspp_rest'])}; n {row['n_self']:,}{few}; "
        f"adjusted p {p_value(row['p_adjusted'], 'below ')})"
    )


def slice_place(row: Row) -> str:
    """Return the slice in words: `polarity negative and axis context seeking`."""
    parts = (part.partition("=") for part in row["where"].split("; "))
    return " and ".join(f"{column} {value_words(column, value)}".strip() for column, _, value in parts)


MOST = 3  # how many judges get a sentence each; with more, first places are counted by model


def leaders(rows: Iterable[Row]) -> list[str]:
    """Return whom each judge ranks first, with that model's win rate; rows of `votes`."""
    by_judge: dict[str, list[Row]] = {}
    for row in rows:
        if row["rank"] is not None and row["win_rate"] is not None:
            by_judge.setdefault(str(row["judge"]), []).append(row)
    firsts = {judge: min(votes, key=lambda row: row["rank"]) for judge, votes in by_judge.items()}
    if len(firsts) <= MOST:
        return [_leader(judge, first, len(by_judge[judge])) for judge, first in firsts.items()]
    n_first = Counter(str(first["generator"]) for first in firsts.values()).most_common()
    parts = [f"{model} by {quantity(n, 'judge')}" for model, n in n_first]
    others = n_first[MOST:]
    if len(others) > 1:
        judges = quantity(sum(n for _, n in others), "judge")
        parts = [*parts[:MOST], f"{quantity(len(others), 'other model')} by {judges}"]
    return [f"Ranked first: {join_names(parts)}."]


def _leader(judge: str, row: Row, models: int) -> str:
    interval = confidence(row["win_rate_low"], row["win_rate_high"], "percent")
    return (
        f"{judge} ranks {row['generator']} first of {quantity(models, 'model')}: it wins "
        f"{number(row['win_rate'], 'percent')} ({interval}) of {quantity(row['n'], 'pair')}."
    )


# ------------------------------------------------------------------------------
# How far the annotators of a task agree.


def agreement_of_people(result: "Agreement", kind: str) -> str:
    """Return kappa and alpha of a task of this kind, or why they are undefined."""
    if result.reason is not None:
        return f"Agreement is undefined: {meaning(result.reason)}"
    alpha = f"Krippendorff's alpha {_estimate(result.alpha)}"
    return alpha if kind == "score" else f"Fleiss' kappa {_estimate(result.kappa)}; {alpha}"


def kappa_of_two(kappa: "Estimate") -> str:
    """Return the kappa of two people, or why it is undefined: only labels that are all alike make it so."""
    return f"– ({meaning('labels_all_alike')})" if kappa.value is None else _estimate(kappa)


def _estimate(value: "Estimate") -> str:
    return with_interval(value.value, value.low, value.high)

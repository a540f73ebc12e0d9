"""The sentences of the pages, over the words of the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from engine.measures.null_reasons import meaning
from engine.measures.rows import SURE
from engine.stats.power import Assumed, Needed, Target
from engine.words import confidence, counted, in_sentence, number, with_interval

# ------------------------------------------------------------------------------
# A judge's numbers as a sentence: what was counted, what came out, and what that means.


Row = dict[str, Any]


def judge_sentences(rows: Sequence[Row], level: str) -> list[str]:
    """Return a sentence for each judge of the rows of `hspp`, at rubric or instance level."""
    return [_of_judge(row, level) for row in rows if row["judge"] is not None]


def _of_judge(row: Row, level: str) -> str:
    if row["hspp_self"] is None:
        return f"{row['judge']} has no ratio: {meaning(row['reasons'].get('hspp_self'))}."
    of_rubrics = level == "rubric"
    things, verb = ("rubrics", "failed") if of_rubrics else ("comparisons", "lost")
    sentence = (
        f"{row['judge']} {'passed' if of_rubrics else 'made wins or ties of'} {row['o_self']:.1%} of the "
        f"{row['n_self']:,} {things} that its own responses {verb}, and {row['o_other']:.1%} of those that "
        f"another family's model {verb}, averaged over models: {_times(row, 'hspp_self', ' as often')}."
    )
    if row.get("hspp_matched") is not None:
        sentence += f" Where both failed: {_times(row, 'hspp_matched')}."
    if row.get("hspp_family") is not None:
        sentence += f" For its family: {_times(row, 'hspp_family')}."
    return sentence


def _times(row: Row, field: str, more: str = "") -> str:
    """Return `1.38 times (95% CI 1.20 to 1.55)`; `more` stands after `times`."""
    return f"{number(row[field])} times{more} ({confidence(row[f'{field}_low'], row[f'{field}_high'])})"


# ------------------------------------------------------------------------------
# What the measures on pairs found, in words.


FEW = 6
"""Judges named in a sentence."""


def points(row: Row, field: str) -> str:
    """Return `+12.0 points (95% CI +3.1 to +20.4)`."""
    return in_sentence(row[field], row[f"{field}_low"], row[f"{field}_high"], "change")


def clear(row: Row, field: str) -> bool:
    """Return whether the interval leaves out 0."""
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    return low is not None and high is not None and (low > 0 or high < 0)


def listed_judges(rows: Sequence[Row], field: str) -> str:
    """Return the judges with their numbers, the first FEW by name."""
    names = "; ".join(
        f"{row['judge']} {with_interval(row[field], row[f'{field}_low'], row[f'{field}_high'], 'change')}"
        for row in rows[:FEW]
    )
    return f"{names}; and {len(rows) - FEW} more" if len(rows) > FEW else names


def archetypes(rows: Sequence[Row]) -> list[str]:
    """Say how many judges are of which archetype, and of how many that is open."""
    known = [row for row in rows if row["archetype"] is not None]
    if not known:
        return ["No judge has an archetype here: it takes D, from pairs far apart in quality, and SPB."]
    sentences = []
    for name in dict.fromkeys(row["archetype"] for row in known):
        names = [row["judge"] for row in known if row["archetype"] == name]
        rest = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        sentences.append(f"{name}: {', '.join(names[:FEW])}{rest}.")
    unsure = sum(len(row["possible"] or ()) > 1 for row in known)
    if unsure:
        sentences.append(
            f"For {unsure} of {counted(len(known), 'judge')} the intervals allow another archetype."
        )
    return sentences


def equal_quality(rows: Sequence[Row]) -> str:
    """Say which judges firmly prefer their own among equals."""
    return preferring(
        rows, "spb", "firmly choose their own more often than an equally good response of others"
    )


def by_epsilon(rows: Sequence[Row]) -> str:
    """Say for how many judges SPB keeps its sign at every epsilon at which they have one."""
    values_of = [[spb for spb in row["spb_by_epsilon"] if spb is not None] for row in rows]
    values_of = [values for values in values_of if len(values) > 1]
    if not values_of:
        return "No judge has SPB at two epsilons."
    surely = sum(min(values) > 0 or max(values) < 0 for values in values_of)
    return f"SPB keeps its sign at every epsilon for {surely} of {len(values_of)} judges."


def by_category(rows: Sequence[Row]) -> str:
    """Say in which category judges lean most to and from themselves, and in how many cells that is clear."""
    known = [row for row in rows if row["judge"] is not None and row["spb"] is not None]
    if not known:
        return "No judge has SPB in a category."
    names = list(dict.fromkeys("(no value)" if row["slice"] is None else str(row["slice"]) for row in known))
    least, most = min(known, key=lambda row: row["spb"]), max(known, key=lambda row: row["spb"])
    sure = [row for row in known if clear(row, "spb")]
    above = sum(row["spb"] > 0 for row in sure)
    return (
        f"Of {len(known)} pairs of a judge and one of {counted(len(names), 'category')}, SPB is clearly "
        f"above 0 in {above} and clearly below 0 in {len(sure) - above}; chance alone would give about 1 in "
        f"40 each way. Highest: {most['judge']} on {most['slice']}, {points(most, 'spb')}; lowest: "
        f"{least['judge']} on {least['slice']}, {points(least, 'spb')}."
    )


def baseline(rows: Sequence[Row]) -> str:
    """Say of whom T is above 0."""
    if not any(row["ilsp_updated"] is not None for row in rows):
        return (
            "T is not defined: no lost example has a proxy, another model with the same result against the "
            "same opponent that the judge also judged. ILSP and LSP are shown without a baseline."
        )
    votes = "vote for their own worse responses more than for equally bad ones of other models"
    return preferring(rows, "ilsp_updated", votes)


def dbg(rows: Sequence[Row]) -> str:
    """Say who lets itself win more often than gold judges do."""
    return preferring(rows, "dbg", "let their own response win more often than the gold judges do")


def preferring(rows: Sequence[Row], field: str, doing: str) -> str:
    """Say of how many judges a number is clearly above 0, of how many below, and of how many open."""
    known = sorted((row for row in rows if row[field] is not None), key=lambda row: -row[field])
    if not known:
        return "No judge has this number here."
    above = [row for row in known if clear(row, field) and row[field] > 0]
    below = [row for row in known if clear(row, field) and row[field] < 0]
    sentence = f"{len(above)} of {counted(len(known), 'judge')} {doing}"
    sentence += f" ({listed_judges(above, field)})." if above else "."
    if below:
        doing = "does" if len(below) == 1 else "do"
        sentence += f" {len(below)} clearly {doing} the opposite ({listed_judges(below[::-1], field)})."
    left = len(known) - len(above) - len(below)
    return sentence + (f" For {left} the interval includes 0 or is missing." if left else "")


def mitigation(rows: Sequence[Row]) -> str:
    """Say how often each way of asking lowers |SPB|."""
    sentences = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        known = [row for row in rows if row["variant"] == name and row["reduction"] is not None]
        if not known:
            sentences.append(f"{name}: no judge has SPB in both.")
            continue
        less = sum(row["reduction"] > 0 for row in known)
        sure = sum(clear(row, "reduction") and row["reduction"] > 0 for row in known)
        worse = sum(clear(row, "reduction") and row["reduction"] < 0 for row in known)
        sentences.append(
            f"{name} lowers |SPB| for {less} of {counted(len(known), 'judge')}, clearly for {sure}, and "
            f"clearly raises it for {worse}."
        )
    return " ".join(sentences)


# ------------------------------------------------------------------------------
# What the order shown does, in words.


def positions(rows: Sequence[Row]) -> str:
    """Say which position each judge picks most, and for how many that is no chance."""
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    picks, sure = [], 0
    for judge in judges:
        mine = [row for row in rows if row["judge"] == judge and row["share"] is not None]
        if not mine:
            continue
        most = max(mine, key=lambda row: row["share"])
        sure += most["chi2_shuffle_p"] is not None and most["chi2_shuffle_p"] < SURE
        picks.append(f"{judge} position {most['position']} ({most['share']:.1%})")
    if not picks:
        return "No judge has a selection here."
    rest = f", and {len(picks) - FEW} more" if len(picks) > FEW else ""
    return (
        f"Chosen most often (chance: {1 / rows[0]['n_options']:.1%}): {', '.join(picks[:FEW])}{rest}. "
        f"{sure} of {counted(len(picks), 'judge')} {'differs' if sure == 1 else 'differ'} from chance (p "
        f"below {SURE:g}, by permuting the scores of each item)."
    )


def orderings(rows: Sequence[Row]) -> str:
    """Say which ordering is recommended for each judge."""
    best = [row for row in rows if row["recommended"] and row["cost"] is not None]
    if not best:
        return "No ordering has a cost here."
    best_words = "; ".join(
        f"{row['judge']} {row['ordering']} ({row['cost']:.1f} points)" for row in best[:FEW]
    )
    rest = f"; and {len(best) - FEW} more" if len(best) > FEW else ""
    return f"Recommended ordering (lowest bias cost): {best_words}{rest}."


def permutation(rows: Sequence[Row]) -> str:
    """Say for how many judges permuting goes better with people than repeating."""
    known = [row for row in rows if row["pearson_delta"] is not None]
    if not known:
        return "No judge has both permuted and repeated orderings with human scores to compare."
    better = sum(row["pearson_delta"] > 0 for row in known)
    sure = [row for row in known if row["pearson_delta_low"] is not None]
    clearly = sum(row["pearson_delta_low"] > 0 for row in sure)
    worse = sum(row["pearson_delta_high"] < 0 for row in sure)
    return (
        f"Permuted orderings agree better with people than as many repeats of one for {better} of "
        f"{len(known)} judges, clearly for {clearly}; clearly worse for {worse}."
    )


def along_list(rows: Sequence[Row], field: str, words: str) -> str:
    """Say for how many judges a number differs between the first and the last place of a list."""
    ends: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        if row["position"] is not None and row[field] is not None:
            ends.setdefault((row["judge"], row["ordering"]), {})[row["position"]] = row[field]
    moved = [(course[min(course)], course[max(course)]) for course in ends.values() if len(course) > 1]
    if not moved:
        return "No judge has this number at two positions in a list."
    fell = sum(first > last for first, last in moved)
    return (
        f"From the first position to the last the number ({words}) falls in {fell} of {len(moved)} series, "
        "one for each judge and ordering; the intervals show how much of that may be chance."
    )


def flips(rows: Sequence[Row]) -> str:
    """Say who flips most, and how many lean to the first or the second shown."""
    known = [row for row in rows if row["flip_rate"] is not None]
    if not known:
        return "No pair was decided in both orders."
    most = max(known, key=lambda row: row["flip_rate"])
    leaning = [row for row in known if row["flip_to_first_low"] is not None]
    first = sum(row["flip_to_first_low"] > 0.5 for row in leaning)
    second = sum(row["flip_to_first_high"] < 0.5 for row in leaning)
    return (
        f"{most['judge']} (variant {most['variant']}) changes its vote with the order most often: in "
        f"{most['flip_rate']:.1%} of pairs. Of {len(known)} judges and variants {first} clearly flip to the "
        f"response shown first and {second} to the one shown second."
    )


# ------------------------------------------------------------------------------
# What the power page says in words: the numbers needed, and what is assumed.


ASSUMED = (
    "Every judge has the same effect and judges every response, including its own.",
    "Failures of one response that go together count for less (clustering).",
    "The formula agrees with simulated studies (docs/intervals.md) from ten own failures a judge upwards.",
    "It cannot know how far these assumptions are from the study to come.",
    "It is for ratios of rubric verdicts; direct assessment and pairs compare whole responses.",
    "Costs assume that every call succeeds at once, at the mean price of the judges.",
    "A call on a pair counts as reading twice as much, one on all rubrics as answering for each.",
)
"""What the curves and the costs take for granted."""


def power_sentences(assumed: Assumed, wanted: float, needed: Mapping[Target, Needed]) -> list[str]:
    """Return how many instances each question needs, and what that means for one judge."""
    one, all_of, mean = (needed[target].instances for target in ("judge", "adjusted", "mean"))
    return [
        f"Detecting a ratio of {assumed.effect:g} with {wanted:.0%} power takes {counted(one, 'instance')}.",
        f"Testing all {assumed.judges} judges, with p adjusted for that, takes {all_of:,}.",
        f"The mean over judges takes {mean:,}.",
        f"A judge then has about {needed['judge'].own_failures:,.0f} own failures.",
    ]


def listed_assumptions(assumed: Assumed) -> str:
    """Return what is assumed, in a line."""
    return ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in asdict(assumed).items())


def pilot(study: str, *, known: bool) -> str:
    """Return where the numbers come from that the page begins with."""
    if known:
        return f"The starting values are those of {study}; change what will differ."
    return f"{study} has no rubric verdicts with a reference, so the starting values are typical ones."

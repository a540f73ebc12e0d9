"""The comparison of two runs in sentences: what changed, on which scale, and what that does not show."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.explore.gate import GateStatus, overall
from engine.phrases import join_names, part_of, quantity, sentence_case
from engine.words.run_changes import changes_words
from engine.words.written_numbers import at_most_words, number

if TYPE_CHECKING:
    from engine.explore.run_changes import BesideSelfPreference, RunChanges, StrictnessChange

CODES: Mapping[GateStatus, str] = {"PASS": "unchanged", "FAIL": "changed", "INCONCLUSIVE": "inconclusive"}
WORDS: Mapping[GateStatus, str] = {"PASS": "no change shown"}
"""What people read where the code would claim more than a test shows."""

_BUT_CHANGED: Mapping[GateStatus, str] = {"PASS": " in self-preference", "INCONCLUSIVE": ""}
"""What the result says of where only another number is shown to have changed."""

_NOT_IN_EXIT_CODE = "The exit code is of self-preference alone. For one of strictness, as in a pipeline:"

_MOST_NAMED = 3
"""Most judges that a sentence names; the rest are counted."""


def sentences(
    changed: "RunChanges",
    beside: "BesideSelfPreference | None",
    before: str,
    after: str,
    looks: int,
    of_strictness: str,
) -> list[str]:
    """Return the conclusion, then what it rests on.

    `beside` is what else changed, None where a measure was named or nothing can be compared; `of_strictness`
    is the command that compares strictness.
    """
    status = overall(changed.results)
    head, others = WORDS.get(status, CODES[status]), list[str]()
    if beside is not None:
        names = [name for name, some in vars(beside).items() if some]
        if names and status in _BUT_CHANGED:
            head += f"{_BUT_CHANGED[status]}, but {join_names(names)} changed"
        if beside.strictness:
            others.append(_strictness_words(beside.strictness, before, after))
        if beside.accuracy:
            others.append(changes_words(beside.accuracy, before, after))
        if beside.strictness:
            others.append(f"{_NOT_IN_EXIT_CODE} {of_strictness}")
    lines = [f"{head.upper()}: {_counts(changed)}", *others, f"{scale_words(changed, before, after)}."]
    if changed.n_in_both < changed.n_questions:
        shared = sentence_case(part_of(changed.n_in_both, changed.n_questions, "question"))
        verb = "is" if changed.n_in_both < 2 else "are"
        lines.append(f"{shared} {verb} in both runs: what differs may be the other questions.")
    if status == "PASS":
        has_interval = any(result.low is not None for result in changed.results)
        size = ": each interval says how large a change may be" if has_interval else ""
        lines.append(f"This does not show that nothing changed{size}.")
    lines += explained_intervals(changed, looks)
    if any(result.p_is_smallest for result in changed.results):
        lines.append(at_most_words(changed.resamples))
    if beside is not None and not others:
        lines.append(f"To compare how strict they are: {of_strictness}")
    return lines


def scale_words(changed: "RunChanges", before: str, after: str) -> str:
    """Return what was compared, in words, and on which scale a change is given; or why nothing was."""
    measure = changed.measure
    if changed.reason is not None:
        return f"Nothing can be tested by {measure.name}: {changed.reason}"
    number = next(field.meaning for field in measure.fields if field.name == measure.headline)
    if measure.compared_as == "ratio":
        scale = f"{after} divided by {before}; 1 is no change"
    else:
        unit = ", in points of 100" if changed.of_shares else ""
        scale = f"{after} minus {before}{unit}; 0 is no change"
    return f"Compared is {measure.name} ({measure.question} {sentence_case(number)}), as {scale}"


def _strictness_words(changed: "Sequence[StrictnessChange]", before: str, after: str) -> str:
    """Return which judges became stricter or more lenient, with what they gave the same answers."""
    parts = [
        f"{each.judge} became {'stricter' if each.after < each.before else 'more lenient'} "
        f"({'it passed' if each.of_criteria else 'its mean score was'} {number(each.before, 'percent')} in "
        f"run {before} and {number(each.after, 'percent')} in run {after}, of "
        f"{'the criteria of ' if each.of_criteria else ''}the same {quantity(each.n, 'answer')})"
        for each in changed
    ]
    return f"How strict judges are did change: {join_names(parts, _MOST_NAMED)}."


def explained_intervals(changed: "RunChanges", looks: int) -> list[str]:
    """Say why no change is shown of judges whose interval leaves out no change: p is adjusted."""
    null = changed.null
    apart = [
        each.judge
        for each in changed.results
        if each.status == "PASS" and each.low is not None and each.high is not None
        if not each.low <= null <= each.high
    ]
    n_tested = sum(each.is_checked for each in changed.results)
    adjusted = [f"the {n_tested:,} tests"] if n_tested > 1 else []
    adjusted += [f"the {looks:,} looks"] if looks > 1 else []
    if not apart or not adjusted:
        return []
    is_one = len(apart) == 1
    whose = f"{'interval' if is_one else 'intervals'} of {join_names(apart, _MOST_NAMED)}"
    sentence = (
        f"The {whose} {'excludes' if is_one else 'exclude'} {null:g}, yet no change is shown: p-values are "
        f"adjusted for {join_names(adjusted)}, intervals are not."
    )
    return [sentence]


def _counts(changed: "RunChanges") -> str:
    """Return how many judges changed in what is compared, and in how many rows where a judge has several."""
    rows = changed.results
    if not rows:
        return "no judge can be tested."
    what = changed.measure.name if changed.is_named else "self-preference"
    verb = "shows" if changed.n_changed < 2 else "show"
    names = list(dict.fromkeys(each.judge for each in changed.changed))
    unit = ("pair of judges", "pairs of judges") if changed.are_pairs else ("judge", "judges")
    who = part_of(changed.n_changed, changed.n_judges, *unit)
    who += f" ({join_names(names, _MOST_NAMED)})" if names else ""
    text = f"{who} {verb} a change in {what}"
    if len(rows) > changed.n_judges:
        n_rows = sum(row.status == "FAIL" for row in rows)
        each = join_names(["judge", *changed.beside])
        text += f" ({n_rows:,} of {len(rows):,} rows, one for each {each})"
    if changed.n_untested:
        text += f"; {changed.n_untested:,} cannot be tested"
    return f"{text}."

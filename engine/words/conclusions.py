"""The conclusion on each judge in words: what every page, report and command says of who favours itself.

All of them take their sentences from here, and their conclusions from the rows of `scorecard`, so that no two
places can differ (MEASURES section 16).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from engine.measures.null_reasons import meaning
from engine.words import Form, confidence, counted, listed, number

Row = Mapping[str, Any]
Conclusion = Literal[
    "favours_itself",
    "leans_to_itself",
    "no_material_preference",
    "inconclusive",
    "leans_against_itself",
    "disfavours_itself",
]

CONCLUSIONS: dict[Conclusion, str] = {
    "favours_itself": "favours itself",
    "leans_to_itself": "leans to itself",
    "no_material_preference": "no material preference",
    "inconclusive": "inconclusive",
    "leans_against_itself": "leans against itself",
    "disfavours_itself": "disfavours itself",
}
"""The conclusions in the words of a chip, in the order in which judges are listed."""

FAMILY_CONCLUSIONS = {
    code.replace("itself", "family"): words.replace("itself", "its family")
    for code, words in CONCLUSIONS.items()
}
"""What is concluded on how a judge treats the other models of its family, likewise."""

STANDING = frozenset({"favours_itself", "disfavours_itself"})
"""The conclusions that are claims; every other is a doubt, or says that there is nothing to claim."""

LEANING = frozenset({"leans_to_itself", "leans_against_itself"})
"""The conclusions that are said as doubts."""

TASTES = "differences in judges' taste could explain it"

MOST_NAMED = 4
"""Judges that a study's sentence names; the others are counted."""


def conclusion_words(row: Row) -> str:
    """Return a row's conclusion in the words of a chip: `favours itself`."""
    code = row["conclusion"]
    return CONCLUSIONS.get(code, meaning(code))


def conclusion_sentence(row: Row) -> str:
    """Return what the scorecard concludes on a judge, in one sentence.

    `row` is a row of `scorecard`; of its fields only `judge`, `conclusion` and `reason` must be there. The
    number is the one that people read: `ratio_outside` where the odds decided, else the deciding one.
    """
    judge, conclusion = row["judge"], row["conclusion"]
    evidence = _evidence(row)
    tail = f": {evidence}" if evidence else ""
    if conclusion == "favours_itself":
        return f"{judge} favours itself{tail}."
    if conclusion == "disfavours_itself":
        return f"{judge} disfavours itself{tail}."
    if conclusion in ("leans_to_itself", "leans_against_itself"):
        return f"{judge} {CONCLUSIONS[conclusion]}, which may be chance{tail}; {TASTES}."
    if conclusion == "no_material_preference":
        return f"{judge} shows no material self-preference{tail}."
    why = f" ({meaning(row['reason'])})" if row.get("reason") else ""
    return f"For {judge} the data are inconclusive{why}{tail}.{_what_is_needed(row)}"


def _what_is_needed(row: Row) -> str:
    """Return the sentence on how many cases would decide; empty where that is not known."""
    needed, number_own = row.get("needed"), row.get("n_own")
    if needed is not None and number_own is not None and needed > number_own:
        about = round(needed, 2 - len(str(needed)))
        return (
            f" If that is its true value, about {about:,} own cases would settle it; it has {number_own:,}."
        )
    if needed is None and row.get("reason") == "undecided" and row.get("estimate") is not None:
        return " More cases alone are unlikely to settle it."
    return ""


def family_sentence(row: Row) -> str | None:
    """Return what the scorecard concludes on a judge and the rest of its family; None where it says nothing.

    Said only of judges that favour, disfavour or lean one way.
    """
    conclusion, odds = row.get("family_conclusion"), row.get("odds_family")
    if odds is None or conclusion in (None, "inconclusive", "no_material_preference"):
        return None
    times, ci = _ratio(row, "odds_family")
    failed = "" if row.get("truth") in ("any", "met") else "failed "
    evidence = (
        f"its odds of passing its family's other {failed}answers are {times} times those of judges of other "
        f"families ({ci})"
    )
    may_be = ", which may be chance" if str(conclusion).startswith("leans") else ""
    tail = f"; {TASTES}" if may_be else ""
    return f"{row['judge']} {FAMILY_CONCLUSIONS[conclusion]}{may_be}: {evidence}{tail}."


def study_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a terminal says of a study: its sentence, and one for each claim that stands."""
    yield study_sentence(rows)
    for row in rows:
        if row["conclusion"] in STANDING:
            yield conclusion_sentence(row)
        if str(row.get("family_conclusion")) in ("favours_family", "disfavours_family"):
            yield family_sentence(row) or ""


def study_sentence(rows: Iterable[Row]) -> str:
    """Return what the scorecard concludes on a study in one or two sentences, from the rows of its judges."""
    judges = sorted((row for row in rows if row["judge"] is not None), key=place_of)
    if not judges:
        return "No judge here can be tested for self-preference."
    named = {code: [str(row["judge"]) for row in judges if row["conclusion"] == code] for code in CONCLUSIONS}
    parts = []
    if favouring := named["favours_itself"]:
        parts.append(f"{listed(favouring, MOST_NAMED)} {_verb(favouring, 'favours itself')}")
    if against := named["disfavours_itself"]:
        parts.append(f"{listed(against, MOST_NAMED)} {_verb(against, 'disfavours itself')}")
    first = f"{'; '.join(parts)}." if parts else "No judge clearly favours itself."
    return " ".join([first, *_families(judges), *_others(named)])


def place_of(row: Row) -> tuple[float, str]:
    """Return where a judge stands among those of its conclusion: the largest number first."""
    estimate = row.get("estimate")
    return float("inf") if estimate is None else -float(estimate), str(row["judge"])


def _families(rows: Sequence[Row]) -> list[str]:
    """Return the sentences on judges that favour or disfavour the other models of their family."""
    sentences = []
    for verb in ("favours", "disfavours"):
        named = [str(row["judge"]) for row in rows if row.get("family_conclusion") == f"{verb}_family"]
        if named:
            whose = f"{verb} the rest of its" if len(named) == 1 else f"{verb[:-1]} the rest of their"
            sentences.append(f"{listed(named, MOST_NAMED)} {whose} family.")
    return sentences


def _others(named: Mapping[Conclusion, Sequence[str]]) -> list[str]:
    """Return the sentences on judges of whom nothing is claimed."""
    sentences = []
    for code in ("leans_to_itself", "leans_against_itself"):
        if leaning := named[code]:
            verb = _verb(leaning, CONCLUSIONS[code])
            sentences.append(f"{listed(leaning, MOST_NAMED)} {verb}, which may be chance.")
    if none := named["no_material_preference"]:
        verb = "shows" if len(none) == 1 else "show"
        sentences.append(f"{listed(none, MOST_NAMED)} {verb} no material preference.")
    if unknown := named["inconclusive"]:
        sentences.append(f"For {listed(unknown, MOST_NAMED)} the data are inconclusive.")
    return sentences


def outside_sentences(rows: Sequence[Row], field: str, truth: str | None) -> list[str]:
    """Say from the rows of `outside` (one slice) who is highest by `field`, and how many are apart.

    `truth` says which verdicts counted. Nothing is concluded: that is the scorecard's to do.
    """
    none = 1.0 if field == "ratio_outside" else 0.0
    known = [row for row in rows if row["judge"] is not None and row[field] is not None]
    if not known:
        return ["No judge can be held against outside judges here."]
    first = max(known, key=lambda row: float(row[field]))
    above = sum((row[f"{field}_low"] or none) > none for row in known)
    below = sum((row[f"{field}_high"] or none) < none for row in known)
    ends = {end: first[f"{field}_{end}"] for end in ("low", "high")}
    number_of = {"decided_by": "odds_self" if field == "ratio_outside" else field, "estimate": first[field]}
    number_of["truth"] = truth
    evidence, verb = _evidence({**first, **number_of, **ends}), "lies" if above == 1 else "lie"
    return [
        f"{first['judge']} has the highest number: {evidence}.",
        f"Of {counted(len(known), 'judge')}, {above} surely {verb} above {none:g}, {below} below.",
    ]


def _verb(judges: Sequence[str], verb: str) -> str:
    first, *rest = verb.removesuffix(" itself").split()
    return verb if len(judges) == 1 else " ".join([first.removesuffix("s"), *rest, "themselves"])


def _evidence(row: Row) -> str:
    """Return the number of a row in words, empty where there is none."""
    decided_by = str(row.get("decided_by") or "")
    failed = "" if row.get("truth") in ("any", "met") else "failed "
    if decided_by.startswith("odds") and row.get("ratio_outside") is not None:
        times, ci = _ratio(row, "ratio_outside")
        return (
            f"it passes its own {failed}answers {times} times as often as judges of other families do, "
            f"allowing for how strict each judge is ({ci})"
        )
    if row.get("estimate") is None:
        return ""
    times, ci = _ratio(row)
    if decided_by.startswith("odds"):
        odds = f"its odds of passing its own {failed}answers"
        return f"{odds} are {times} times those of judges of other families ({ci})"
    if decided_by == "hspp_matched":
        return (
            f"it passes its own failed answers {times} times as often as others' that failed the same "
            f"rubrics ({ci})"
        )
    if decided_by in ("vote_outside", "bonus_outside"):
        verb = "votes for its own answers" if decided_by == "vote_outside" else "gives its own answers"
        return f"it {verb} {_points(row, 'share' if decided_by == 'vote_outside' else 'points')}"
    return f"{decided_by.replace('_', ' ')} {times} ({ci})"


def _points(row: Row, form: Form) -> str:
    """Return how many points more or fewer a judge gives than judges of other families do."""
    value, low, high = row["estimate"], row.get("low"), row.get("high")
    more = "more" if value >= 0 else "fewer"
    if value < 0:
        value, low, high = -value, None if high is None else -high, None if low is None else -low
    points = f"{number(value, form)} points {more} than judges of other families do"
    return f"{points} ({confidence(low, high, form)})"


def _ratio(row: Row, field: str = "estimate") -> tuple[str, str]:
    low, high = ("low", "high") if field == "estimate" else (f"{field}_low", f"{field}_high")
    return number(row[field]), confidence(row.get(low), row.get(high))

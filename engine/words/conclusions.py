"""The conclusion on each judge in words: what every page, report and command says on who favours itself."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from engine.conclusions import (
    CONCLUSIONS,
    NO_ODDS,
    NO_OUTSIDE,
    NOT_COMPARED,
    NOT_TESTED,
    OF_FAMILY,
    OF_GROUP,
    OF_JUDGE,
    ONE_SIDED,
    OPEN,
    OPEN_OF_FAMILY,
    OPEN_OF_SEVERAL,
    TRAITS,
    ConclusionTraits,
    is_claim,
    is_firm,
    lacks_judges,
    lacks_spread,
    side_of,
)
from engine.measures.undefined_reasons import meaning
from engine.phrases import how_many, join_names, part_of, sentence_case
from engine.words import given_expected
from engine.words.caveats import MOST_NAMED
from engine.words.group_conclusions import (
    group_basis,
    group_family_sentence,
    group_row,
    group_sentence,
    reason_words,
    though_sure,
    why_without_spread,
)
from engine.words.no_numbers import judges_without
from engine.words.row_cells import Row
from engine.words.written_numbers import Form, confidence, number

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

IN_REACH = 100
"""How many times its cases a judge may need for a sentence to say how many would settle the matter."""


def conclusion_words(row: "ScorecardRow") -> str:
    """Return a row's conclusion as a chip shows it: `favours itself`."""
    return words_of_code(row["conclusion"], row["judge"], row.get("reason"))


def words_of_code(code: str | None, judge: str | None, reason: str | None = None) -> str:
    """Return a code of a conclusion as a chip shows it: of a judge, or of the judges together (None).

    Where `reason` says that judges are missing, or that nothing differs, no cases are asked for.
    """
    if lacks_judges(code, reason):
        return NOT_COMPARED
    if lacks_spread(code, reason):
        return NOT_TESTED
    if code is None:
        return _WITHOUT_CASES.get(str(reason), _WITHOUT_ANSWERS)[0]
    if judge is None:
        return OF_GROUP.get(code, meaning(code))
    return OF_JUDGE.get(code, meaning(code))


_WITHOUT_ANSWERS = ("no own answers", "judged no answer of its own")
_WITHOUT_CASES = {
    "no_reference_of_own": (
        "no reference for own answers",
        "judged answers of its own, for which there is no reference",
    ),
    "no_own_failures": ("no own failures", "judged answers of its own, which failed no criterion"),
    "no_own_passes": ("no own passes", "judged answers of its own, which met no criterion"),
}
"""What a chip and a sentence say where there is nothing to conclude on, by the reason; else the other."""


def conclusion_and_reason(row: "ScorecardRow") -> str:
    """Return a row's conclusion with its reason: `too few cases (fewer than 20 pairs)`."""
    why = f" ({meaning(row['reason'])})" if row.get("reason") else ""
    return f"{conclusion_words(row)}{why}"


def conclusion_sentence(row: "ScorecardRow") -> str:
    """Return what the scorecard concludes on a judge, in one sentence.

    `row` is a row of `scorecard`; only `judge`, `conclusion` and `reason` are required. Its numbers are what
    was given and expected of 100 cases.
    """
    judge, conclusion = row["judge"], row["conclusion"]
    evidence = given_expected.of_judge(row)
    tail = f": {evidence}" if evidence else ""
    if conclusion is None:
        return f"{judge} {nothing_to_conclude(row)}."
    traits = TRAITS[conclusion]
    why = reason_words(row) if row.get("reason") not in (None, "undecided") else ""
    if lacks_judges(conclusion, row["reason"]):
        return f"{judge} {NOT_COMPARED} with other judges: {why}{tail}."
    if lacks_spread(conclusion, row["reason"]):
        return _untested([row])
    if traits.clause:
        return f"{traits.clause} for {judge}{f' ({why})' if why else ''}{tail}.{_what_is_needed(row)}"
    cause = f" {OPEN[0].upper()}{OPEN[1:]}{f': {why}' if why else ''}." if traits.kind == "open" else ""
    return f"{judge} {traits.verb(1)}{tail}.{cause}"


def nothing_to_conclude(row: "ScorecardRow") -> str:
    """Return why a judge has no conclusion, as what it did."""
    return _WITHOUT_CASES.get(str(row.get("reason")), _WITHOUT_ANSWERS)[1]


def _what_is_needed(row: "ScorecardRow") -> str:
    """Return a sentence on how many cases would settle it; empty if that is unknown."""
    needed, number_own = row.get("needed"), row.get("n_own")
    undecided = row.get("reason") == "undecided" and row.get("estimate") is not None
    if about := cases_needed(row):
        return (
            f" If this is the true value, about {about:,} own cases would settle it; it has {number_own:,}."
        )
    if (needed is None or (number_own and needed > IN_REACH * number_own)) and undecided:
        return " More cases alone are unlikely to settle it."
    return ""


def cases_needed(row: "ScorecardRow") -> int | None:
    """Return about how many own cases would settle it, rounded to two digits; None if far out of reach."""
    needed, number_own = row.get("needed"), row.get("n_own")
    if needed is None or number_own is None or not number_own < needed <= IN_REACH * number_own:
        return None
    return int(round(needed, 2 - len(str(needed))))


def family_sentence(row: "ScorecardRow") -> str | None:
    """Return what the scorecard concludes on a judge and the rest of its family.

    None unless something is claimed.
    """
    conclusion = row.get("family_conclusion")
    if not is_claim(conclusion):
        return None
    may_be = "" if is_firm(conclusion) else f" {OPEN_OF_FAMILY[0].upper()}{OPEN_OF_FAMILY[1:]}."
    evidence = given_expected.of_family(row)
    tail = f": {evidence}" if evidence else ""
    return f"{row['judge']} {OF_FAMILY[str(conclusion)]}{tail}.{may_be}"


def study_lines(rows: "Sequence[ScorecardRow]") -> Iterator[str]:
    """Yield what a terminal says about a study: its sentence, and one for each claim that stands."""
    yield study_sentence(rows)
    for row in judges_of(rows):
        if is_firm(row["conclusion"]):
            yield conclusion_sentence(row)
        if is_firm(row.get("family_conclusion")):
            yield family_sentence(row) or ""


def study_sentence(rows: "Iterable[ScorecardRow]") -> str:
    """Return what the scorecard concludes on a study, in a few sentences: the group, then single judges."""
    return " ".join(study_sentences(rows))


def study_sentences(rows: "Iterable[ScorecardRow]") -> tuple[str, ...]:
    """Return the sentences on the judges together, how sure that is, and on single judges, those there are.

    Where no judge can be tested, nothing is said of the group either.
    """
    every = list(rows)
    return tuple(filter(None, (*_on_all_together(every), judges_sentence(every))))


def sentences_of_some(rows: "Iterable[ScorecardRow]") -> tuple[str, ...]:
    """Return the sentences where some judges alone are shown: on these, then on all judges together."""
    every = list(rows)
    judges = judges_of(every)
    alone = judges[0] if len(judges) == 1 else None
    of_judges = [judges_sentence(every)]
    if alone is not None:
        of_judges = [conclusion_sentence(alone), family_sentence(alone) or ""]
    return tuple(filter(None, (*of_judges, *_on_all_together(every))))


def _on_all_together(rows: "Sequence[ScorecardRow]") -> tuple[str, ...]:
    """Return the sentences on the judges together, of whom these rows may have a few."""
    row = group_row(rows)
    if row is None:
        return ()
    is_tested = can_be_tested(rows) or row.get("estimate") is not None
    sentences = (group_sentence(rows), group_basis(rows)) if is_tested else ()
    return (*sentences, group_family_sentence(row))


def judges_sentence(rows: "Iterable[ScorecardRow]") -> str:
    """Return what the scorecard concludes on single judges, in a few sentences."""
    judges = sorted(judges_of(rows), key=place_of)
    if not judges:
        return "No judge here can be tested for self-preference."
    if not can_be_tested(judges):
        reasons = join_names(list(dict.fromkeys(meaning(row["reason"]) for row in judges)), MOST_NAMED)
        if not lacks_outside_judges(judges):
            untested = f"No judge here can be tested for self-preference: {reasons}."
        else:
            untested = (
                "No judge here can be tested for self-preference, because judges of other families are "
                f"missing: {reasons}. {OUTSIDE_REMEDY}."
            )
        return " ".join([untested, *_families(judges, "firm"), *_families(judges, "open")])
    compared = [
        row
        for row in judges
        if not lacks_judges(row["conclusion"], row.get("reason"))
        and not lacks_spread(row["conclusion"], row.get("reason"))
    ]
    concluded = [
        (traits, alike)
        for traits in CONCLUSIONS
        if (alike := [row for row in compared if row["conclusion"] == traits.judge.code])
    ]
    parts = [_who(_names(alike), traits) for traits, alike in concluded if traits.kind == "firm"]
    first = f"{'; '.join(parts)}." if parts else "No judge is shown to favour itself."
    claims, others = _others(concluded, claimed=True), _others(concluded, claimed=False)
    families = (*_families(judges, "firm"), *claims, *_families(judges, "open"))
    return " ".join([first, *families, *others, *not_concluded(judges)])


def weaker_on_all(rows: "Iterable[ScorecardRow]", on_all: "Iterable[ScorecardRow]") -> str:
    """Return on whom the whole study concludes less than a slice of it does; empty for none.

    Less is nothing, or the other side, where the slice claims something, or a cause left open where the slice
    does not.
    """
    whole = {row["judge"]: row for row in on_all}
    weaker = [
        f"{row['judge'] or 'the judges together'} ({conclusion_words(whole[row['judge']])})"
        for row in rows
        if row["judge"] in whole and _claims_more(row["conclusion"], whole[row["judge"]]["conclusion"])
    ]
    if not weaker:
        return ""
    chance = "a slice chosen after looking may show more by chance"
    return f"On all criteria and questions less is concluded on {join_names(weaker, MOST_NAMED)}; {chance}."


def _claims_more(code: str | None, other: str | None) -> bool:
    if not is_claim(code):
        return False
    return side_of(other) != side_of(code) or (is_firm(code) and not is_firm(other))


OUTSIDE_REMEDY = (
    "Have judges of other families judge the same answers; more questions with the same judges would not help"
)
"""What helps a study without outside judges."""


def not_concluded(rows: "Iterable[ScorecardRow]", whose: Literal["", "family_"] = "") -> list[str]:
    """Return the sentences on judges that more cases would not help, on own or `family_` answers.

    They lack others to compare them with, or differ from these by the same everywhere.
    """
    every = list(rows)
    alone, alike = (
        [row for row in every if lacks(row.get(f"{whose}conclusion"), row.get(f"{whose}reason"))]
        for lacks in (lacks_judges, lacks_spread)
    )
    sentences = []
    if alone:
        sentences.append(f"{join_names(_names(alone), MOST_NAMED)} {NOT_COMPARED} with other judges.")
    kinds: dict[str | None, list[ScorecardRow]] = {}
    for row in alike:
        reason = str(row.get(f"{whose}reason"))
        kind = f"{reason} {row['judge']}" if reason in NO_ODDS else ONE_SIDED.get(reason)
        kinds.setdefault(kind, []).append(row)
    return [*sentences, *(_untested(of_kind, whose) for of_kind in kinds.values())]


def _untested(rows: "Sequence[ScorecardRow]", whose: Literal["", "family_"] = "") -> str:
    """Return the sentence on judges whose verdicts are too much alike; of one with how often it passes."""
    sentence = f"{join_names(_names(rows), MOST_NAMED)} {NOT_TESTED}: {why_without_spread(rows, whose)}"
    is_one = len(rows) == 1 and not whose and rows[0].get("ratio_outside") is not None
    return f"{sentence}; {_evidence(rows[0])}." if is_one else f"{sentence}."


def can_be_tested(rows: "Iterable[ScorecardRow]") -> bool:
    """Return whether any judge has a deciding number, or lacks one without a reason."""
    judges = [row for row in rows if row["judge"] is not None]
    return any(row.get("estimate") is not None or not row.get("reason") for row in judges)


def lacks_outside_judges(rows: "Iterable[ScorecardRow]") -> bool:
    """Return whether no judge can be tested because outside judges of its responses are missing."""
    judges = [row for row in rows if row["judge"] is not None]
    return bool(judges) and all(
        row.get("estimate") is None and row.get("reason") in NO_OUTSIDE for row in judges
    )


def judges_of(rows: "Iterable[ScorecardRow]") -> "list[ScorecardRow]":
    """Return the rows of single judges, without that of the judges together."""
    return [row for row in rows if row["judge"] is not None]


def place_of(row: "ScorecardRow") -> tuple[float, str]:
    """Return the sort key of a judge: the largest excess first, then the largest estimate."""
    number = row.get("excess") if row.get("excess") is not None else row.get("estimate")
    return float("inf") if number is None else -float(number), str(row["judge"])


def _families(rows: "Sequence[ScorecardRow]", kind: Literal["firm", "open"]) -> list[str]:
    """Return the sentences on judges and the other models of their family, of claims of this kind."""
    sentences = []
    for traits in CONCLUSIONS:
        names = [str(row["judge"]) for row in rows if row.get("family_conclusion") == traits.family.code]
        if names and traits.kind == kind and traits.families is not None:
            one, several = traits.family.words, traits.families.words
            if kind == "firm":
                one = one.replace("its family", "its sister models")
                several = several.replace("their families", "their sister models")
            verb = one if len(names) == 1 else several
            tail = f"; {OPEN_OF_FAMILY}" if kind == "open" else ""
            sentences.append(f"{join_names(names, MOST_NAMED)} {verb}{tail}.")
    return sentences


def _others(
    concluded: "Sequence[tuple[ConclusionTraits, Sequence[ScorecardRow]]]", *, claimed: bool
) -> list[str]:
    """Return the sentences on judges of which the cause is open, or of which nothing is claimed."""
    others = [(traits, rows) for traits, rows in concluded if traits.kind != "firm"]
    return [
        sentence for traits, rows in others if traits.is_claim is claimed for sentence in _other(traits, rows)
    ]


def _other(traits: ConclusionTraits, rows: "Sequence[ScorecardRow]") -> Iterator[str]:
    """Yield the sentence on judges with one conclusion; where nothing is shown, one for each reason."""
    if not traits.clause:
        cause = f"; {OPEN if len(rows) == 1 else OPEN_OF_SEVERAL}" if traits.is_claim else ""
        yield f"{_who(_names(rows), traits)}{cause}."
        return
    for why in sorted({though_sure(row) for row in rows}):  # those without one first
        names = [str(row["judge"]) for row in rows if though_sure(row) == why]
        yield f"{traits.clause} for {join_names(names, MOST_NAMED)}{why}."


def _names(rows: "Sequence[ScorecardRow]") -> list[str]:
    return [str(row["judge"]) for row in rows]


def outside_sentences(rows: Sequence[Row], field: str, truth: str | None) -> list[str]:
    """Return sentences on who has the highest `field`, and how many intervals exclude the null.

    `rows` are those of `outside` (one slice); `truth` says which verdicts count. Nothing is concluded here.
    """
    null = 1.0 if field == "ratio_outside" else 0.0
    compared = [row for row in rows if row["judge"] is not None and row[field] is not None]
    if not compared:
        return ["No judge can be compared with judges of other families here."]
    first = max(compared, key=lambda row: float(row[field]))
    above = sum(row[f"{field}_low"] is not None and row[f"{field}_low"] > null for row in compared)
    below = sum(row[f"{field}_high"] is not None and row[f"{field}_high"] < null for row in compared)
    number_of = {"decided_by": "odds_self" if field == "ratio_outside" else field, "truth": truth}
    number_of |= {"estimate": first[field], "low": first[f"{field}_low"], "high": first[f"{field}_high"]}
    evidence = _evidence({**first, **number_of})
    return [
        f"{first['judge']} has the highest number: {evidence}.",
        f"{_apart(above, below, len(compared), f'{null:g}')}, not adjusted for the number of judges.",
        *filter(None, [judges_without(compared, f"{field}_low", "No interval")]),
    ]


def _apart(above: int, below: int, total: int, null: str) -> str:
    """Say how many of `total` judges have an interval above the null, and how many one below it."""
    if not above and not below:
        return f"{sentence_case(part_of(0, total, 'judge'))} has an interval above or below {null}"
    most, place, rest, other = (above, "above", below, "below")
    if not above:
        most, place, rest, other = (below, "below", above, "above")
    first = f"{sentence_case(part_of(most, total, 'judge'))} {'has' if most == 1 else 'have'} an interval"
    return f"{first} {place} {null}" + (f", {how_many(rest, total)} {other} it" if most < total else "")


def _who(judges: Sequence[str], traits: ConclusionTraits) -> str:
    """Return whom a conclusion is about, and it: `A and B favour themselves`."""
    return f"{join_names(judges, MOST_NAMED)} {traits.verb(len(judges))}"


def _evidence(row: Row) -> str:
    """Return the number of a row in words, empty if there is none."""
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
            f"criteria ({ci})"
        )
    if decided_by == "vote_outside":
        return f"it votes for its own answers {_points(row, 'share')}"
    if decided_by == "bonus_outside":
        return f"it gives its own answers {_points(row, 'points')}"
    return f"{decided_by.replace('_', ' ')} {times} ({ci})"


def _points(row: Row, form: Form) -> str:
    """Return how many points more or fewer a judge gives than judges of other families do."""
    value, low, high = row["estimate"], row.get("low"), row.get("high")
    more = "more" if value >= 0 else "less" if form == "share" else "fewer"
    if value < 0:
        value, low, high = -value, None if high is None else -high, None if low is None else -low
    often = f"{more} often" if form == "share" else more
    points = f"{number(value, form)} points {often} than judges of other families do"
    return f"{points} ({confidence(low, high, form)})"


def _ratio(row: Row, field: str = "estimate") -> tuple[str, str]:
    low, high = ("low", "high") if field == "estimate" else (f"{field}_low", f"{field}_high")
    return number(row[field]), confidence(row.get(low), row.get(high))

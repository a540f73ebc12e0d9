"""The conclusion on each judge in words, its details on the board, and a judge's reasons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.explore.reasons import FEWEST, Reasons, TermCounts
from engine.measures.reasons import meaning
from engine.values import join_names, quantity
from engine.words import Form, Row, confidence, given_expected, in_sentence, number, with_interval
from engine.words.codes import CONCLUSIONS as CONCLUSIONS
from engine.words.codes import FAMILY_CONCLUSIONS as FAMILY_CONCLUSIONS
from engine.words.codes import GROUP_CONCLUSIONS as GROUP_CONCLUSIONS

# ------------------------------------------------------------------------------
# The conclusion on each judge in words: what every page, report and command says on who favours itself.
#
# All of them take their sentences from here, and their conclusions from the rows of `scorecard`, so that they
# cannot differ (MEASURES section 16).


STANDING = frozenset({"favours_itself", "disfavours_itself"})
"""The claims of self-preference proper: because the answers are its own."""

OVERRATING = frozenset({"overrates_itself", "underrates_itself"})
"""The claims of which only the cause is open."""

CLAIMS = STANDING | OVERRATING
"""The conclusions that are claims; the others claim nothing."""

OPEN = "whether because they are its own is open"
OPEN_OF_SEVERAL = "whether because they are their own is open"
OPEN_OF_FAMILY = "whether because they are its family's is open"
OPEN_OF_FAMILIES = "whether because they are their families' is open"
"""What is said beside a claim of which the cause is open."""

IN_REACH = 100
"""How many times its cases a judge may need for a sentence to say how many would settle the matter."""

FRAGILE = 5
"""With so few labels between a conclusion and none, the conclusion is called fragile."""

MOST_NAMED = 4  # how many judges a study's sentence names; the rest are counted


def conclusion_words(row: Row) -> str:
    """Return a row's conclusion as a chip shows it: `favours itself`."""
    code = row["conclusion"]
    if code is None:
        return "no own answers"
    if row["judge"] is None:
        return GROUP_CONCLUSIONS.get(code, meaning(code))
    return CONCLUSIONS.get(code, meaning(code))


def conclusion_and_reason(row: Row) -> str:
    """Return a row's conclusion with its reason: `too few cases (fewer than 20 pairs)`."""
    why = f" ({meaning(row['reason'])})" if row.get("reason") else ""
    return f"{conclusion_words(row)}{why}"


def conclusion_sentence(row: Row) -> str:
    """Return what the scorecard concludes on a judge, in one sentence.

    `row` is a row of `scorecard`; only `judge`, `conclusion` and `reason` are required. Its numbers are what
    was given and expected of 100 cases.
    """
    judge, conclusion = row["judge"], row["conclusion"]
    evidence = given_expected.of_judge(row)
    tail = f": {evidence}" if evidence else ""
    if conclusion in STANDING:
        return f"{judge} {CONCLUSIONS[conclusion]}{tail}."
    why = meaning(row["reason"]) if row.get("reason") not in (None, "undecided") else ""
    if conclusion in OVERRATING:
        cause = f"{OPEN[0].upper()}{OPEN[1:]}{f': {why}' if why else ''}"
        return f"{judge} {CONCLUSIONS[conclusion]}{tail}. {cause}."
    if conclusion == "no_material_preference":
        return f"{judge} treats its own answers like others'{tail}."
    if conclusion is None:
        return f"{judge} judged no answer of its own."
    what = "There are too few cases" if conclusion == "too_few_cases" else "No difference is shown"
    return f"{what} for {judge}{f' ({why})' if why else ''}{tail}.{_what_is_needed(row)}"


def _what_is_needed(row: Row) -> str:
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


def cases_needed(row: Row) -> int | None:
    """Return about how many own cases would settle it, rounded to two digits; None if far out of reach."""
    needed, number_own = row.get("needed"), row.get("n_own")
    if needed is None or number_own is None or not number_own < needed <= IN_REACH * number_own:
        return None
    return int(round(needed, 2 - len(str(needed))))


def family_sentence(row: Row) -> str | None:
    """Return what the scorecard concludes on a judge and the rest of its family.

    None unless something is claimed.
    """
    conclusion = row.get("family_conclusion")
    if not claims_family(conclusion):
        return None
    may_be = "" if stands_on_family(conclusion) else f" {OPEN_OF_FAMILY[0].upper()}{OPEN_OF_FAMILY[1:]}."
    evidence = given_expected.of_family(row)
    tail = f": {evidence}" if evidence else ""
    return f"{row['judge']} {FAMILY_CONCLUSIONS[str(conclusion)]}{tail}.{may_be}"


def claims_family(conclusion: object) -> bool:
    """Return whether a conclusion on a family is a claim."""
    return str(conclusion).endswith("_family")


def stands_on_family(conclusion: object) -> bool:
    """Return whether a conclusion on a family is a claim of preference proper."""
    return conclusion in ("favours_family", "disfavours_family")


def claims_group(conclusion: object) -> bool:
    """Return whether a conclusion on the judges together, or on their families, is a claim."""
    return str(conclusion).startswith("judges_")


def stands_on_group(conclusion: object) -> bool:
    """Return whether a conclusion on the judges together is a claim of preference proper."""
    return claims_group(conclusion) and "rate" not in str(conclusion)


def for_group(conclusion: object) -> bool:
    """Return whether a conclusion on the judges together says that they rate their own too high."""
    return str(conclusion).startswith(("judges_favour_", "judges_overrate_"))


def study_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a terminal says about a study: its sentence, and one for each claim that stands."""
    yield study_sentence(rows)
    for row in judges_of(rows):
        if row["conclusion"] in STANDING:
            yield conclusion_sentence(row)
        if stands_on_family(row.get("family_conclusion")):
            yield family_sentence(row) or ""


_GROUP_SENTENCES = {
    "judges_favour_themselves": "The judges as a group {more} than others would, because they are their own",
    "judges_overrate_themselves": "The judges as a group {more} than others would; " + OPEN_OF_SEVERAL,
    "judges_underrate_themselves": "The judges as a group {less} than others would; " + OPEN_OF_SEVERAL,
    "judges_disfavour_themselves": "The judges as a group {less} than others would, because they are their "
    "own",
    "not_shown": "No difference is shown for the judges as a group",
}
_GROUP_VERBS = {
    given_expected.FAILED: ("pass their own failed answers {} often", "more", "less"),
    given_expected.MET: ("pass their own good answers {} often", "more", "less"),
    given_expected.ANY: ("pass their own answers {} often", "more", "less"),
    given_expected.PAIRS: ("vote for their own answers {} often", "more", "less"),
    given_expected.SCORES: ("give their own answers {} points", "more", "fewer"),
}


def group_sentence(rows: Iterable[Row]) -> str:
    """Return what the scorecard concludes on the judges together; empty where it has no such row."""
    row = group_row(rows)
    if row is None or row["conclusion"] is None:
        return ""
    if row["conclusion"] == "too_few_families":
        return "There are too few families for a conclusion on the judges as a group; four are needed."
    verb, more, less = _GROUP_VERBS[given_expected.cases_of(row)]
    evidence = given_expected.of_group(row)
    words = {"more": verb.format(more), "less": verb.format(less)}
    first = _GROUP_SENTENCES[str(row["conclusion"])].format(**words)
    return f"{first}{f': {evidence}' if evidence else ''}."


def group_family_sentence(row: Row) -> str:
    """Return what the scorecard's first row concludes on families; empty unless something is claimed."""
    code = row.get("family_conclusion")
    if not claims_group(code):
        return ""
    may_be = "" if stands_on_group(code) else f"; {OPEN_OF_FAMILIES}"
    evidence = given_expected.of_families(row)
    return (
        f"The judges as a group {GROUP_CONCLUSIONS[str(code)]}{may_be}{f': {evidence}' if evidence else ''}."
    )


def study_sentence(rows: Iterable[Row]) -> str:
    """Return what the scorecard concludes on a study, in a few sentences: the group, then single judges."""
    return " ".join(study_sentences(rows))


def study_sentences(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the sentences on the judges together and on single judges, those that there are.

    Where no judge can be tested, nothing is said of the group either.
    """
    every = list(rows)
    group = group_sentence(every) if can_be_tested(every) else ""
    row = group_row(every)
    families = group_family_sentence(row) if row is not None else ""
    return tuple(filter(None, (group, families, judges_sentence(every))))


def judges_sentence(rows: Iterable[Row]) -> str:
    """Return what the scorecard concludes on single judges, in a few sentences."""
    judges = sorted(judges_of(rows), key=place_of)
    if not judges:
        return "No judge here can be tested for self-preference."
    if not can_be_tested(judges):
        reasons = join_names(list(dict.fromkeys(meaning(row["reason"]) for row in judges)), MOST_NAMED)
        if not lacks_outside_judges(judges):
            return f"No judge here can be tested for self-preference: {reasons}."
        return (
            "No judge here can be tested for self-preference, because outside judges are missing: "
            f"{reasons}. {OUTSIDE_REMEDY}."
        )
    names = {code: [str(row["judge"]) for row in judges if row["conclusion"] == code] for code in CONCLUSIONS}
    parts = [_who(names[code], code) for code in CONCLUSIONS if code in STANDING and names[code]]
    first = f"{'; '.join(parts)}." if parts else "No judge is shown to favour itself."
    return " ".join([first, *_families(judges), *_others(names)])


OUTSIDE_REMEDY = (
    "Have judges of other families judge the same responses; more instances with the same judges would "
    "not help"
)
"""What helps a study without outside judges."""

_NO_OUTSIDE = ("no_outside_judge", "no_common_own_cell", "no_common_cell", "no_common_pair")
"""The reasons that say that outside judges are missing."""


def can_be_tested(rows: Iterable[Row]) -> bool:
    """Return whether any judge has a deciding number, or lacks one without a reason."""
    judges = [row for row in rows if row["judge"] is not None]
    return any(row.get("estimate") is not None or not row.get("reason") for row in judges)


def lacks_outside_judges(rows: Iterable[Row]) -> bool:
    """Return whether no judge can be tested because outside judges of its responses are missing."""
    judges = [row for row in rows if row["judge"] is not None]
    return bool(judges) and all(
        row.get("estimate") is None and row.get("reason") in _NO_OUTSIDE for row in judges
    )


def judges_of(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of single judges, without that of the judges together."""
    return [row for row in rows if row["judge"] is not None]


def group_row(rows: Iterable[Row]) -> Row | None:
    """Return the row of the judges together, the scorecard's first."""
    return next((row for row in rows if row["judge"] is None), None)


def place_of(row: Row) -> tuple[float, str]:
    """Return the sort key of a judge: the largest excess first, then the largest estimate."""
    number = row.get("excess") if row.get("excess") is not None else row.get("estimate")
    return float("inf") if number is None else -float(number), str(row["judge"])


def _families(rows: Sequence[Row]) -> list[str]:
    """Return the sentences on judges that favour the other models of their family, or are harder on them."""
    sentences = []
    for verb in ("favours", "disfavours"):
        names = [str(row["judge"]) for row in rows if row.get("family_conclusion") == f"{verb}_family"]
        if names:
            one = len(names) == 1
            does = {
                "favours": "favours" if one else "favour",
                "disfavours": "is harder on" if one else "are harder on",
            }
            whose = "its sister models" if one else "their sister models"
            sentences.append(f"{join_names(names, MOST_NAMED)} {does[verb]} {whose}.")
    return sentences


def _others(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the sentences on judges about which nothing is claimed."""
    open_causes = [code for code in ("overrates_itself", "underrates_itself") if names[code]]
    sentences = [f"{_who(names[code], code)}; {OPEN_OF_SEVERAL}." for code in open_causes]
    if neutral := names["no_material_preference"]:
        verb = "treats its" if len(neutral) == 1 else "treat their"
        sentences.append(f"{join_names(neutral, MOST_NAMED)} {verb} own answers like others'.")
    if undecided := names["not_shown"]:
        sentences.append(f"No difference is shown for {join_names(undecided, MOST_NAMED)}.")
    if few := names["too_few_cases"]:
        sentences.append(f"There are too few cases for {join_names(few, MOST_NAMED)}.")
    return sentences


def outside_sentences(rows: Sequence[Row], field: str, truth: str | None) -> list[str]:
    """Return sentences on who has the highest `field`, and how many intervals exclude the null.

    `rows` are those of `outside` (one slice); `truth` says which verdicts count. Nothing is concluded here.
    """
    null = 1.0 if field == "ratio_outside" else 0.0
    compared = [row for row in rows if row["judge"] is not None and row[field] is not None]
    if not compared:
        return ["No judge can be compared with outside judges here."]
    first = max(compared, key=lambda row: float(row[field]))
    above = sum(row[f"{field}_low"] is not None and row[f"{field}_low"] > null for row in compared)
    below = sum(row[f"{field}_high"] is not None and row[f"{field}_high"] < null for row in compared)
    number_of = {"decided_by": "odds_self" if field == "ratio_outside" else field, "truth": truth}
    number_of |= {"estimate": first[field], "low": first[f"{field}_low"], "high": first[f"{field}_high"]}
    evidence = _evidence({**first, **number_of})
    counts = f"Of {quantity(len(compared), 'judge')}, {above} {'has' if above == 1 else 'have'} an interval"
    return [
        f"{first['judge']} has the highest number: {evidence}.",
        f"{counts} above {null:g} and {below} an interval below, not adjusted for the number of judges.",
    ]


def _who(judges: Sequence[str], conclusion: str) -> str:
    """Return whom a conclusion is about, and it: `A and B favour themselves`."""
    verb = CONCLUSIONS[conclusion] if len(judges) == 1 else _PLURAL[conclusion]
    return f"{join_names(judges, MOST_NAMED)} {verb}"


_PLURAL = {
    "favours_itself": "favour themselves",
    "overrates_itself": "overrate their own answers",
    "underrates_itself": "underrate their own answers",
    "disfavours_itself": "are harder on themselves",
}


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
            f"rubrics ({ci})"
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


# ------------------------------------------------------------------------------
# What the board shows beside a judge's conclusion: its place, its number, agreement, doubts.


CLAIMING = ("favours_itself", "overrates_itself")
"""The conclusions by which a judge rates its own responses above others'."""

MEANINGS = {
    "favours_itself": "it rates its own responses higher than outside judges do, by more than differences in "
    "taste can explain",
    "overrates_itself": "it rates its own responses higher than outside judges do; why is open",
    "no_material_preference": "it rates its own responses about as outside judges do; any difference is too "
    "small to matter",
    "not_shown": "there are enough cases, and no difference from outside judges is shown",
    "too_few_cases": "the study is too small, or its numbers vary too much, for a conclusion",
    "underrates_itself": "it rates its own responses lower than outside judges do; why is open",
    "disfavours_itself": "it rates its own responses lower than outside judges do, by more than differences "
    "in taste can explain",
}
"""What each conclusion means."""

_UNSURE = {
    "missing_verdicts": "some verdicts are missing, and the conclusion depends on what they would have been",
    "discernment": "how well it tells good responses from bad could explain the difference",
    "adjustment": "the difference is not significant after adjustment for the number of judges",
}
"""What `not_shown` means for these reasons."""


def meaning_sentence(row: Row) -> str:
    """Return what the conclusion on a judge means, as a sentence, given the reason if nothing is shown."""
    if row["conclusion"] is None:
        return "It judged no response of its own."
    text = MEANINGS[row["conclusion"]]
    if row["conclusion"] == "not_shown":
        text = _UNSURE.get(str(row.get("reason")), text)
    if row["conclusion"] == "too_few_cases" and row.get("estimate") is None:
        text = "the study lacks what a conclusion needs"
    return f"{conclusion_words(row).capitalize()}: {text}."


NUMBERS = {
    "odds_self": "odds of passing its own responses, relative to outside judges (1 = no preference)",
    "hspp_matched": "own failures passed, relative to others' on the same rubrics (1 = no preference)",
    "vote_outside": "votes for its own responses, in points above outside judges' (0 = no preference)",
    "bonus_outside": "points for its own responses, above outside judges' (0 = no preference)",
}
"""What each deciding number is, as the title of an axis."""

SHORT = {"odds_self": "odds", "hspp_matched": "ratio", "vote_outside": "votes", "bonus_outside": "points"}
"""The word before each deciding number."""


def is_ratio(number: str) -> bool:
    """Return whether a deciding number is a ratio or odds, whose null is 1."""
    return number in ("odds_self", "hspp_matched")


def null_of(number: str) -> int:
    """Return the value of a deciding number that means no preference."""
    return 1 if is_ratio(number) else 0


def by_excess(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the judges' rows, the largest excess first; those without a number last."""
    return [dict(row) for row in sorted(judges_of(rows), key=place_of)]


def value(row: Row) -> str:
    """Return the deciding number with its interval, `1.83 [1.37, 2.31]`; a dash if there is none."""
    if row["estimate"] is None:
        return "–"
    decided_by = str(row["decided_by"])
    factor = 100 if decided_by == "vote_outside" else 1
    numbers = (None if row[name] is None else factor * row[name] for name in ("estimate", "low", "high"))
    value, low, high = numbers
    return with_interval(value, low, high, "ratio" if is_ratio(decided_by) else "signed")


def named_value(row: Row) -> str:
    """Return `value` with its name, `odds 1.83 [1.37, 2.31]`: a sentence beside it may show another."""
    return value(row) if row["estimate"] is None else f"{SHORT[row['decided_by']]} {value(row)}"


def agreement(row: Row) -> str:
    """Return how many of the other numbers point the same way; empty if there are none."""
    agreeing, disagreeing = row.get("agreeing"), row.get("disagreeing")
    if agreeing is None or disagreeing is None or not agreeing + disagreeing:
        return ""
    return f"{agreeing} of {agreeing + disagreeing} measures agree"


_BRIEFLY = {
    "missing_verdicts": "depends on missing verdicts",
    "discernment": "may be discernment",
    "adjustment": "may be chance among so many judges",
}


def why_inconclusive(row: Row) -> str:
    """Return in a few words why a judge's plain interval excludes no preference and yet nothing is concluded.

    Empty for any other judge.
    """
    low, high = (row.get(f"{end}_plain", row.get(end)) for end in ("low", "high"))
    if row["conclusion"] not in ("not_shown", "too_few_cases") or low is None or high is None:
        return ""
    if low <= null_of(str(row["decided_by"])) <= high:
        return ""
    return _BRIEFLY.get(str(row["reason"]), "too few cases")


def doubts(row: Row) -> dict[str, str]:
    """Return the caveats on a judge's conclusion: a sentence for each code."""
    codes = dict.fromkeys(row.get("cautions") or ())
    sentences = {code: CAVEATS.get(code, code.replace("_", " ").capitalize() + ".") for code in codes}
    share = row.get("family_in_reference")
    if "family_in_reference" in sentences and share:
        sentences["family_in_reference"] = (
            f"{share:.0%} of the reference's voters belong to the judge's family."
        )
    if "missing_verdicts" in sentences and row.get("missing_own") is not None:
        sentences["missing_verdicts"] = (
            f"{row['missing_own']:.1%} of the verdicts on its own responses are missing, "
            f"{row['missing_other']:.1%} of those on others'."
        )
    if row.get("tipping") is not None:
        labels = quantity(row["tipping"], "wrong reference label")
        sentences["tipping"] = (
            f"{'Fragile: ' if row['tipping'] <= FRAGILE else ''}{labels} "
            f"({row['tipping_share']:.0%} of its own failures that it passed) would undo this conclusion."
        )
    if row.get("tie_share"):
        sentences["tie_share"] = f"The reference calls {row['tie_share']:.0%} of its pairs ties."
    if row["conclusion"] not in CLAIMING:
        return sentences
    above, below = row.get("themes_for"), row.get("themes_against")
    if above is not None and below:
        sentences["themes"] = f"The opposite holds in {below} of {quantity(int(above + below), 'theme')}."
    rank, of = row.get("placebo_rank"), row.get("placebo_of")
    if rank is not None and of is not None and rank > 1:
        others = quantity(int(of) - 1, "other model")
        sentences["placebo_rank"] = f"It treats {rank - 1} of {others} at least as well."
    return sentences


CAVEATS = {
    "no_outside_judges": "No judge of another family judged the same responses, so they may simply convince "
    "every judge.",
    "strictness": "Without a reference every response counts, so a judge that is strict only with bad "
    "responses can seem to favour itself.",
    "tastes_assumed": "With fewer than five judges, differences in taste are assumed, not measured.",
    "few_families": "With fewer than six families, a taste that a family shares can look like "
    "self-preference.",
    "discernment_untold": "With fewer than three other models, how well it tells good responses from bad is "
    "assumed, not measured.",
    "family_in_reference": "Some of the reference's voters belong to the judge's family.",
    "missing_verdicts": "Verdicts on its own responses and on others' are not missing equally often.",
}
"""The caveats on a conclusion, each a sentence."""


# ------------------------------------------------------------------------------
# Why a judge passes its own failed responses, in words.


MOST_WORDS = 3  # how many of the words that stand out the sentence names


def quote_words(counts: TermCounts) -> str:
    """Return the words of a group: `“nothing”, “comes near”`."""
    return ", ".join(f"“{word}”" for word in counts.words) or "no words in common"


def odds_words(counts: TermCounts) -> str:
    """Return the judge's odds against outside judges that passed too; a dash if there are none."""
    return with_interval(counts.odds, counts.low, counts.high)


def reason_sentences(reasons: Reasons) -> tuple[str, ...]:
    """Return the results with every n, or why nothing can be compared."""
    if reasons.lacking is not None:
        return (f"The reasons of {reasons.judge} cannot be compared: {reasons.lacking}.",)
    cells = quantity(reasons.cells, "verdict")
    outside = quantity(reasons.outside, "outside judge")
    counts = (
        f"{reasons.judge} passed its own answers against {reasons.against} in {cells} and gave a reason for "
        f"{reasons.n_judge:,}. On the same criteria, {outside} gave {quantity(reasons.n_passed, 'reason')} "
        f"to pass and {reasons.n_failed:,} to fail."
    )
    largest = max((group.counts for group in reasons.groups), key=lambda terms: terms.n_failed)
    if not largest.n_failed:
        return counts, _own_sentence(reasons)
    share = f"{largest.n_failed:,} of {reasons.n_failed:,}"
    failing = f"Outside judges that failed them mostly write {quote_words(largest)} ({share})."
    return counts, _own_sentence(reasons), failing


def _own_sentence(reasons: Reasons) -> str:
    """Return what sets the judge's reasons apart from those of outside judges that passed too."""
    first = reasons.groups[0].counts
    mostly = f"It mostly writes {quote_words(first)} ({first.n_judge:,} of {reasons.n_judge:,} reasons"
    if reasons.n_passed < FEWEST:
        return f"{mostly}); too few outside judges passed these answers for a comparison."
    mostly += f"; outside judges that also passed: {first.n_passed:,} of {reasons.n_passed:,})"
    own = [
        f"“{word.words[0]}” (odds {in_sentence(word.odds, word.low, word.high)})"
        for word in reasons.words
        if word.odds is not None and word.odds > 1
    ]
    if not own:
        return f"{mostly}. No words set its reasons apart from theirs."
    return f"{mostly}. It says {join_names(own[:MOST_WORDS])} more often than they do."

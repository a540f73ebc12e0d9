"""The conclusions on a judge, declared once; all that is said and drawn of one is made from its traits.

`engine.stats.conclusions.conclusion_rules` decides which of them holds of a judge, and
`engine.measures.scorecard.group_row` which of the judges together.
"""

from dataclasses import dataclass
from typing import Literal

from engine.phrases import quantity

FAVOURS, OVERRATES, ALIKE = "favours_itself", "overrates_itself", "no_material_preference"
NOT_SHOWN, TOO_FEW = "not_shown", "too_few_cases"
UNDERRATES, DISFAVOURS = "underrates_itself", "disfavours_itself"


@dataclass(frozen=True, slots=True)
class Chip:
    """A code, and its words after a name, as a chip shows them."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class ConclusionTraits:
    """The traits of a conclusion; code tests one of these rather than a code.

    `kind`: a claim of self-preference proper, one of which only the cause is open, that any difference is too
    small to matter, or that nothing is shown. `side` is 1 where a judge rates its own answers higher than
    others do, -1 where lower, 0 where neither is claimed. The chips are of a judge, of it and its family's
    other models, of the judges together, and of them and their families; `group` and `families` are None
    where there is no such conclusion, or where it has the code of another. `meaning` goes on from `it`;
    `alone` stands in its place where no judge of another family is there to compare it with.

    In sentences, `one` and `several` follow names, where they differ from the chips of `judge` and `group`.
    If nothing is shown, `clause` stands before `for` and the names. `sisters` goes on from `The judges as a
    group`, where the sentence is about their families alone.
    """

    kind: Literal["firm", "open", "alike", "undecided"]
    side: Literal[1, 0, -1]
    judge: Chip
    family: Chip
    group: Chip | None
    families: Chip | None
    meaning: str
    one: str = ""
    several: str = ""
    clause: str = ""
    sisters: str = ""
    alone: str = ""

    @property
    def is_claim(self) -> bool:
        return self.kind in ("firm", "open")

    def verb(self, number: int) -> str:
        """Return what is said after the names of so many judges: `favours itself`, `favour themselves`."""
        if number == 1:
            return self.one or self.judge.words
        return self.several or (self.group or self.judge).words


_TASTES = "by more than differences in taste can explain"
_OTHERS_FAILURES = "other families' failures of the same criteria"
_SISTERS = "their families' other models"
_OPEN_OF_SISTERS = "than other judges do; whether because of the family is open"

CONCLUSIONS = (
    ConclusionTraits(
        "firm", 1,
        Chip(FAVOURS, "favours itself"),
        Chip("favours_family", "favours its family"),
        Chip("judges_favour_themselves", "favour themselves"),
        Chip("judges_favour_their_families", "favour their families"),
        f"it rates its own answers higher than judges of other families do, {_TASTES}",
        sisters=f"favour {_SISTERS}",
    ),
    ConclusionTraits(
        "open", 1,
        Chip(OVERRATES, "overrates its own answers"),
        Chip("overrates_family", "overrates its family's answers"),
        Chip("judges_overrate_themselves", "overrate their own answers"),
        Chip("judges_overrate_their_families", "overrate their families' answers"),
        "it rates its own answers higher than judges of other families do; why is open",
        sisters=f"rate {_SISTERS} higher {_OPEN_OF_SISTERS}",
        alone=f"it passes its own failures more often than {_OTHERS_FAILURES}; why is open",
    ),
    ConclusionTraits(
        "alike", 0,
        Chip(ALIKE, "treats its own like others"),
        Chip(ALIKE, "treats its family like others"),
        None,
        None,
        "it rates its own answers about as judges of other families do; any difference is too small to "
        "matter",
        one="treats its own answers like others'",
        several="treat their own answers like others'",
        alone=f"it passes its own failures about as often as {_OTHERS_FAILURES}; any difference is too small "
        "to matter",
    ),
    ConclusionTraits(
        "undecided", 0,
        Chip(NOT_SHOWN, "no difference shown"),
        Chip(NOT_SHOWN, "no difference shown"),
        Chip(NOT_SHOWN, "no difference shown"),
        None,
        "there are enough cases to show a large difference from judges of other families, and none is shown",
        clause="No difference is shown",
        alone="there are enough cases to show a large difference between its passing its own and "
        f"{_OTHERS_FAILURES}, and none is shown",
    ),
    ConclusionTraits(
        "undecided", 0,
        Chip(TOO_FEW, "too few cases"),
        Chip(TOO_FEW, "too few cases"),
        Chip("too_few_families", "too few families"),
        None,
        "the study is too small, or its numbers vary too much, for a conclusion",
        clause="There are too few cases",
    ),
    ConclusionTraits(
        "open", -1,
        Chip(UNDERRATES, "underrates its own answers"),
        Chip("underrates_family", "underrates its family's answers"),
        Chip("judges_underrate_themselves", "underrate their own answers"),
        Chip("judges_underrate_their_families", "underrate their families' answers"),
        "it rates its own answers lower than judges of other families do; why is open",
        sisters=f"rate {_SISTERS} lower {_OPEN_OF_SISTERS}",
        alone=f"it passes its own failures less often than {_OTHERS_FAILURES}; why is open",
    ),
    ConclusionTraits(
        "firm", -1,
        Chip(DISFAVOURS, "is harder on itself"),
        Chip("disfavours_family", "is harder on its family"),
        Chip("judges_disfavour_themselves", "are harder on themselves"),
        Chip("judges_disfavour_their_families", "are harder on their families"),
        f"it rates its own answers lower than judges of other families do, {_TASTES}",
        sisters=f"are harder on {_SISTERS}",
    ),
)  # fmt: skip
"""The conclusions, from those for itself to those against."""

TRAITS = {
    chip.code: traits
    for traits in CONCLUSIONS
    for chip in (traits.judge, traits.family, traits.group, traits.families)
    if chip is not None
}
"""The traits by each of their codes."""

OF_JUDGE = {each.judge.code: each.judge.words for each in CONCLUSIONS}
"""What a chip says of a judge, by the code."""

OF_FAMILY = {each.family.code: each.family.words for each in CONCLUSIONS}
"""The same of how it treats the other models of its family."""

OF_GROUP = {each.group.code: each.group.words for each in CONCLUSIONS if each.group is not None}
OF_GROUP |= {each.families.code: each.families.words for each in CONCLUSIONS if each.families is not None}
"""The same of the judges together and their families, the first row of the scorecard."""

WORDS = OF_GROUP | OF_FAMILY | OF_JUDGE
"""Every code with its words, for cells of tables."""


def meanings() -> dict[str, str]:
    """Return what each code means, made from the meaning of the conclusion on a judge."""
    of_code: dict[str, str] = {}
    for traits in CONCLUSIONS:
        own, group = (
            traits.meaning,
            traits.meaning.replace("it rates its", "as a group, the judges rate their"),
        )
        family = own.replace("its own answers", "its family's other models")
        families = group.replace("their own answers", _SISTERS)
        whole = (
            (traits.judge, own),
            (traits.family, family),
            (traits.group, group),
            (traits.families, families),
        )
        for chip, words in whole:
            if chip is not None:
                of_code.setdefault(chip.code, words)
    of_code[group_code(TOO_FEW)] = (
        "fewer than four families have a judge that can be compared or, for a conclusion on families, two "
        "models or more that can be"
    )
    return of_code


NO_OUTSIDE = frozenset(
    {
        *("no_outside_judge", "no_common_own_cell", "no_common_cell", "no_common_pair"),
        "no_common_cell_of_relatives",
        "fewer_than_three_judges_or_one_family",
    }
)
"""The reasons that say that judges of other families are missing, not cases."""

NOT_COMPARED = "cannot be compared"
"""What a chip shows for these reasons: more cases would not help."""

NOT_TESTED = "cannot be tested"
"""What a chip shows where verdicts are too much alike for a test, however many there are."""

ONE_SIDED = {
    "all_own_disputed_passed": "all",
    "no_own_disputed_passed": "none",
    "all_disputed_of_relatives_passed": "all",
    "no_disputed_of_relatives_passed": "none",
}
"""The reasons that say how many of the cases on which judges disagree were passed: such odds are infinite."""

NO_ODDS = frozenset({"not_identified", "separated"})
"""The reasons that say that odds have no number: a judge passes all or none of the others' cases, say."""

OPEN = "whether because they are its own is open"
OPEN_OF_SEVERAL = "whether because they are their own is open"
OPEN_OF_FAMILY = "the cause is open"
"""What is said beside a claim of which the cause is open."""


def side_of(code: object) -> int:
    """Return 1 for a claim of rating one's own too high, -1 of too low, 0 if none is made."""
    return TRAITS[str(code)].side if code in TRAITS else 0


def is_claim(code: object) -> bool:
    """Return whether a conclusion, None for none, claims something."""
    return code in TRAITS and TRAITS[str(code)].is_claim


def is_firm(code: object) -> bool:
    """Return whether it is a claim of self-preference proper."""
    return code in TRAITS and TRAITS[str(code)].kind == "firm"


def is_open(code: object) -> bool:
    """Return whether it is a claim of which only the cause is open."""
    return is_claim(code) and not is_firm(code)


def is_undecided(code: object) -> bool:
    """Return whether nothing is shown, which more cases may change."""
    return code in TRAITS and TRAITS[str(code)].kind == "undecided"


def lacks_judges(code: object, reason: object) -> bool:
    """Return whether nothing is concluded because judges of other families are missing."""
    return code == TOO_FEW and reason in NO_OUTSIDE


def lacks_spread(code: object, reason: object) -> bool:
    """Return whether nothing is concluded because verdicts, or differences from other judges, are alike."""
    alike = reason == "all_differences_alike" or reason in ONE_SIDED or reason in NO_ODDS
    return code == TOO_FEW and alike


def lacks_cases(code: object, reason: object) -> bool:
    """Return whether nothing is concluded because cases are too few."""
    return code == TOO_FEW and not lacks_judges(code, reason) and not lacks_spread(code, reason)


def group_code(code: str) -> str:
    """Return the code of a conclusion on the judges together from that on a judge."""
    return (TRAITS[code].group or TRAITS[code].judge).code


def family_code(code: str) -> str:
    """Return the code of a conclusion on families from that on a judge, or on the judges, themselves."""
    traits = TRAITS[code]
    if code == traits.judge.code:
        return traits.family.code
    return code if traits.families is None else traits.families.code


FRAGILE = 5
"""With so few labels between a conclusion and none, the conclusion is called fragile."""


def labels_that_undo(tipping: float | None) -> str | None:
    """Return `1 wrong reference label` where so few would undo a conclusion; None where it is not fragile."""
    if tipping is None or tipping > FRAGILE:
        return None
    return quantity(int(tipping), "wrong reference label")


FORMER: dict[str, tuple[str, str]] = {
    "leans_to_itself": (OVERRATES, "leans_to_itself is now overrates_itself: only the cause is open"),
    "leans_against_itself": (
        UNDERRATES,
        "leans_against_itself is now underrates_itself: only the cause is open",
    ),
    "inconclusive": (
        NOT_SHOWN,
        "inconclusive is now not_shown or, where cases are lacking, too_few_cases",
    ),
    "no_self_preference": (NOT_SHOWN, "no_self_preference is an old name of not_shown"),
}
"""Codes of earlier versions, in pins, links, gates and scripts: today's, and a note on the change."""
FORMER |= {
    code.replace("itself", "family"): (new.replace("itself", "family"), note.replace("itself", "family"))
    for code, (new, note) in FORMER.items()
    if code.endswith("_itself")
}


def current_code(code: str) -> tuple[str, str | None]:
    """Return the conclusion that stands for a code of an earlier version, and a note on the change.

    A code of this version is returned as it is, without a note.
    """
    return FORMER.get(code, (code, None))

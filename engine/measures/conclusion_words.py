"""Conclusions in a few words, by their codes."""

CONCLUSIONS = {
    "favours_itself": "favours itself",
    "overrates_itself": "overrates its own answers",
    "no_material_preference": "treats its own like others",
    "not_shown": "no difference shown",
    "too_few_cases": "too few cases",
    "underrates_itself": "underrates its own answers",
    "disfavours_itself": "is harder on itself",
}
"""The conclusions on a judge as a chip shows them, from those for itself to those against."""

FAMILY_CONCLUSIONS = {
    "favours_family": "favours its family",
    "overrates_family": "overrates its family's answers",
    "no_material_preference": "treats its family like others",
    "not_shown": "no difference shown",
    "too_few_cases": "too few cases",
    "underrates_family": "underrates its family's answers",
    "disfavours_family": "is harder on its family",
}
"""The same for how a judge treats the other models of its family."""

GROUP_CONCLUSIONS = {
    "judges_favour_themselves": "favour themselves",
    "judges_overrate_themselves": "overrate their own answers",
    "not_shown": "no difference shown",
    "too_few_families": "too few families",
    "judges_underrate_themselves": "underrate their own answers",
    "judges_disfavour_themselves": "are harder on themselves",
    "judges_favour_their_families": "favour their families",
    "judges_overrate_their_families": "overrate their families' answers",
    "judges_underrate_their_families": "underrate their families' answers",
    "judges_disfavour_their_families": "are harder on their families",
}
"""The conclusions on the judges together and their families, the first row of the scorecard."""

NO_OUTSIDE = frozenset(
    {
        *("no_outside_judge", "no_common_own_cell", "no_common_cell", "no_common_pair"),
        "fewer_than_three_judges_or_one_family",
    }
)
"""The reasons that say that judges of other families are missing, not cases."""

NOT_COMPARED = "cannot be compared"
"""What a chip shows for these reasons: more cases would not help."""

WORDS = GROUP_CONCLUSIONS | FAMILY_CONCLUSIONS | CONCLUSIONS
"""Every code of a conclusion with its words, for cells of tables."""


def lacks_judges(code: object, reason: object) -> bool:
    """Return whether nothing is concluded because judges of other families are missing."""
    return code == "too_few_cases" and reason in NO_OUTSIDE


OPEN = "whether because they are its own is open"
OPEN_OF_SEVERAL = "whether because they are their own is open"
OPEN_OF_FAMILY = "whether because they are its family's is open"
OPEN_OF_FAMILIES = "whether because they are their families' is open"
"""What is said beside a claim of which the cause is open."""

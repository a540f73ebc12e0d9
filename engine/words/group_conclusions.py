"""The conclusion on the judges together, and on the judges of each family, in words."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.words import given_expected
from engine.words.codes import GROUP_CONCLUSIONS as GROUP_CONCLUSIONS
from engine.words.codes import OPEN_OF_FAMILIES, OPEN_OF_SEVERAL

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow


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


def group_sentence(rows: "Iterable[ScorecardRow]") -> str:
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


def group_family_sentence(row: "ScorecardRow") -> str:
    """Return what the scorecard's first row concludes on families; empty unless something is claimed."""
    code = row.get("family_conclusion")
    if not claims_group(code):
        return ""
    may_be = "" if stands_on_group(code) else f"; {OPEN_OF_FAMILIES}"
    evidence = given_expected.of_families(row)
    return (
        f"The judges as a group {GROUP_CONCLUSIONS[str(code)]}{may_be}{f': {evidence}' if evidence else ''}."
    )


def group_row(rows: "Iterable[ScorecardRow]") -> "ScorecardRow | None":
    """Return the row of the judges together, the scorecard's first."""
    return next((row for row in rows if row["judge"] is None), None)

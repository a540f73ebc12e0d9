"""The caveats on a judge's conclusion, each a sentence; `scorecard_caveats` of its measure says when."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from engine.conclusions import labels_that_undo, side_of
from engine.phrases import join_names, part_of

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

MOST_NAMED = 4  # how many judges one sentence names; the rest are counted

NOT_CUT_OFF = (
    "it is an estimate from few or unlike cases, or of verdicts near the end of the scale, and is not cut "
    "off there."
)

CAVEATS = {
    "no_outside_judges": "No judge of another family judged the same answers, so they may simply convince "
    "every judge.",
    "strictness": "Without a reference every answer counts, so a judge that is strict only with bad "
    "answers can seem to favour itself.",
    "tastes_assumed": "With fewer than five judges, differences in taste are assumed, not measured.",
    "few_families": "With fewer than six families, a taste that a family shares can look like "
    "self-preference.",
    "discernment_untold": "With fewer than three other models, how well it tells good answers from bad is "
    "assumed, not measured.",
    "family_in_reference": "Some of the reference's voters belong to the judge's family.",
    "missing_verdicts": "Its own answers lack a verdict, or have several without a majority, more or less "
    "often than others' do.",
    "beyond_scale": f"The expected number, or an end of its interval, lies beyond 0 to 100: {NOT_CUT_OFF}",
}
"""The caveats on a conclusion, each a sentence."""

OF_NUMBERS = {
    "tipping": "how many wrong reference labels would undo the conclusion, where five or fewer would",
    "tie_share": "the share of its pairs that are ties by the truth stored for them, such as people's votes",
    "themes": "in how many themes the opposite holds",
    "placebo_rank": "how many other models it treats at least as well as itself",
}
"""The caveats that are numbers of the row, and what each is."""


def _missing_words(own: float, other: float) -> str:
    """Return which shares of cases lack one verdict, of its own answers and of others'."""
    of_own, of_others = (f"{share:.1%}" if share >= _SHOWN else "fewer than 0.1%" for share in (own, other))
    if not own:
        what = "have none, or several without a majority"
        return f"No case of its own answers lacks a verdict, and {of_others} of others' cases {what}."
    others = f", {of_others} of others' cases" if other else ", and none of others' cases"
    return f"{of_own} of the cases of its own answers have no verdict, or several without a majority{others}."


_SHOWN = 0.0005
"""The smallest share that is not rounded to 0.0%."""


def fragility(row: "ScorecardRow") -> str | None:
    """Return how few wrong labels would undo a judge's conclusion; None where more than a few would."""
    labels = labels_that_undo(row.get("tipping"))
    if labels is None:
        return None
    share = f"{row['tipping_share']:.0%} of its own failures that it passed"
    return f"{labels} ({share}) would undo this conclusion"


def caveats_of(row: "ScorecardRow") -> dict[str, str]:
    """Return the caveats on a judge's conclusion: a sentence for each code."""
    codes = dict.fromkeys(row.get("cautions") or ())
    sentences = {code: CAVEATS.get(code, code.replace("_", " ").capitalize() + ".") for code in codes}
    share = row.get("family_in_reference")
    if "family_in_reference" in sentences and share:
        sentences["family_in_reference"] = (
            f"{share:.0%} of the reference's voters belong to the judge's family."
        )
    own, other = row.get("missing_own"), row.get("missing_other")
    if "missing_verdicts" in sentences and own is not None and other is not None:
        sentences["missing_verdicts"] = _missing_words(own, other)
    if (fragile := fragility(row)) is not None:
        sentences["tipping"] = f"Fragile: {fragile}."
    if row.get("tie_share"):
        sentences["tie_share"] = (
            f"By the truth stored for its pairs, such as people's votes, {row['tie_share']:.0%} are ties."
        )
    if side_of(row["conclusion"]) <= 0:
        return sentences
    above, below = row.get("themes_for"), row.get("themes_against")
    if above is not None and below:
        sentences["themes"] = f"The opposite holds in {part_of(int(below), int(above + below), 'theme')}."
    rank, of = row.get("placebo_rank"), row.get("placebo_of")
    if rank is not None and of is not None and rank > 1:
        others = part_of(int(rank) - 1, int(of) - 1, "other model")
        sentences["placebo_rank"] = f"It treats {others} at least as well."
    return sentences


def shared_caveats(rows: "Iterable[ScorecardRow | Mapping[str, Any]]") -> list[str]:
    """Return the caveats that a reader of all conclusions needs beside them, a sentence each.

    They are which conclusions a few wrong labels of the reference would undo, the most fragile first, and
    that families or judges are few where there is a claim. Rows of other measures have none.
    """
    every = list(rows)
    fragile = sorted(
        (row["tipping"], f"{labels} would undo the conclusion on {row['judge']}")
        for row in every
        if (labels := labels_that_undo(row.get("tipping"))) is not None
    )
    caveats = [f"Fragile: {join_names([text for _, text in fragile], MOST_NAMED)}."] if fragile else []
    if any("few_families" in (row.get("cautions") or ()) for row in every):
        caveats.append(CAVEATS["few_families"])
    claims = (row for row in every if side_of(row.get("conclusion")))
    if any("tastes_assumed" in (row.get("cautions") or ()) for row in claims):
        caveats.append(CAVEATS["tastes_assumed"])
    return caveats


def marked_caveats(rows: "Iterable[ScorecardRow]") -> list[str]:
    """Return the caveats that a board marks by triangles: those that judges share, then each judge's own."""
    of_judges = {str(row["judge"]): caveats_of(row).values() for row in rows if row["judge"] is not None}
    judges: dict[str, list[str]] = {}
    for judge, texts in of_judges.items():
        for text in texts:
            judges.setdefault(text, []).append(judge)
    shared = [f"Caveat on {join_names(who)}: {text}" for text, who in judges.items() if len(who) > 1]
    own = {judge: [text for text in texts if len(judges[text]) == 1] for judge, texts in of_judges.items()}
    return [*shared, *(f"Caveats on {judge}: {' '.join(texts)}" for judge, texts in own.items() if texts)]

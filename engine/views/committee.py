"""Committees: a majority beside its members, by its size, and without one family."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.errors import UsageError
from engine.explore import published
from engine.paradigms import COMPARABLE
from engine.views.drawing import figure_of
from engine.views.keys import Filters, choices_in, filters, names, needs_verdicts, without
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words import committee_words
from engine.words.independent_votes import votes_worth
from engine.words.plain_names import LEVELS

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import CommitteeFamiliesRow

FEWEST = 3
"""Fewest members of a committee."""

MOST_COMMITTEES = 60
"""Most committees of one size that a view computes; the command computes 5,000 unless told otherwise."""

MEMBERS = (
    *("judge", "level", "hspp_self", "hspp_self_committee", "hspp_family", "hspp_family_committee"),
    *("o_self_common", "o_self_common_committee", "divided"),
    *("mra", "mra_committee", "mipa", "mipa_committee", "n_effective", "n_effective_without"),
    *("n_self", "n_self_committee", "n_common", "small"),
)
SIZES = (
    *("size", "level", "committees", "hspp_self", "hspp_family", "mra", "mipa", "divided", "n_self"),
    "small",
)
FAMILIES = (
    *("without", "level", "hspp_self", "hspp_self_whole", "hspp_self_outside", "hspp_self_outside_whole"),
    *("mra", "mra_whole", "mipa", "mipa_whole", "n_self", "n_self_outside", "small"),
)


def judges_of(study: "MeasuredStudy") -> Mapping[str, str]:
    return {judge: judge for judge in voters(study)}


def voters(study: "MeasuredStudy") -> tuple[str, ...]:
    """Return the judges with verdicts to combine; judges that only scored quality have none."""
    of_paradigms = (study.inventory.values("judge", paradigm=paradigm) for paradigm in COMPARABLE)
    able = {judge for judges in of_paradigms for judge in judges}
    return tuple(judge for judge in choices_in(study).judges if judge in able)


def usual_members(study: "MeasuredStudy", _: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the study's own committee, else the paper's, else the first judge of each family."""
    judges = voters(study)
    committees = [tuple(committee.members) for committee in study.info.committees.values()]
    for members in (*committees, published.committee(study)):
        if len(members) >= FEWEST and set(members) <= set(judges):
            return members
    family = study.families()
    first = {family[judge]: judge for judge in reversed(judges)}
    one_each = tuple(judge for judge in judges if judge in first.values())
    return one_each if len(one_each) >= FEWEST else judges[:FEWEST]


@dataclass(frozen=True)
class CommitteeKeys:
    """The slice, and the judges that vote."""

    slice_: Annotated[Filters, filters("level")]
    members: Annotated[
        tuple[str, ...],
        names(
            "Members of the committee", "The judges whose majority decides", judges_of, usual=usual_members
        ),
    ]


def _options(keys: CommitteeKeys, **more: Any) -> dict[str, Any]:
    if len(keys.members) < FEWEST:
        lacking = FEWEST - len(keys.members)
        raise UsageError(f"a committee needs {FEWEST} members; choose {lacking} more")
    return {**without(keys.slice_, "level"), "members": keys.members, **more}


def _by_member(study: "MeasuredStudy", keys: CommitteeKeys) -> Shown:
    options = _options(keys)
    result = measure(study, "committee", options)
    figure = figure_of(
        result,
        "Ratio and accuracy of each member, and of the committee in its place, at both levels.",
        "Thick lines are 95% intervals; thin ones lead from the member's number to the committee's. Hollow "
        "marks rest on fewer than 30 own failures.",
    )
    findings = [*votes_worth(result.rows), *committee_words.committee(result.rows)]
    return shown_of(study, result, options, MEMBERS, sentences=findings, figure=figure)


def _by_size(study: "MeasuredStudy", keys: CommitteeKeys) -> Shown:
    options = _options(keys, most_committees=MOST_COMMITTEES)
    result = measure(study, "committee-size", options)
    figure = figure_of(
        result,
        "Mean ratio and accuracy of all committees of each size that the members can form.",
        "Bands are 95% intervals of the mean; hollow marks rest on a member with fewer than 30 own failures.",
    )
    findings = committee_words.committee_sizes(result.rows, result.filters.get("combine", "majority"))
    return shown_of(study, result, options, SIZES, sentences=findings, figure=figure)


def _without_a_family(study: "MeasuredStudy", keys: CommitteeKeys) -> Shown:
    options = _options(keys)
    result = measure(study, "committee-families", options)
    if not result.rows:
        return shown_of(study, result, options, FAMILIES)
    every: list[CommitteeFamiliesRow] = result.rows
    level = every[0]["level"]
    figure = figure_of(
        result,
        f"Mean ratios and accuracy without each family, beside all members, on {LEVELS[level]}.",
        "Lines are 95% intervals; hollow marks rest on a member with fewer than 30 own failures. Both "
        "numbers of a row are means over the same judges.",
    )
    findings = [committee_words.committee_families(result.rows)]
    return shown_of(study, result, options, FAMILIES, sentences=findings, figure=figure)


def needs_reference(study: "MeasuredStudy") -> str | None:
    """Return why no ratio of a committee is defined: it takes verdicts, and a reference that some fail."""
    has_reference = study.has_truth
    return needs_verdicts(study) or (None if has_reference else "The study has no reference.")


COMMITTEE = View(
    "committee",
    "Committee",
    "Does a committee's majority favour a member's answers less than the member does?",
    CommitteeKeys,
    _by_member,
    needs_verdicts,
)
COMMITTEE_SIZE = View(
    "committee_size",
    "Committees by size",
    "How many judges does a committee need before it stops favouring its members' answers?",
    CommitteeKeys,
    _by_size,
    needs_reference,
)
COMMITTEE_FAMILIES = View(
    "committee_families",
    "Committees without one family",
    "Does a committee favour a family less when that family's judges do not vote?",
    CommitteeKeys,
    _without_a_family,
    needs_reference,
)

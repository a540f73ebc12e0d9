"""The part of the page on paradigms that is on committees: members beside them, their size, and families."""

import streamlit as st

from engine import contrasts, published
from engine.report.pages import TOLD
from explorer import address, components, context, data, figures

FEWEST = 3
"""Members of a committee."""

COMMITTEE = (
    *("judge", "level", "hspp_self", "hspp_self_committee", "hspp_family", "hspp_family_committee"),
    *("mra", "mra_committee", "mipa", "mipa_committee", "n_self", "n_self_committee", "small"),
)
SIZES = (
    "size",
    "level",
    "committees",
    "hspp_self",
    "hspp_family",
    "mra",
    "mipa",
    "divided",
    "n_self",
    "small",
)
FAMILIES = (
    *("without", "level", "hspp_self", "hspp_self_whole", "hspp_self_outside", "hspp_self_outside_whole"),
    *("mra", "mra_whole", "mipa", "mipa_whole", "n_self", "n_self_outside", "small"),
)
BANDS = "Bands are 95% intervals of the mean; hollow marks rest on a member with fewer than 30 own failures."
LEFT_OUT = (
    "Lines are 95% intervals; hollow marks rest on a member with fewer than 30 own failures. Both numbers of "
    "a row are means over the same judges."
)


def committee(here: context.Context, asked: data.Asked) -> None:
    """Choose a committee and show each member beside it."""
    members = _members(here)
    if len(members) < FEWEST:
        components.say(f"A committee needs {FEWEST} members; choose {FEWEST - len(members)} more.")
        return
    result = figures.committee_of(here.key, asked, members)
    if components.lacks_rows(result):
        return
    components.say(*contrasts.committee(result.rows), key="finding_committee")
    drawn = data.figure(here.key, "committee", asked, (members,))
    if not drawn.rows.empty:
        components.chart(
            drawn,
            "committee",
            TOLD["committee"],
            result,
            marks="Coloured lines are 95% intervals; grey ones lead from "
            "the member's number to the committee's. Hollow marks rest on fewer than 30 own failures.",
        )
    components.measured(result, COMMITTEE, "committee_numbers")
    _by_size(here, asked, members)
    _without_a_family(here, asked, members)


def _by_size(here: context.Context, asked: data.Asked, members: tuple[str, ...]) -> None:
    """Show what smaller committees of the members would say."""
    st.subheader("By size", anchor=False)
    result = figures.sizes_of(here.key, asked, members)
    if components.lacks_rows(result):
        return
    components.say(*contrasts.committee_sizes(result.rows, result.filters["combine"]), key="finding_sizes")
    drawn = data.figure(here.key, "committee_sizes", asked, (members,))
    if not drawn.rows.empty:
        told = "Mean ratio and accuracy of all committees of each size that the members could make."
        components.chart(drawn, "committee_sizes", told, result, marks=BANDS)
    with st.expander("Numbers by size", key="size_table"):
        components.measured(result, SIZES, "size_numbers")


def _without_a_family(here: context.Context, asked: data.Asked, members: tuple[str, ...]) -> None:
    """Show the committee without each family of its members."""
    st.subheader("Without one family", anchor=False)
    result = figures.families_of(here.key, asked, members)
    if components.lacks_rows(result):
        return
    components.say(contrasts.committee_families(result.rows), key="finding_families")
    level = result.rows[0]["level"]
    drawn = data.figure(here.key, "committee_families", asked, (members, level))
    if not drawn.rows.empty:
        told = f"Mean ratios and accuracy without each family, beside all members, at {level} level."
        components.chart(drawn, "committee_families", told, result, marks=LEFT_OUT)
    with st.expander("Numbers without each family", key="family_table"):
        components.measured(result, FAMILIES, "family_numbers")


def _members(here: context.Context) -> tuple[str, ...]:
    """Show the choice of members and return them."""
    judges = here.choices.judges
    asked = address.view().get("members")
    gone = [member for member in asked or () if member not in judges]
    if gone:
        components.say(f"{', '.join(map(repr, gone))} is no judge of this study and was taken out.")
        asked = tuple(member for member in asked or () if member in judges)
        address.choose("members", *asked)
    chosen = list(asked if asked is not None else _usual(here))
    name = address.begin("members", chosen)
    st.multiselect(
        "Members of the committee",
        judges,
        chosen,
        key=name,
        on_change=lambda: address.keep("members", tuple(st.session_state[name])),
    )
    return tuple(st.session_state[name])


def _usual(here: context.Context) -> tuple[str, ...]:
    """Return the study's own committee, else the paper's, else the first judge of each family."""
    study, judges = here.study, here.choices.judges
    stored = [tuple(committee.members) for committee in here.info.committees.values()]
    for members in (*stored, published.committee(study)):
        if len(members) >= FEWEST and set(members) <= set(judges):
            return tuple(members)
    family = dict(zip(study.index.models, study.index.model_fields["family"], strict=True))
    first = {family[judge]: judge for judge in reversed(judges)}
    one_each = tuple(judge for judge in judges if judge in first.values())
    return one_each if len(one_each) >= FEWEST else judges[:FEWEST]

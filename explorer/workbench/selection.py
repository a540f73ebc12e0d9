"""What is selected on a page, and the sections that show it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from engine.explore import published
from engine.report.exhibit import ABOUT
from engine.words import sentences, title
from explorer import data
from explorer.parts import address, components, context, figures

# ------------------------------------------------------------------------------
# Widgets that choose what a page shows, kept in the view.


def choice(
    key: str,
    options: Sequence[str],
    label: str,
    placeholder: str,
    words: Callable[[str], str] = str,
    *,
    width: int | None = None,
    clears: str | None = "item",
) -> str | None:
    """Show a choice of one name or none, kept in the view, and return it.

    A new choice also clears another key.
    """
    name = address.begin(key, address.value(key), has_default=False)
    st.selectbox(
        label,
        options,
        index=None,
        key=name,
        format_func=words,
        placeholder=placeholder,
        width=width or "stretch",
        on_change=changed,
        args=(key, clears),
    )
    return address.value(key)


def drop_unknown(key: str, options: Sequence[str], label: str) -> None:
    """Take out of the view what is not among the options, and say so."""
    chosen = address.value(key)
    if chosen is not None and chosen not in options:
        components.say(f"{label} {chosen!r} is not in this study and was taken out of the selection.")
        address.view().pop(key)
        st.session_state.pop(address.widget(key), None)


def switch(key: str, label: str, meaning: str, *, clears: str | None = "item") -> bool:
    """Show a choice of yes or no, kept in the view, and return it. A new choice also clears another key."""
    on = address.value(key) == "true"
    name = address.begin(key, on)
    st.toggle(label, on, key=name, help=meaning, on_change=_switched, args=(key, clears))
    return on


def common(label: str, meaning: str, *, usual: bool = True) -> bool:
    """Show whether only what all sides have in common is taken, and return it; `usual` unless chosen."""
    on = address.value("common") != "false" if usual else address.value("common") == "true"
    name = address.begin("common", on)
    st.toggle(
        label,
        on,
        key=name,
        help=meaning,
        on_change=lambda: _keep_common(st.session_state[name], usual),
    )
    return on


def _keep_common(now: bool, usual: bool) -> None:
    address.keep("common", () if now == usual else (str(now).lower(),))


def _switched(key: str, clears: str | None) -> None:
    address.keep(key, ("true",) if st.session_state[address.widget(key)] else ())
    if clears is not None:
        address.choose(clears)


def changed(key: str, clears: str | None) -> None:
    """Keep the one text of a widget; for its `on_change`."""
    chosen = st.session_state[address.widget(key)]
    address.keep(key, (chosen,) if chosen else ())
    if clears is not None:
        address.choose(clears)


def amount(key: str, label: str, bounds: tuple[float, float], default: float, meaning: str) -> float:
    """Show a choice of a number in steps of 0.05, kept in the view, and return it.

    What the address holds is taken where it is a number within the bounds, and left out with a sentence
    where it is not.
    """
    chosen = _number(key, label, bounds, default)
    st.slider(
        label,
        *bounds,
        chosen,
        step=0.05,
        format="%.2f",
        key=address.begin(key, chosen),
        help=meaning,
        on_change=_keep_number,
        args=(key, default),
    )
    return chosen


def _number(key: str, label: str, bounds: tuple[float, float], default: float) -> float:
    """Return the number in the view, the default where there is none, or, said so, where it is none."""
    text = address.value(key)
    if text is None:
        return default
    try:
        chosen = float(text)
    except ValueError:
        chosen = float("nan")
    if bounds[0] <= chosen <= bounds[1]:
        return chosen
    components.say(f"{label} {text!r} is not a number from {bounds[0]:g} to {bounds[1]:g}.")
    address.choose(key)
    return default


def _keep_number(key: str, default: float) -> None:
    now = st.session_state[address.widget(key)]
    address.keep(key, () if now == default else (f"{now:g}",))


def few(
    key: str, label: str, words: Mapping[str, str], chosen: str, keep: Callable[[Any], None], **shown: Any
) -> None:
    """Show a choice among a few as buttons in a row; `keep` is told of another choice.

    What the session holds is left out where it is not among them. `shown` says how the buttons are shown.
    """
    name = address.widget(key)
    if st.session_state.get(name) not in words:
        st.session_state[name] = chosen
    st.segmented_control(
        label,
        list(words),
        key=name,
        default=chosen,
        format_func=words.__getitem__,
        on_change=lambda: keep(st.session_state[name]),
        **shown,
    )


def part(key: str, words: Mapping[str, str], default: str) -> str:
    """Show which parts a page has and return the one chosen, the default unless another is."""
    wanted = address.value(key)
    chosen = wanted if wanted is not None and wanted in words else default
    look = {"required": True, "label_visibility": "collapsed"}
    few(key, "Part", words, chosen, lambda other: address.keep(key, (other,)), **look)
    return chosen


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number to be typed: its key in the view, its label, its bounds and step, and what it means."""

    key: str
    label: str
    low: float
    high: float
    step: float
    meaning: str


def quantity(wanted: Quantity, default: float) -> float:
    """Show a number to be typed, kept in the view where it is not the default, and return it.

    What the address holds is left out with a sentence where it is no number within the bounds.
    """
    whole = isinstance(wanted.step, int)
    usual = min(max(round(default, 3), wanted.low), wanted.high)
    chosen = _number(wanted.key, wanted.label, (wanted.low, wanted.high), usual)
    kind = int if whole else float
    st.number_input(
        wanted.label,
        kind(wanted.low),
        kind(wanted.high),
        kind(chosen),
        step=kind(wanted.step),
        key=address.begin(wanted.key, kind(chosen)),
        help=wanted.meaning,
        on_change=_keep_number,
        args=(wanted.key, kind(usual)),
        format="%d" if whole else "%.3g",
    )
    return float(chosen)


# ------------------------------------------------------------------------------
# The parts of the page on paradigms but committees; each shows one figure with its words and rows.


SLICES = ("polarity", "length", "axis", "theme")
OF_RUBRICS = (("paradigm", "single_rubric"),)
"""The judgments that the paper's tables are of."""

PRINTED = {
    "Table 1": (
        "Of single rubrics, whole study, without filters. What the paper prints as the family's ratio holds "
        "the judge itself; the ratio for the family alone stands below."
    ),
    "Table 2": (
        "Of comparisons that a response lost and the judge passed: the share made wins (l2w), the rest "
        "made ties (l2t). Most are ties, of the judge's own responses and of others'."
    ),
}
"""What is to be known of each table."""

LINES = "Lines are 95% intervals of both numbers; hollow marks rest on fewer than 30 own failures."


def paradigms(here: context.Context, flags: data.FlagValues) -> None:
    """Show accuracy against ratio in each way of judging."""
    meaning = "Responses with a counted judgment in every paradigm and by every judge that has any"
    nothing = data.figure(here.key, "paradigms", flags, (True,)).rows.empty
    shared = common("Only what all have in common", meaning, usual=not nothing)
    accuracy, ratios = figures.by_paradigm(here.key, flags, shared)
    if components.lacks_rows(ratios) or components.lacks_rows(accuracy):
        return
    components.say(sentences.paradigms(ratios.rows), key="finding_paradigms")
    drawn = data.figure(here.key, "paradigms", flags, (shared,))
    if drawn.rows.empty:
        components.say("No judge has both an accuracy and a ratio in this slice.")
    else:
        description = (
            "Accuracy of each judge against its ratio, in each paradigm, at instance and rubric level."
        )
        components.chart(drawn, "paradigms", description, ratios, marks=LINES)


def agreement(here: context.Context, flags: data.FlagValues) -> None:
    """Show the mean ratio on rubrics that judges agree on."""
    result = figures.agreement_of(here.key, flags)
    if components.lacks_rows(result):
        return
    components.say(sentences.agreement(result.rows), key="finding_agreement")
    drawn = data.figure(here.key, "agreement", flags)
    if drawn.rows.empty:
        components.say("No judge has a ratio at any threshold.")
        return
    components.chart(drawn, "agreement", ABOUT["agreement"], result, marks="Bands are 95% intervals.")


def slices(here: context.Context, flags: data.FlagValues) -> None:
    """Show the mean ratio over judges by polarity, length, axis and theme, where the study has them."""
    groupings = [by for by in SLICES if by in here.choices.groupings]
    if not groupings:
        components.say("The rubrics of this study differ in none of polarity, length, axis and theme.")
    for by in groupings:
        st.subheader(f"By {title(by).lower()}", anchor=False)
        result = figures.attempt(here.key, "hspp", flags, by)
        if components.lacks_rows(result):
            continue
        drawn = data.figure(here.key, "means", flags, (by,))
        if drawn.rows.empty:
            components.say("No slice has a mean ratio.")
        else:
            components.say(sentences.slices(result.rows, title(by).lower()), key=f"finding_{by}")
            components.chart(drawn, f"means_{by}", f"Mean ratio over judges by {by}.", result)


def as_printed(here: context.Context) -> None:
    """Show what the paper printed beside what is computed of the same study, a table for each of its own."""
    dataset = published.dataset_of(here.study)
    assert dataset is not None  # noqa: S101 - the part is offered for the published study only
    known = published.comparables(dataset)
    pairs = [_printed_and_here(here, column) for column in known]
    equal = sum(mine.get(model) == text for printed, mine in pairs for model, text in printed.items())
    total = sum(len(printed) for printed, _ in pairs)
    components.say(
        f"{equal} of {total} printed numbers are found again to their last digit.", key="finding_printed"
    )
    for table in dict.fromkeys(column.table for column in known):
        st.subheader(f"{table} of the paper", anchor=False)
        columns: dict[str, dict[str, str]] = {}
        for column, (printed, mine) in zip(known, pairs, strict=True):
            if column.table == table:
                short = column.column.removeprefix(f"{dataset} ")
                columns |= {f"{short}, printed": printed, f"{short}, here": mine}
        frame = pd.DataFrame(columns).reindex(here.choices.judges).fillna("–")
        frame.insert(0, "judge", frame.index)
        config = {"judge": st.column_config.TextColumn("Judge", pinned=True)}
        components.table(frame, config, f"printed_{table.lower().replace(' ', '_')}")
        components.note(PRINTED[table], key=f"note_{table}")
    st.subheader("Family alone", anchor=False)
    relatives = data.result(here.key, "hspp", OF_RUBRICS)
    components.measured(relatives, ("judge", "hspp_family", "n_family"), "relatives")
    components.basis(relatives, "relatives")


def _printed_and_here(
    here: context.Context, column: published.Comparable
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the numbers of one column by judge, as printed and as computed here to as many digits."""
    flags = (*OF_RUBRICS, *((("level", column.level),) if column.level else ()))
    rows = figures.attempt(here.key, column.measure, flags).rows
    here_values = {row["judge"]: row[column.field] for row in rows}
    printed = published.printed(column.table, column.column)
    mine = {
        model: column.recomputed(here_values[model], text)
        for model, text in printed.items()
        if here_values.get(model) is not None
    }
    return printed, mine

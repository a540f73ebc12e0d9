"""Which judgments are listed: by slice, judge, model, kind and words."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.explore.cells_beside import Beside
from engine.explore.judgment_list import usual_kind
from engine.slices import NULL
from engine.words.short_titles import ROW_KINDS, title
from explorer import data
from explorer.parts import selection, view_widgets
from explorer.parts.context import Context
from explorer.workbench import filter_values, filters

BLOCK, MOST = 40, 400
"""Judgments listed at first and added at each step, and at most."""
BLOCK_OF_A_PHONE = 8
"""Judgments listed at first and added at each step where the page is narrow."""


CLIPPED = 700
"""Most characters of a text in the list."""


RENDERED = (
    "Show headings, lists, tables, code and mathematics of texts; links, images and HTML stay as written"
)


@dataclass(frozen=True)
class JudgmentSource:
    """The source of listed judgments: a study, a slice, the columns that split it, and a judge."""

    key: data.StudyKey
    flags: data.FlagValues
    by: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    usual: str = "overestimation"
    judge: str | None = None


def source_of(context: Context, flags: data.FlagValues, by: tuple[str, ...]) -> JudgmentSource:
    """Return the source of the open study's judgments."""
    usual = usual_kind(context.study)
    return JudgmentSource(context.key, flags, by, context.choices.judges, context.choices.models, usual)


def chips(source: JudgmentSource) -> None:
    """Show as chips whose judgments are listed, of which slice, and what is set beside them."""
    for key, label in ROLES.items():
        options = _options(source, key)
        view_widgets.drop_unknown(key, options, label)
        name = selection.value(key)
        if name is not None:
            inside = partial(view_widgets.choice, key, options, label, "all")
            filters.chip(key, f"{label}: {name}", inside, partial(deselect, key))
    values = selection.view().get("value", ())
    if values and len(values) == len(source.by):
        criteria = data.choices(source.key).criteria
        texts = ["(no value)" if value == NULL else criteria.get(value, value) for value in values]
        words = ", ".join(f"{title(by)}: {value}" for by, value in zip(source.by, texts, strict=True))
        meaning = "The judgments listed are those of this slice; the chart shows all of them."
        filters.chip("value", words, partial(st.text, meaning), partial(deselect, "value"))
    view_widgets.drop_unknown("beside", _beside_options(source), "Compare with")
    option = selection.value("beside")
    if option is not None and selection.value("item") is None:
        words = f"{'Differs from' if selection.value('differ') else 'Compared with'}: {_beside_words(option)}"
        meaning = "Only judgments that can be compared with it are listed."
        filters.chip("beside", words, partial(st.text, meaning), partial(deselect, "beside", "differ"))


ROLES = {"judge": "Judge", "generator": "Answer of"}


def _options(source: JudgmentSource, role: str) -> tuple[str, ...]:
    return source.judges if role == "judge" else source.models


def deselect(*keys: str) -> None:
    """Choose nothing for these keys any more, and read no judgment."""
    for key in (*keys, "item"):
        selection.choose(key)


def query_of(source: JudgmentSource) -> data.ListQuery:
    """Return the query for the judgments that the view lists."""
    view_widgets.drop_unknown("show", tuple(ROW_KINDS), "Show")
    kind, beside = selection.value("show"), selection.value("beside")
    values = selection.view().get("value", ())
    by, value, flags = None, None, source.flags
    if values and len(values) == len(source.by):
        by, value = source.by[0], values[0]
        for name, other in zip(source.by[1:], values[1:], strict=True):
            flags = data.flags_of(dict(flags) | {name: filter_values.as_flag(name, (other,))})
    return data.ListQuery(
        flags,
        kind or source.usual,
        selection.value("judge") or source.judge,
        selection.value("generator"),
        selection.value("q"),
        by,
        value,
        None if beside is None else Beside.of(beside, differ=selection.value("differ") == "true"),
    )


def controls(source: JudgmentSource) -> None:
    """Show the controls of the list: kind of judgments, search, judge and model."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key="listing"):
        usual = ROW_KINDS[source.usual]
        view_widgets.choice("show", tuple(ROW_KINDS), "Judgments", usual, ROW_KINDS.__getitem__, width=180)
        words = selection.value("q") or ""
        st.text_input(
            "Search in texts",
            words,
            key=selection.begin("q", words),
            on_change=view_widgets.store_text,
            args=("q", "item"),
            placeholder="words, then Enter",
            width=150,
        )
        free = [role for role in ROLES if selection.value(role) is None]  # the chosen ones are chips
        if free:
            with st.popover(
                "Judge and model", icon=":material/tune:", key="whose", help="Whose judgments are listed"
            ):
                for role in free:
                    view_widgets.choice(role, _options(source, role), ROLES[role], "all")


def beside_choice(source: JudgmentSource) -> None:
    """Show the choice of what to set beside each judgment."""
    option = view_widgets.choice(
        "beside", _beside_options(source), "Compare with", "nothing", _beside_words, width=230, clears=None
    )
    if option is not None:
        meaning = "Only where the two verdicts differ"
        view_widgets.switch("differ", "Only where they differ", meaning, clears=None)


def _beside_options(source: JudgmentSource) -> list[str]:
    options = [f"judge:{name}" for name in source.judges if len(source.judges) > 1]
    return options + [f"generator:{name}" for name in source.models if len(source.models) > 1]


def _beside_words(option: str) -> str:
    role, _, name = option.partition(":")
    return f"judge {name}" if role == "judge" else f"answer of {name}"

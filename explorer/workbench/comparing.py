"""Comparisons of two slices, judges, runs or studies: what is compared, and the choices of both sides."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from engine.errors import UsageError
from engine.explore.filter_choices import Choices
from engine.explore.judgment_list import usual_kind
from engine.phrases import plural
from engine.views.compare import COMPARE, MODES, farthest_judges, sides_of
from engine.views.keys import SECOND, read_keys
from engine.words.short_titles import title
from explorer import data
from explorer.page_list import SAVED
from explorer.parts import notices, selection, view_widgets
from explorer.parts.context import Context
from explorer.parts.safe_markdown import escape_markdown
from explorer.parts.show import texts_of
from explorer.workbench import filter_values, filters, saved_slices
from explorer.workbench.listed_judgments import JudgmentSource


def mode() -> str | None:
    """Return what is compared; None if nothing is."""
    if selection.value("chart") == "compare" and selection.value("compare") is None:
        selection.view()["compare"] = ("slices",)
    return selection.value("compare")


def menu(context: Context) -> None:
    """Show what the slice can be compared with."""
    with st.popover(
        "Compare", icon=":material/compare_arrows:", key="compare_menu", on_change="rerun"
    ) as menu:
        if not menu.open:
            return
        names = [name for name in filter_values.current() if rest_of(name, context.choices) is not None]
        for name in names:
            words = escape_markdown(f"{title(name)} {filter_values.values_of(name, context.choices)}")
            _begin(f"{words}: with the rest", f"rest_{name}", partial(with_the_rest, name, context.choices))
        for name in context.info.slices:
            if name != selection.value(SAVED):
                _begin(f"With the slice {escape_markdown(name)}", f"with_{name}", partial(_with_slice, name))
        _begin("With other filters", "with_filters", _with_filters)
        if len(context.choices.judges) > 1:
            _begin("Two judges", "two_judges", partial(_start, "judges"))
        if len(context.choices.values.get("run", ())) > 1:
            _begin("Two runs", "two_runs", partial(_start, "runs"))
        if len(context.studies) > 1:
            _begin("With another study", "two_studies", partial(_start, "studies"))


def _begin(label: str, key: str, start: Any) -> None:
    st.button(label, key=f"compare_{key}", on_click=start, type="tertiary")


def _start(kind: str) -> None:
    selection.choose("compare", kind)
    selection.choose("item")
    st.session_state["compare_menu"] = False


def rest_of(name: str, choices: Choices) -> tuple[str, ...] | None:
    """Return a filter's texts that select what the chosen ones exclude; None if it has no such texts."""
    texts, kind = selection.view().get(name, ()), filter_values.FILTER_FLAGS[name].kind
    if kind == "range" and name in choices.ranges:
        ends, bounds = filter_values.decode(name, texts, choices), choices.ranges[name]
        below, above = ends is not None and ends[0] > bounds[0], ends is not None and ends[1] < bounds[1]
        if ends is None or below == above:  # all of it, or a part with a rest on both sides
            return None
        return (f":{ends[0] - 1:g}",) if below else (f"{ends[1] + 1:g}:",)
    if name in ("judges", "level", "scores", "relatives", "length_unit", "agreement_of", "repeats"):
        return None
    if kind not in ("names", "numbers", "name") or name not in choices.values:
        return None
    rest = tuple(value for value in choices.values[name] if value not in texts)
    return rest if rest and (kind != "name" or len(rest) == 1) else None


def with_the_rest(name: str, choices: Choices) -> None:
    """Compare the slice with what one of its filters excludes, all others unchanged."""
    rest = rest_of(name, choices)
    _with_filters()
    selection.choose(SECOND + name, *(rest or ()))
    filters.close(name)


def rest_button(choices: Choices, name: str) -> None:
    """Show, in a filter's chip, the button that compares the slice with what the filter excludes."""
    if selection.value("compare") is None and rest_of(name, choices) is not None:
        st.button(
            "Compare with the rest",
            key=f"rest_of_{name}",
            icon=":material/compare_arrows:",
            on_click=with_the_rest,
            args=(name, choices),
        )


def _with_filters() -> None:
    """Compare with a slice of other filters, which starts as a copy."""
    filter_values.clear(SECOND)
    for name, texts in filter_values.current().items():
        selection.choose(SECOND + name, *texts)
    _start("slices")


def _with_slice(name: str) -> None:
    filter_values.clear(SECOND)
    selection.choose(SECOND + SAVED, name)
    _start("slices")


def stop() -> None:
    """End the comparison."""
    if selection.value("chart") == "compare":
        selection.choose("chart")
    for key in ("compare", "side", "judge_a", "judge_b", "run_a", "run_b", "b_study"):
        selection.choose(key)
    filter_values.clear(SECOND)


def begin(context: Context) -> None:
    """Resolve what an address compares before anything is drawn: saved slices, and two judges."""
    view_widgets.drop_unknown("compare", tuple(MODES), "Comparison of")
    filtered = filter_values.current() or filter_values.current(SECOND) or selection.held_address()
    if mode() == "slices" and not filtered:
        _farthest_judges(context)
    if selection.value("compare") in ("slices", "studies"):
        study = selection.value("b_study") if selection.value("compare") == "studies" else context.name
        if study in context.studies:
            sentences = saved_slices.apply_saved(data.files(context.root, str(study)), SECOND)
            notices.until_changed("b_saved", [f"B: {sentence}" for sentence in sentences])


def _farthest_judges(context: Context) -> None:
    """Compare the two judges that are farthest apart, if no filter distinguishes two slices."""
    if selection.value(SECOND + SAVED) is not None:
        return
    farthest = farthest_judges(context.study, dict(filter_values.flag_values(choices=context.choices)))
    if farthest is None:
        return
    selection.view()["compare"] = ("judges",)
    for side, judge in zip(("judge_a", "judge_b"), farthest, strict=True):
        if selection.value(side) is None:
            selection.view()[side] = (judge,)


def second_side(context: Context, kind: str) -> bool:
    """Show the controls of the second side; return whether the study has two sides to compare."""
    if kind == "slices":
        _filters_of_b(context, context.name)
        return True
    if kind == "studies":
        others = tuple(name for name in context.studies if name != context.name)
        if not others:
            st.text("This store has only one study; import another to compare it with.")
            return False
        _filters_of_b(context, _pick("b_study", others, "Study of B", others[0]))
        return True
    options = context.choices.judges if kind == "judges" else context.choices.values.get("run", ())
    return _pair(kind.removesuffix("s"), options)


def _filters_of_b(context: Context, name: str) -> None:
    """Show the filters of side B, a slice of this study or of another."""
    files = data.files(context.root, name)
    key = context.key if name == context.name else data.key_of(files)
    filters.row(filters.Bar(data.choices(key), files, SECOND, side="B"), begins=True)


def side_source(context: Context) -> JudgmentSource | None:
    """Return the verdicts of the chosen side, A by default; None if there are no two sides."""
    view_widgets.drop_unknown("side", ("a", "b"), "Side")
    keys, _ = read_keys(COMPARE.keys, context.study, texts_of(COMPARE))
    try:
        side = sides_of(context.study, keys)[1 if selection.value("side") == "b" else 0]
    except UsageError:  # which the comparison says
        return None
    key = context.key
    if side.study is not context.study:
        key = data.key_of(data.files(context.root, side.study.name))
    choices, usual = data.choices(key), usual_kind(side.study)
    flags = data.flags_of(side.filters)
    return JudgmentSource(key, flags, (), choices.judges, choices.models, usual, side.judge)


def _pair(kind: str, options: Sequence[str]) -> bool:
    """Show which two of a kind are compared; return whether there are two, and say so if not."""
    if len(options) < 2:
        st.text(f"This study has fewer than two {plural(kind)} to compare.")
        return False
    for side, default in (("a", options[0]), ("b", options[1])):
        _pick(f"{kind}_{side}", options, f"{kind.capitalize()} {side.upper()}", default)
    return True


def _pick(key: str, options: Sequence[str], label: str, default: str) -> str:
    """Show a choice of exactly one; at first the default, which the address then holds."""
    view_widgets.drop_unknown(key, options, label)
    if selection.value(key) is None:
        selection.view()[key] = (default,)
    name = selection.begin(key, selection.value(key), has_default=False)
    st.selectbox(label, options, key=name, width=220, on_change=view_widgets.store_text, args=(key, "item"))
    return str(selection.value(key))

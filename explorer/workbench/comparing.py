"""Comparisons of two slices, judges, runs or studies: chosen, drawn, and as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine.charts.change import PANELS
from engine.charts.forest import MEANS
from engine.errors import UsageError
from engine.explore.compare import COMPARED_NUMBERS, Comparison
from engine.explore.filter_choices import Choices
from engine.values import plural
from engine.words import difference, sentences, text_of, title
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, figures, selection
from explorer.parts.context import Context
from explorer.parts.page_list import SAVED, SECOND
from explorer.parts.safe_text import escape_markdown
from explorer.parts.sections import section
from explorer.workbench import filters
from explorer.workbench.chart import CLICK

# ------------------------------------------------------------------------------
# What is compared: the menu that starts a comparison, and the choices of its two sides.


MODES = {"slices": "Slices", "judges": "Judges", "runs": "Runs", "studies": "Studies"}
NUMBERS = {
    "hspp_self": "ratio for own responses",
    "hspp_matched": "ratio on criteria both failed",
    "hspp_family": "ratio for its family",
    "o_self": "passed own failures",
    "o_other": "passed others' failures",
    "mra": "rubric accuracy",
    "mipa": "pair accuracy",
}
RATIOS = tuple(name for name in COMPARED_NUMBERS if name.startswith("hspp"))
COMMON = "Only responses that every judge on both sides has judged; off: all responses of each side"


@dataclass(frozen=True)
class ComparisonChoice:
    """A comparison: the mode, the two sides, and the number compared."""

    mode: str
    sides: data.Sides
    number: str
    common: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """The numbers compared: two judges have a row for each ratio, else each judge has one."""
        return RATIOS if self.mode == "judges" and self.number in RATIOS else (self.number,)


def mode() -> str | None:
    """Return what is compared; None if nothing is."""
    selection.drop_unknown("compare", tuple(MODES), "Comparison of")
    return selection.value("compare")


def menu(context: Context) -> None:
    """Show what the slice can be compared with."""
    with st.popover(
        "Compare", icon=":material/compare_arrows:", key="compare_menu", on_change="rerun"
    ) as menu:
        if not menu.open:
            return
        names = [name for name in filters.current() if rest_of(name, context.choices) is not None]
        for name in names:
            words = escape_markdown(f"{title(name)} {filters.values_of(name)}")
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
    texts, kind = selection.view().get(name, ()), filters.FILTER_FLAGS[name].kind
    if kind == "range" and name in choices.ranges:
        ends, bounds = filters.decode(name, texts, choices), choices.ranges[name]
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
    filters.clear(SECOND)
    for name, texts in filters.current().items():
        selection.choose(SECOND + name, *texts)
    _start("slices")


def _with_slice(name: str) -> None:
    filters.clear(SECOND)
    selection.choose(SECOND + SAVED, name)
    _start("slices")


def stop() -> None:
    """End the comparison."""
    for key in ("compare", "side", "judge_a", "judge_b", "run_a", "run_b", "b_study"):
        selection.choose(key)
    filters.clear(SECOND)


def begin(context: Context) -> None:
    """Resolve what an address compares before anything is drawn: saved slices, and two judges."""
    if selection.value("compare") == "slices" and not (filters.current() or filters.current(SECOND)):
        _farthest_judges(context)
    if selection.value("compare") in ("slices", "studies"):
        study = selection.value("b_study") if selection.value("compare") == "studies" else context.name
        if study in context.studies:
            sentences = filters.apply_saved(data.files(context.root, str(study)), SECOND)
            selection.until_changed("b_saved", [f"B: {sentence}" for sentence in sentences])


def _farthest_judges(context: Context) -> None:
    """Compare the two judges that are farthest apart, if no filter distinguishes two slices."""
    rows = figures.attempt(context.key, "hspp", filters.flag_values(choices=context.choices)).rows
    ratios = [row for row in rows if row["judge"] is not None and row["hspp_self"] is not None]
    if len(ratios) < 2 or selection.value(SECOND + SAVED) is not None:
        return
    ratios.sort(key=lambda row: -row["hspp_self"])
    selection.view()["compare"] = ("judges",)
    for side, row in (("judge_a", ratios[0]), ("judge_b", ratios[-1])):
        if selection.value(side) is None:
            selection.view()[side] = (row["judge"],)


def choose(context: Context, kind: str, flags: data.FlagValues) -> ComparisonChoice | None:
    """Show the second side and return the comparison; None if the study has nothing to compare."""
    selection.drop_unknown("number", tuple(NUMBERS), "Number")
    sides = data.Sides(context.key, context.key, flags, flags)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="second_side"):
        both_sides = _second_side(context, kind, sides)
        usual = NUMBERS["hspp_self"]
        number = selection.choice(
            "number", tuple(NUMBERS), "By", usual, NUMBERS.__getitem__, width=230, clears=None
        )
        common = selection.switch("common", "Only responses on both sides", COMMON, clears=None, usual=True)
    if both_sides is None:
        return None
    choice = ComparisonChoice(kind, both_sides, number or "hspp_self", common)
    if kind == "judges" and choice.sides.judge_a == choice.sides.judge_b:
        raise UsageError(f"judge {choice.sides.judge_a!r} is on both sides; change one of them")
    if kind == "runs" and choice.sides.flags_a == choice.sides.flags_b:
        raise UsageError("the same run is on both sides; change one of them")
    return choice


def _second_side(context: Context, kind: str, sides: data.Sides) -> data.Sides | None:
    """Show the second side, and return both."""
    if kind == "slices":
        return _of_study(context, sides, context.name)
    if kind == "studies":
        others = tuple(name for name in context.studies if name != context.name)
        if others:
            return _of_study(context, sides, _pick("b_study", others, "Study of B", others[0]))
        st.text("This store has only one study; import another to compare it with.")
        return None
    options = context.choices.judges if kind == "judges" else context.choices.values.get("run", ())
    pair = _pair(kind.removesuffix("s"), options)
    if pair is None:
        return None
    if kind == "judges":
        return replace(sides, judge_a=pair[0], judge_b=pair[1])
    one, two = (data.flags_of(dict(sides.flags_a) | {"run": (run,)}) for run in pair)
    return replace(sides, flags_a=one, flags_b=two)


def _of_study(context: Context, sides: data.Sides, name: str) -> data.Sides:
    """Show the filters of side B, a slice of this study or of another, and return both sides."""
    files = data.files(context.root, name)
    key = context.key if name == context.name else data.key_of(files)
    bar = filters.Bar(data.choices(key), files, SECOND, side="B")
    return replace(sides, b=key, flags_b=filters.row(bar, begins=True))


def _pair(kind: str, options: Sequence[str]) -> tuple[str, str] | None:
    """Show which two of a kind are compared; None, with a sentence, if there are fewer than two."""
    if len(options) < 2:
        st.text(f"This study has fewer than two {plural(kind)} to compare.")
        return None
    pair = []
    for side, default in (("a", options[0]), ("b", options[1])):
        pair.append(_pick(f"{kind}_{side}", options, f"{kind.capitalize()} {side.upper()}", default))
    return pair[0], pair[1]


def _pick(key: str, options: Sequence[str], label: str, default: str) -> str:
    """Show a choice of exactly one; at first the default, which the address then holds."""
    selection.drop_unknown(key, options, label)
    if selection.value(key) is None:
        selection.view()[key] = (default,)
    name = selection.begin(key, selection.value(key), has_default=False)
    st.selectbox(label, options, key=name, width=220, on_change=selection.store_text, args=(key, "item"))
    return str(selection.value(key))


# ------------------------------------------------------------------------------
# A comparison drawn: both sides, their difference, and judges that change places.


MARKS = "Lines are 95% intervals; hollow marks rest on fewer than 30 cases; both sides share one scale."


@section
def show(context: Context, choice: ComparisonChoice, room: int) -> None:
    """Show both sides, their difference, and judges that change places."""
    comparison = data.comparison(choice.sides, choice.fields, choice.common)
    if not comparison.rows:
        components.say(f"Nothing to compare: {comparison.reason}.", *sentences.basis(comparison))
        if not context.study.references.sources:
            studies.next_steps(context)
        return
    if choice.sides.alike:
        components.say("Both sides are the same: change the filters of A or B.", key="finding")
    else:
        rest = (sentences.common(comparison), sentences.one_side_only(comparison))
        components.say(*sentences.finding(comparison, choice.number), *filter(None, rest), key="finding")
    chart = data.figure(choice.sides.a, "compared", (), (choice.sides, choice.fields, choice.common))
    if chart.panels < chart.all_panels:
        components.say(f"Showing the {chart.panels} rows highest in A, of {chart.all_panels}.")
    words = f"Side A, side B and A against B by {NUMBERS[choice.number]}."
    judge, side = selection.value("judge"), selection.value("side") or "a"
    mark = {"panel": PANELS["ab".index(side)], "label": str(judge)} if side in ("a", "b") else None
    marks = zip(chart.rows["panel"], chart.rows["label"], strict=True)
    visible_mark = mark if mark is not None and tuple(mark.values()) in set(marks) else None
    components.show_marked(
        chart,
        "compared",
        words,
        (*sentences.basis(comparison), f"{MARKS} {CLICK}"),
        study=comparison.sides[0].study,
        mark=visible_mark,
        on_choice=partial(_open, choice),
        room=room,
        measure=comparison.measure,
        caption=(sentences.common(comparison),),
    )
    with st.expander("All numbers", key="all_numbers", on_change="rerun") as numbers:
        if numbers.open:
            _table(choice, comparison)
    if choice.mode != "judges":
        show_swaps(comparison)


def _open(choice: ComparisonChoice, pick: Mapping[str, Any] | None) -> None:
    """List the judgments behind a mark: those of the judge on that side, on its own responses."""
    label = None if pick is None or pick["label"] == MEANS else str(pick["label"])
    side = "b" if pick is not None and pick["panel"] == PANELS[1] else "a"
    if label is not None and choice.mode == "judges":
        label = choice.sides.judge_b if side == "b" else choice.sides.judge_a
    components.choose_mark(label, label)
    selection.choose("side", side if side == "b" else None)


def _table(choice: ComparisonChoice, comparison: Comparison) -> None:
    kind = "ratio" if choice.number in RATIOS else "share"
    rows = [cells(row, kind) for row in comparison.rows]
    idle = ("rank", "p_adjusted") if choice.mode == "judges" else ()
    heads = {name: head for name, head in HEADS.items() if name not in idle}
    components.table(rows, heads, "compared_numbers", download=lambda: pd.DataFrame(comparison.rows))


# ------------------------------------------------------------------------------
# A comparison as tables.


HEADS = {
    "row": ("Row", "The judge, or the number where two judges are compared"),
    "a": ("A [95% interval]", "The number on side A"),
    "b": ("B [95% interval]", "The number on side B"),
    "difference": ("A against B", "Ratios: A / B; shares: A - B, in points"),
    "p": ("p", "p-value of no difference, from the resamples"),
    "p_adjusted": ("p, adjusted", "Adjusted for the number of judges (Benjamini-Hochberg)"),
    "n": ("n, A and B", "Cases behind the number on each side"),
    "rank": ("Rank, A to B", "1 is highest, among judges on both sides"),
}
SWAPS = {
    "above": ("Higher in A", "The judge of the two that is higher on side A"),
    "below": ("Higher in B", "The judge of the two that is higher on side B"),
    "share": ("Share of resamples", "Resamples in which both orders hold; about a quarter by chance"),
}


def cells(row: dict[str, Any], kind: str) -> dict[str, str]:
    """Return a compared row as texts for readers."""
    name = title(str(row["field"])) if row["judge"] != row["judge_b"] else row["judge"]
    return {
        "row": "mean of judges" if name is None else str(name),
        "a": text_of(row, "a", "a_low", "a_high", kind=kind),
        "b": text_of(row, "b", "b_low", "b_high", kind=kind),
        "difference": difference(row, kind=kind),
        "p": text_of(row, "p"),
        "p_adjusted": "–" if row["judge"] is None else text_of(row, "p_adjusted"),
        "n": f"{row['n_a']:,} and {row['n_b']:,}",
        "rank": "–" if row["rank_a"] is None else f"{row['rank_a']} to {row['rank_b']}",
    }


def show_swaps(comparison: Comparison) -> None:
    """Show the pairs of judges that change places, or that there are none."""
    st.subheader("Judges that change places", anchor=False)
    if not comparison.swaps:
        components.note("The judges are in the same order on both sides.", key="no_swaps")
        return
    rows = [
        (swap.above, swap.below, "–" if swap.share is None else f"{100 * swap.share:.0f}%")
        for swap in comparison.swaps
    ]
    download = pd.DataFrame([vars(swap) for swap in comparison.swaps])
    components.table(rows, SWAPS, "swaps", download=lambda: download)

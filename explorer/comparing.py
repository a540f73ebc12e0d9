"""What the page of comparisons compares: the choices of its two sides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from engine.choices import Choices
from engine.comparison import COMPARED
from engine.errors import UsageError
from explorer import address, context, data, filters, notices, saved, selection
from explorer.sitemap import SECOND

MODES = {"slices": "Slices", "judges": "Judges", "runs": "Runs", "studies": "Studies"}
NUMBERS = {
    "hspp_self": "ratio for own responses",
    "hspp_matched": "ratio on matched rubrics",
    "hspp_family": "ratio for relatives",
    "o_self": "passed own failures",
    "o_other": "passed others' failures",
    "mra": "rubric accuracy",
    "mipa": "pair accuracy",
}
RATIOS = tuple(name for name in COMPARED if name.startswith("hspp"))

COMMON = "Compare the responses that every judge of both sides has judged; else all of each side"

Pair = tuple[str, str]


@dataclass(frozen=True)
class Chosen:
    """What is compared: the mode, the two sides, and the number looked at."""

    mode: str
    sides: data.Sides
    number: str
    common: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """The numbers compared: two judges have a row for each ratio, else each judge has one."""
        return RATIOS if self.mode == "judges" and self.number in RATIOS else (self.number,)


def chosen(here: context.Context) -> Chosen | None:
    """Show what can be compared and return what is; None where the study has nothing of the kind."""
    mode, number, common = _first_row()
    if mode == "studies":
        return _studies(here, Chosen(mode, _sides(here, ()), number, common))
    if mode == "slices":
        asked, other = filters.two_sides(here.choices, here.choices, lambda: _saved(here.name, here.root))
        return Chosen(mode, data.Sides(here.key, here.key, asked, other), number, common)
    asked = filters.sidebar(here.choices)
    sides = _sides(here, asked)
    if mode == "judges":
        pair = _pair("judge", here.choices.judges, "Judge")
        if pair is not None:
            sides = replace(sides, judge_a=pair[0], judge_b=pair[1])
    else:
        pair = _pair("run", here.choices.values.get("run", ()), "Run")
        if pair is not None:
            of_run = [data.asked_of(dict(asked) | {"run": (run,)}) for run in pair]
            sides = replace(sides, asked_a=of_run[0], asked_b=of_run[1])
    return None if pair is None else Chosen(mode, sides, number, common)


def _first_row() -> tuple[str, str, bool]:
    """Show what is compared, by which number, and on which responses."""
    selection.drop_unknown("compare", tuple(MODES), "Comparison of")
    selection.drop_unknown("number", tuple(NUMBERS), "Number")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        mode = _mode()
        number = selection.choice(
            "number",
            tuple(NUMBERS),
            "By",
            NUMBERS["hspp_self"],
            NUMBERS.__getitem__,
            width=250,
            clears="row",
        )
        common = selection.common("Only responses on both sides", COMMON)
    return mode, number or "hspp_self", common


def _mode() -> str:
    chosen = address.value("compare") or "slices"
    selection.few("compare", "Compare", MODES, chosen, _keep_mode, width="content")
    return chosen


def _keep_mode(mode: str | None) -> None:
    address.keep("compare", (mode,) if mode not in (None, "slices") else ())
    address.choose("row")


def _sides(here: context.Context, asked: data.Asked) -> data.Sides:
    return data.Sides(here.key, here.key, asked, asked)


def _saved(study: str, root: str) -> None:
    """Show the saved slices of side B; they are the study's that B is of."""
    saved.choose(data.files(root, study), SECOND)


def _studies(here: context.Context, told: Chosen) -> Chosen | None:
    """Show which study is on side B, and the filters of both sides."""
    others = tuple(name for name in here.studies if name != here.name)
    if not others:
        st.text("There is one study in this store only; import another to compare them.")
        return None
    selection.drop_unknown("b_study", others, "Study of B")
    name = _pick("b_study", others, "Study of B", others[0])
    key = data.key_of(data.files(here.root, name))
    other: Choices = data.choices(key)
    asked, second = filters.two_sides(here.choices, other, lambda: _saved(name, here.root))
    return replace(told, sides=data.Sides(here.key, key, asked, second))


def settle_saved(here: context.Context) -> None:
    """Take over the filters of the saved slice of side B, and say where there is no such slice."""
    mode = address.value("compare") or "slices"
    if mode not in ("slices", "studies"):
        return
    study = address.value("b_study") if mode == "studies" else here.name
    if study in here.studies:
        lost = saved.settle(data.files(here.root, str(study)), SECOND)
        notices.until_changed("b_saved", [] if lost is None else [f"B: {lost}"])


def _pair(kind: str, options: Sequence[str], label: str) -> Pair | None:
    """Show which two of a kind are compared; None, said so, where there are no two."""
    if len(options) < 2:
        st.text(f"This study has no two {kind}s to compare.")
        return None
    found = []
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for side, default in (("a", options[0]), ("b", options[1])):
            selection.drop_unknown(f"{kind}_{side}", options, f"{label} {side.upper()}")
            found.append(_pick(f"{kind}_{side}", options, f"{label} {side.upper()}", default))
    return found[0], found[1]


def _pick(key: str, options: Sequence[str], label: str, default: str) -> str:
    """Show a choice of exactly one; the first time it is the default, which the address then holds."""
    if address.value(key) is None:
        address.view()[key] = (default,)
    name = address.begin(key, address.value(key), has_default=False)
    st.selectbox(label, options, key=name, width=300, on_change=_picked, args=(key,))
    return str(address.value(key))


def _picked(key: str) -> None:
    address.keep(key, (st.session_state[address.widget(key)],))
    address.choose("row")


def refuse_alike(told: Chosen) -> None:
    """Raise UsageError where a judge or a run is compared with itself."""
    sides = told.sides
    if told.mode == "judges" and sides.judge_a == sides.judge_b:
        raise UsageError(f"judge {sides.judge_a!r} stands on both sides; choose another on one of them")
    if told.mode == "runs" and sides.asked_a == sides.asked_b:
        raise UsageError("the same run stands on both sides; choose another on one of them")

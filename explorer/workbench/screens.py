"""A study presented: findings and pinned views, one per screen, each with its own address."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.charts import fit_width
from engine.findings.findings import Findings
from engine.report.report_figures import CONCLUSION
from engine.report.templating import table_html
from engine.store.study_files import Pin, StudyInfo
from engine.views import which_judge
from engine.views.claims import kinds_of_doubt, number_of
from engine.views.keys import without_saved_slices
from engine.views.shown import Figure, Shown, ShownTable
from engine.words import conclusions
from engine.words.based_on import left_out
from engine.words.caveats import marked_caveats
from explorer import data
from explorer.parts import page_width
from explorer.parts.context import Context
from explorer.parts.show import NARROW
from explorer.workbench import board

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

START, WHICH_JUDGE = "start", "which-judge"
CONTENTS = ("findings", "pins", "all")
"""What is presented: findings that stand, pins, or both with findings in doubt; else the first two."""


_FINDING, _PIN = "finding:", "pin:"


@dataclass(frozen=True)
class Screen:
    """One screen: its name in the address, and the claim or pinned view that it shows.

    The first screen, the board, and the second, which judge to use, have neither.
    """

    name: str
    claim: str | None = None
    pin: Pin | None = None


@dataclass(frozen=True)
class Deck:
    """The screens in order, the place of the one shown, and a notice if its name was unknown."""

    screens: tuple[Screen, ...]
    place: int
    notice: str | None = None

    @property
    def screen(self) -> Screen:
        """The screen that is shown."""
        return self.screens[self.place]

    def at(self, place: int) -> str:
        """Return the name of the screen at a place, or of the nearest one."""
        return self.screens[min(max(place, 0), len(self.screens) - 1)].name


def deck_of(
    findings: Findings | None,
    pins: Sequence[Pin],
    screen_name: str | None,
    *,
    doubtful: bool = False,
    advised: bool = True,
) -> Deck:
    """Return the screens of findings, if given, and of pinned views.

    `advised` says whether the study has judges to choose from, whose screen comes second. `screen_name` is
    the screen shown, which may be a finding in doubt; `doubtful` adds all of these.
    """
    screens = [Screen(START)]
    if findings is not None and advised:
        screens.append(Screen(WHICH_JUDGE))
    if findings is not None:
        screens += _of_findings(findings, screen_name, doubtful=doubtful)
    screens += [Screen(f"{_PIN}{each.id}", pin=each) for each in pins]
    names = [screen.name for screen in screens]
    if screen_name is None or screen_name in names:
        return Deck(tuple(screens), names.index(screen_name or START))
    notice = f"There is no screen {screen_name!r} in this study now; the first is shown."
    return Deck(tuple(screens), 0, notice)


def _of_findings(findings: Findings, screen_name: str | None, *, doubtful: bool) -> list[Screen]:
    """Return a screen for each claim, except conclusions on judges, which are on the board."""
    visible_claims = [claim for claim in findings.shown if claim.question != "advice"]
    return [
        Screen(f"{_FINDING}{claim.id}", claim=claim.id)
        for claim in findings.claims
        if screen_name == f"{_FINDING}{claim.id}"
        or (claim in visible_claims and (claim.stands or doubtful) and claim.rule != CONCLUSION)
    ]


MOST_SENTENCES = 4  # of a pinned view, above its picture, as the board has; the notes have the others
MOST_ROWS = 10  # of a table, shown if there is no chart
SHAPE = 2.5  # a picture's width divided by its height, as a screen has room for under the sentence
PHONE = 380  # the width of a picture on a phone, and the height of a claim's chart there
KEEPS_SHAPE = {"type": "pad"}
ON_A_PHONE = 10  # most judges of a board that is made smaller to fit the screen of a phone
SMALL = 270  # height in pixels of a claim's chart, which is enlarged together with its text


NOTES = "_present_notes"


def screen(context: Context, info: StudyInfo, screen: Screen, findings: Findings | None) -> str:
    """Show a sentence and a picture; return what else its foot says."""
    if screen.pin is not None:
        view, missing = without_saved_slices(info, screen.pin.view)
        exhibit = data.pinned_exhibit(context.key, screen.pin.page, data.flags_of(view))
        say("title", screen.pin.title)
        say("more", *exhibit.sentences[:MOST_SENTENCES])
        others = exhibit.sentences[MOST_SENTENCES:]
        _notes(*missing, *exhibit.warnings, *others, *exhibit.basis, note=screen.pin.note)
        say("marked", *missing, *exhibit.warnings)
        _picture(exhibit)
        if exhibit.figure is not None and exhibit.figure.marks:
            say("marks", exhibit.figure.marks)
        return _basis_of(exhibit)
    if screen.claim is not None and findings is not None:
        return _claim(context, findings, screen.claim)
    return _which_judge(context) if screen.name == WHICH_JUDGE else _board(context, info)


def _which_judge(context: Context) -> str:
    """Show what to use each judge for."""
    shown = data.shown(context.key, which_judge.WHICH_JUDGE.name, {})
    say("title", which_judge.WHICH_JUDGE.question)
    say("marked", *shown.warnings)
    if shown.table is not None:
        rows = which_judge.on_slide(shown.table, narrow=page_width.is_narrower(NARROW))
        _table(rows, "What to use each judge for")
    _notes(*shown.sentences, *shown.basis)
    return ""


def _table(rows: ShownTable, caption: str) -> None:
    with st.container(key="advice"):
        st.html(table_html(rows, caption))


def _board(context: Context, info: StudyInfo) -> str:
    """Show the board with its conclusion; without one, votes on pairs, or the study's title."""
    result = board.scorecard(context.key)
    if result is None and (votes := data.shown(context.key, "votes", {})).figure is not None:
        return _votes(votes)
    if result is None:
        with st.container(key="cover"):
            say("title", info.title or context.name)
            if data.statuses(context.key) and not data.judges_itself(context.key):
                say("marked", data.unknown_self_preference(context.key))
        return ""
    rows: list[ScorecardRow] = result.rows
    first, *others = conclusions.study_sentences(rows)
    say("title", first)
    say("more", *others)
    if not conclusions.can_be_tested(rows):
        return ""
    shown = data.shown(context.key, "judges", {})
    figure = shown.figure
    if figure is None:
        return ""
    high = float(figure.spec["height"]["step"]) * figure.n_drawn
    wide = {**figure.spec, "height": high, "width": max(640, int(SHAPE * high))}
    picture = Shown(figure=Figure(wide, "The board of judges", narrow=figure.narrow))
    _picture(picture, fits_a_phone=figure.n_drawn <= ON_A_PHONE)
    say("marks", figure.marks)
    _notes(*marked_caveats(rows), *shown.basis)
    return ""


def _votes(votes: Shown) -> str:
    """Show how often each model wins with each judge, and the models that judges rank first."""
    first, *others = votes.sentences
    say("title", first)
    say("more", *others)
    _notes(*votes.basis)
    _picture(votes)
    return _basis_of(votes)


def _basis_of(shown: Shown) -> str:
    """Return what a view is based on and what was left out, in a few words."""
    place = next((n for n, line in enumerate(shown.basis) if line.startswith("Based on: ")), 0)
    lines = (line.removeprefix("Based on: ").removesuffix(".") for line in shown.basis[place : place + 2])
    return " · ".join(line[:1].lower() + line[1:] for line in lines)


def _claim(context: Context, findings: Findings, claim_id: str) -> str:
    """Show a claim: its sentence, its chart, and any doubts."""
    claim = findings.of(claim_id)
    say("title", claim.sentence)
    say("marked", *(f"{words.capitalize()}: {'; '.join(whys)}." for words, whys in kinds_of_doubt(claim)))
    _notes("   ·   ".join(number_of(claim)), left_out(claim.left_out))
    figure = data.claim_figure(context.key, claim_id, int(SHAPE * SMALL))
    if figure is not None:
        narrow = {**figure.spec, "height": PHONE}
        _picture(Shown(figure=Figure({**figure.spec, "height": SMALL}, claim.sentence, narrow=narrow)))
    else:
        _picture(data.claim_exhibit(context.key, claim_id))
    return " · ".join(number_of(claim))


def _notes(*sentences: str, note: str = "") -> None:
    if st.session_state.get(NOTES):
        say("notes", *filter(None, (note, *sentences)))


def _picture(exhibit: Shown, *, fits_a_phone: bool = False) -> None:
    """Show the chart or, without one, the first rows of its table.

    On a phone the chart is as wide as the screen, or as high as what is left of it if it `fits_a_phone`.
    """
    with st.container(key="picture"), st.container(key="whole" if fits_a_phone else "long"):
        narrow = page_width.is_narrower(NARROW)
        if (figure := exhibit.figure) is not None:
            spec = _for_a_phone(figure) if narrow else {**figure.spec, "autosize": KEEPS_SHAPE}
            st.vega_lite_chart(spec, width="content", alt=figure.caption)
        elif (table := exhibit.table) is not None and narrow:  # whose cells break their texts into lines
            _table(replace(table, rows=table.rows[:MOST_ROWS]), "Numbers")
        elif table is not None:
            rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows[:MOST_ROWS]]
            st.dataframe(rows, hide_index=True, height="content", key="numbers")


def _for_a_phone(figure: Figure) -> dict[str, Any]:
    """Return a chart that fills the width of a phone without being made smaller together with its text."""
    spec = fit_width.fit_to_width(dict(figure.narrow or figure.spec), PHONE)
    if not fit_width.stretches(spec):
        return {**spec, "autosize": KEEPS_SHAPE}
    return {**spec, "width": PHONE, "autosize": {"type": "fit-x", "contains": "padding"}}


def say(key: str, *sentences: str) -> None:
    """Show sentences, if there are any, in a place of the screen."""
    if sentences:
        with st.container(key=key, gap=None):
            for sentence in sentences:
                st.text(sentence)

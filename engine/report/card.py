"""A judge's card: the conclusion on one judge, as a picture or a page for a README or a model card."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from engine.arrays.resolve import NoDataError
from engine.errors import unknown
from engine.phrases import sentence_case
from engine.report import templating
from engine.report.escape import visible
from engine.report.render import page
from engine.report.report_figures import short_basis
from engine.report.report_texts import iso_date
from engine.report.templating import Markup
from engine.views.shown import ShownTable
from engine.words import board_facts, conclusions
from engine.words.given_expected import cases_of
from engine.words.provenance import SIMULATED
from engine.words.size import size_of
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.study import Study


CardForm = Literal["svg", "png", "md", "html"]
CARD_FORMS: tuple[CardForm, ...] = get_args(CardForm)


class CardNumber(NamedTuple):
    """One number of a card; `words` is its text, with the interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    words: str


@dataclass(frozen=True)
class Card:
    """The content of a card: `numbers` are cases of 100, what was given and what was expected.

    `cases` says which cases, and how many there were. `foot` says in one line what was judged, `basis` how.
    """

    judge: str
    conclusion: str
    chip: str
    sentence: str
    meaning: str
    numbers: tuple[CardNumber, ...]
    cases: str
    doubts: tuple[str, ...]
    basis: str
    foot: str
    warning: str | None

    @property
    def title(self) -> str:
        """The judge and its conclusion."""
        return f"{self.judge}: {self.chip}"


def card_of(study: "Study", judge: str, date: str | None = None) -> Card:
    """Return a judge's card; `date` is by default that of the study.

    Raises UsageError for an unknown judge or an invalid date, NoDataError if the study allows no conclusion.
    """
    result = study.result("scorecard")
    if not result.rows:
        raise NoDataError(f"no card can be written: {result.reason}")
    rows = {str(row["judge"]): row for row in board_facts.by_excess(result.rows)}
    if judge not in rows:
        raise unknown("judge", judge, rows)
    row = rows[judge]
    n = "no own cases"
    if row["n_own"]:
        n = f"n {row['n_own']:,} own, {row['n_outside'] or 0:,} outside judges"
    created_at = study.info.created_at
    day = iso_date(date) if date is not None else "" if created_at is None else str(created_at)[:10]
    parts = [f"Study {study.name} ({study.info.provenance})", size_of(study)]
    parts += [f"spb-explorer {version('spb-explorer')}", *filter(None, (day,))]
    return Card(
        judge=judge,
        conclusion=row["conclusion"],
        chip=conclusions.conclusion_words(row),
        sentence=conclusions.conclusion_sentence(row),
        meaning=board_facts.meaning_sentence(row),
        numbers=_numbers(row),
        cases=f"{cases_of(row).axis} ({n})",
        doubts=tuple(board_facts.doubts(row).values()),
        basis=f"Based on: {short_basis(result.filters)}.",
        foot=" · ".join(parts),
        warning=SIMULATED.get(study.info.provenance),
    )


def in_form(card: Card, form: CardForm) -> bytes:
    """Return a card in one of its forms; the same card gives the same bytes."""
    if form == "md":
        return templating.markdown("card.md", card=card, numbers=_table(card)).encode()
    if form == "html":
        return _html(card).encode()
    import vl_convert

    spec = _spec(card)
    if form == "png":
        image: bytes = vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[])
        return image
    return _svg(spec).encode()


def file_name(study: str, judge: str, ending: str) -> str:
    """Return the name of a card's file: letters, digits, dots, dashes and underscores."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{study}-{judge}").strip("-.") or "judge"
    return f"{plain}-card.{ending}"


def _numbers(row: Mapping[str, Any]) -> tuple[CardNumber, ...]:
    """Return what the judge gave its own and its family's answers, and what was expected, of 100."""
    numbers = []
    for given, expected, whose in (
        ("own_given", "own_expected", "own answers"),
        ("family_given", "family_expected", "family's answers"),
    ):
        if row.get(given) is None or row.get(expected) is None:
            continue
        low, high = (
            None if row.get(f"{expected}_{end}") is None else 100 * row[f"{expected}_{end}"]
            for end in ("low", "high")
        )
        values = 100 * row[given], 100 * row[expected]
        numbers.append(CardNumber(f"Its {whose}: given", values[0], None, None, f"{values[0]:.0f}"))
        words = with_interval(values[1], low, high, "cases")
        numbers.append(CardNumber(f"Its {whose}: expected", values[1], low, high, words))
    return tuple(numbers)


def _spec(card: Card) -> dict[str, Any]:
    from engine.charts.card import card as draw_card
    from engine.charts.chart_spec import spec_of

    doubts = [f"▲ {visible(doubt)}" for doubt in card.doubts]
    sentences = [visible(part) for part in (card.warning, card.sentence) if part]
    chart = draw_card(
        visible(card.judge),
        (card.conclusion, card.chip),
        sentences,
        card.numbers,
        [*doubts, visible(card.foot)],
        card.cases,
    )
    return spec_of(chart)


def _svg(spec: dict[str, Any]) -> str:
    import vl_convert

    image: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return image


def _table(card: Card) -> ShownTable:
    rows = tuple((number.label, number.words) for number in card.numbers)
    return ShownTable((sentence_case(card.cases), "Value [95% interval]"), rows)


def _html(card: Card) -> str:
    # The SVG is drawn from visible texts, which vl-convert escapes.
    picture = Markup(_svg(_spec(card)).replace("<svg ", '<svg aria-hidden="true" ', 1))  # noqa: S704
    return page("card.html", card.title, card=card, numbers=_table(card), picture=picture)

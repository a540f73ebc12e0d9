"""A judge's card: the conclusion on one judge, as a picture or a page for a README or a model card."""

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from engine.arrays.slicing.resolve import NoDataError
from engine.errors import unknown
from engine.extras import drawing_package
from engine.report import templating
from engine.report.escape import visible
from engine.report.render import page
from engine.report.report_figures import short_basis
from engine.report.report_texts import iso_date
from engine.report.templating import Markup
from engine.version import __version__
from engine.views.conclusion import JudgeConclusion, conclusion_of
from engine.views.of_measure import measure
from engine.words import board_facts
from engine.words.based_on import runs_in_picture
from engine.words.provenance import SIMULATED, provenance_words
from engine.words.size import size_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


CardForm = Literal["svg", "png", "md", "html"]
CARD_FORMS: tuple[CardForm, ...] = get_args(CardForm)


@dataclass(frozen=True)
class Card:
    """The content of a card: what is concluded on a judge, and in a line each what was judged and how.

    `remarks` say of which runs, taken together, and what that leaves out.
    """

    concluded: JudgeConclusion
    basis: str
    remarks: tuple[str, ...]
    foot: str
    warning: str | None

    @property
    def title(self) -> str:
        """The judge and its conclusion."""
        return f"{self.concluded.judge}: {self.concluded.chip}"


def card_of(study: "MeasuredStudy", judge: str, date: str | dt.date | None = None) -> Card:
    """Return a judge's card; `date` is by default that of the study.

    Raises UsageError for an unknown judge or an invalid date, NoDataError if the study allows no conclusion.
    """
    result = measure(study, "scorecard", {})
    if not result.rows:
        raise NoDataError(f"no card can be written: {result.reason}")
    rows = {str(row["judge"]): row for row in board_facts.by_excess(result.rows)}
    if judge not in rows:
        raise unknown("judge", judge, rows)
    created_at = study.info.created_at
    day = iso_date(date) if date is not None else "" if created_at is None else str(created_at)[:10]
    parts = [f"Study {study.name} ({provenance_words(study.info)})", size_of(study)]
    parts += [f"spb-explorer {__version__}", *filter(None, (day,))]
    return Card(
        conclusion_of(rows[judge]),
        basis=f"Based on: {short_basis(result.filters)}.",
        remarks=tuple(runs_in_picture(study, result.with_rows([rows[judge]]))),
        foot=" · ".join(parts),
        warning=SIMULATED.get(study.info.provenance),
    )


def in_form(card: Card, form: CardForm) -> bytes:
    """Return a card in one of its forms; the same card gives the same bytes. UsageError for another form."""
    if form not in CARD_FORMS:
        raise unknown("form of a card", form, CARD_FORMS)
    if form == "md":
        return templating.markdown("card.md", card=card, concluded=card.concluded).encode()
    if form == "html":
        return _html(card).encode()
    spec = _spec(card)
    if form == "png":
        image: bytes = drawing_package().vegalite_to_png(spec, scale=2, allowed_base_urls=[])
        return image
    return _svg(spec).encode()


def _spec(card: Card) -> dict[str, Any]:
    from engine.charts.card import card as draw_card
    from engine.charts.chart_spec import spec_of

    concluded = card.concluded
    doubts = [f"▲ {visible(doubt)}" for doubt in (*concluded.doubts, *card.remarks)]
    sentences = [visible(part) for part in (card.warning, concluded.sentence) if part]
    chart = draw_card(
        visible(concluded.judge),
        (concluded.code, concluded.chip),
        sentences,
        concluded.numbers,
        [*doubts, visible(card.foot)],
        concluded.cases,
    )
    return spec_of(chart)


def _svg(spec: dict[str, Any]) -> str:
    image: str = drawing_package().vegalite_to_svg(spec, allowed_base_urls=[])
    return image


def _html(card: Card) -> str:
    # The SVG is drawn from visible texts, which vl-convert escapes.
    picture = Markup(_svg(_spec(card)).replace("<svg ", '<svg aria-hidden="true" ', 1))  # noqa: S704
    return page("card.html", card.title, card=card, concluded=card.concluded, picture=picture)

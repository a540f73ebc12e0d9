"""A judge's card: what was concluded on one judge, as a picture or a page for a README or a model card."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from engine.arrays.resolve import NoDataError
from engine.errors import unknown
from engine.report.content import SIMULATED, iso_date, taken
from engine.report.exhibit import Table
from engine.report.markdown import escape_markdown, markdown_table, markup, visible
from engine.words import board_words, conclusions, with_interval

if TYPE_CHECKING:
    from engine.study import Study

CardForm = Literal["svg", "png", "md", "html"]
CARD_FORMS: tuple[CardForm, ...] = get_args(CardForm)

RATIOS = {
    "hspp_self": "Own failures passed, against others'",
    "hspp_matched": "The same, on matched rubrics",
    "hspp_family": "Its family's failures passed",
}
"""The ratios of `hspp` beside the deciding number, each 1 where nothing is found."""

DECIDES = {
    "odds_self": "Odds against outside judges",
    "hspp_matched": "Own failures passed, on matched rubrics",
    "vote_outside": "Points of votes for itself",
    "bonus_outside": "Points given to itself",
}
"""The deciding number, in the words of a row."""


class Number(NamedTuple):
    """One number of a card; `words` are it with its interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    words: str


@dataclass(frozen=True)
class Card:
    """What a card says of a judge. The first of `numbers` decides; all are ratios where `ratio`."""

    judge: str
    conclusion: str
    chip: str
    sentence: str
    meaning: str
    numbers: tuple[Number, ...]
    ratio: bool
    n: str
    doubts: tuple[str, ...]
    rests_on: str
    warning: str | None

    @property
    def title(self) -> str:
        """The judge and its conclusion."""
        return f"{self.judge}: {self.chip}"


def card_of(study: "Study", judge: str, date: str | None = None) -> Card:
    """Return a judge's card; `date` is that of the study unless another is given.

    Raises UsageError for a judge that is not there or a date that is none, NoDataError where the study
    allows no conclusion.
    """
    result = study.result("scorecard")
    if not result.rows:
        raise NoDataError(f"no card can be written: {result.reason}")
    rows = {str(row["judge"]): row for row in board_words.ordered(result.rows)}
    if judge not in rows:
        raise unknown("judge", judge, rows)
    row = rows[judge]
    ratio = row["decided_by"] is None or board_words.is_ratio(row["decided_by"])
    n = "no own cases"
    if row["n_own"]:
        n = f"n {row['n_own']:,} own, {row['n_outside'] or 0:,} outside judges"
    created = study.info.created_at
    when = iso_date(date) if date is not None else "" if created is None else str(created)[:10]
    parts = [f"Study {study.name} ({study.info.provenance})", taken(result.filters), n]
    parts += [when] if when else []
    return Card(
        judge=judge,
        conclusion=row["conclusion"],
        chip=conclusions.conclusion_words(row),
        sentence=conclusions.conclusion_sentence(row),
        meaning=board_words.MEANINGS[row["conclusion"]],
        numbers=(*_deciding(row), *(_ratios(study, judge) if ratio else ())),
        ratio=ratio,
        n=n,
        doubts=tuple(board_words.doubts(row).values()),
        rests_on=f"{'; '.join(parts)}; spb-explorer {version('spb-explorer')}.",
        warning=SIMULATED.get(study.info.provenance),
    )


def in_form(card: Card, form: CardForm) -> bytes:
    """Return a card in one of its forms; the same card gives the same bytes."""
    if form == "md":
        return _markdown(card).encode()
    if form == "html":
        return _html(card).encode()
    import vl_convert

    spec = _spec(card)
    if form == "png":
        drawn: bytes = vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[])
        return drawn
    return _svg(spec).encode()


def file_name(study: str, judge: str, ending: str) -> str:
    """Return the name of a card's file: letters, digits, dot and dash."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{study}-{judge}").strip("-.") or "judge"
    return f"{plain}-card.{ending}"


def _deciding(row: Mapping[str, Any]) -> tuple[Number, ...]:
    if row["estimate"] is None:
        return ()
    ends = row["estimate"], row["low"], row["high"]
    return (Number(DECIDES.get(row["decided_by"], row["decided_by"]), *ends, board_words.value(row)),)


def _ratios(study: "Study", judge: str) -> tuple[Number, ...]:
    result = study.result("hspp", judges=[judge])
    row: Mapping[str, Any] = next((dict(row) for row in result.rows if row["judge"] == judge), {})
    numbers = []
    for field, label in RATIOS.items():
        if row.get(field) is not None:
            value, low, high = row[field], row[f"{field}_low"], row[f"{field}_high"]
            words = with_interval(value, low, high)
            numbers.append(Number(label, value, low, high, words))
    return tuple(numbers)


def _spec(card: Card) -> dict[str, Any]:
    from engine.charts.card import card as drawn
    from engine.charts.export import written

    doubts = [f"▲ {visible(doubt)}" for doubt in card.doubts]
    sentences = [visible(part) for part in (card.warning, card.sentence) if part]
    chart = drawn(
        visible(card.judge),
        (card.conclusion, card.chip),
        sentences,
        card.numbers,
        [*doubts, visible(card.rests_on)],
        ratio=card.ratio,
    )
    return written(chart)


def _svg(spec: dict[str, Any]) -> str:
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return drawn


def _table(card: Card) -> Table:
    rows = tuple((one.label, one.words) for one in card.numbers)
    return Table(("Number", "Value [95% interval]"), rows)


def _markdown(card: Card) -> str:
    lines = [f"### Self-preference of {escape_markdown(card.judge)}: {escape_markdown(card.chip)}", ""]
    lines += [f"> **{escape_markdown(card.warning)}**", ""] if card.warning else []
    lines += [escape_markdown(card.sentence), ""]
    if card.numbers:
        lines += [markdown_table(_table(card)), ""]
    lines += [f"- Doubt: {escape_markdown(doubt)}" for doubt in card.doubts]
    lines += [""] if card.doubts else []
    lines += [f"{escape_markdown(card.chip.capitalize())}: {escape_markdown(card.meaning)}.", ""]
    return "\n".join([*lines, f"*{escape_markdown(card.rests_on)}*", ""])


def _html(card: Card) -> str:
    from engine.report.html import policy, style, table

    doubts = "".join(f"<li>{markup(doubt)}</li>" for doubt in card.doubts)
    warning = f'<p class="warning">{markup(card.warning)}</p>' if card.warning else ""
    picture = _svg(_spec(card)).replace("<svg ", f'<svg role="img" aria-label="{markup(card.title)}" ', 1)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{markup(policy(charts=False))}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{markup(card.title)}</title><style>{style()}</style></head><body>",
        '<header><p class="over">Self-preference of an LLM judge</p>',
        f'<h1 dir="auto">{markup(card.title)}</h1>',
        f"{warning}</header>",
        f'<p class="lead" dir="auto">{markup(card.sentence)}</p>',
        f"<p>{markup(card.chip.capitalize())}: {markup(card.meaning)}.</p>",
        f'<figure><div class="chart">{picture}</div></figure>',
        table(
            _table(card),
            "The numbers; a ratio of 1 means no self-preference" if card.ratio else "The numbers",
        ),
        f"<h2>What to know</h2><ul>{doubts}</ul>" if doubts else "",
        f"<footer><p>{markup(card.rests_on)}</p></footer></body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"

"""Output for other pages: a judge's card for a README or a model card, and HTML for notebooks."""

import base64
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from engine.arrays.resolve import NoDataError
from engine.errors import unknown
from engine.findings.claims import QUESTIONS, Claim, Findings, MarkKind
from engine.measures.result import Result, meaning
from engine.report.content import SIMULATED, iso_date, short_basis
from engine.report.exhibit import kinds_of_doubt, number_of, specification, table_of
from engine.report.render import (
    commands,
    details,
    escape_markdown,
    markdown_table,
    markup,
    policy,
    style,
    table,
    visible,
)
from engine.values import quantity
from engine.views.shown import Table
from engine.words import basis_of, conclusions, left_out_of, with_interval
from engine.words.conclusions import by_excess, conclusion_words, doubts, study_sentence
from engine.words.given_expected import briefly, interval_words

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# HTML for notebooks: a study, a result, or findings, self-contained.
#
# No script, nothing fetched: charts are inline SVG pictures, on white because their text is dark in every
# theme. Texts of a study are escaped; everything else takes the notebook's colours.


_BOARD = "What is concluded about each judge: its number with its 95% interval, and caveats."
_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
"""The fonts by which a chart is laid out; legends leave room for wider ones."""

_STYLE = """
.spb { max-width: 62rem; line-height: 1.45; }
.spb h3 { margin: 0 0 .3rem; } .spb h4 { margin: .9rem 0 .2rem; } .spb p { margin: .3rem 0; }
.spb .quiet { opacity: .75; font-size: .92em; }
.spb .warning { border-left: .3rem solid #d97706; padding-left: .6rem; font-weight: 600; }
.spb .chart { background: #fff; max-width: 100%; height: auto; border-radius: .3rem; display: block; }
.spb .scroll { overflow-x: auto; }
.spb table { border-collapse: collapse; font-size: .9em; margin: .3rem 0; }
.spb caption { text-align: left; opacity: .75; }
.spb th, .spb td { text-align: left; vertical-align: top; min-width: 4.5rem; }
.spb th, .spb td { padding: .2rem .8rem .2rem 0; background: none; }
.spb tr { border-bottom: 1px solid rgba(128, 128, 128, .35); background: none; }
.spb summary { cursor: pointer; margin: .3rem 0; }
.spb li { margin: .35rem 0; } .spb pre { white-space: pre-wrap; margin: .2rem 0; }
.spb .mark { border: 1px solid; border-radius: 1rem; padding: 0 .5rem; font-size: .88em; opacity: .85; }
"""


def study_html(study: "Study") -> str:
    """Return a study: its size, the conclusions on its judges, the board, and the rows."""
    info = study.info
    scorecard = study.result("scorecard")
    parts = [f"<h3>{markup(info.title or study.name)}</h3>", _warning(info.provenance)]
    parts.append(f'<p class="quiet">{markup(_size(study))}</p>')
    parts += _board(scorecard.rows)
    if scorecard.reason:
        parts.append(f"<p>{markup(scorecard.reason)}</p>")
    return _page(parts)


def result_html(result: Result, families: Mapping[str, str | None]) -> str:
    """Return a measure's rows with its chart, what they are based on, and what was left out."""
    parts = [f"<h3>{markup(result.measure.title)}</h3>"]
    if not result.rows:
        parts.append(f"<p>{markup(result.reason or 'No judgment of this selection counts.')}</p>")
    elif result.measure.name == "scorecard":
        parts += _board(result.rows)
    else:
        parts.append(_picture(lambda: specification(result, families), result.measure.title))
        parts.append(table(table_of(result), ""))
    basis = [basis_of(result.filters), left_out_of(result)]
    parts += [f'<p class="quiet">{markup(line)}</p>' for line in basis if line]
    return _page(parts)


def findings_html(findings: Findings) -> str:
    """Return findings: the board, the short answers, and each claim with its number and doubts."""
    parts = [f"<h3>{markup(findings.title)}</h3>", _warning(findings.provenance)]
    judges = next((claim.rows for claim in findings.claims if claim.measure == "scorecard"), ())
    parts += _board(judges) if judges else []
    answers = {answer.question: answer.sentences for answer in findings.answers}
    for question, title in QUESTIONS.items():
        parts.append(f"<h4>{markup(title)}</h4>")
        parts += [f"<p>{markup(sentence)}</p>" for sentence in answers.get(question, ())]
        claims = [claim for claim in findings.shown if claim.question == question]
        items = "".join(f"<li>{_claim(claim)}</li>" for claim in claims)
        parts.append(
            details(quantity(len(claims), "claim"), f"<ul>{items}</ul>") if items else "<p>No findings.</p>"
        )
    if findings.not_tried:
        lines = "".join(f"<li>{markup(rule)}: {markup(why)}</li>" for rule, why in findings.not_tried.items())
        parts.append(details("Not tried", f"<ul>{lines}</ul>"))
    return _page(parts)


def _claim(claim: Claim) -> str:
    marks = "".join(
        f'<br><span class="mark">{markup(title)}</span> {markup("; ".join(whys))}'
        for title, whys in kinds_of_doubt(claim)
        if title != MarkKind.SIMULATED.value  # shown once, above all claims
    )
    numbers = markup(" · ".join(number_of(claim)))
    return (
        f"{markup(claim.sentence)}<br><span class='quiet'>{numbers}</span>{marks}{commands([claim.command])}"
    )


def _board(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sentence on the study, the board, and its rows as a table."""
    judges = by_excess(rows)
    parts = [f"<p>{markup(study_sentence(rows))}</p>"]
    if not judges:
        return parts
    if any(row["estimate"] is not None for row in judges):
        parts.append(_picture(lambda: _board_chart(judges), _BOARD))
    heads = ("judge", "conclusion", "given, expected [95% interval], of 100", "own cases", "why", "caveats")
    cells = tuple(
        (
            str(row["judge"]),
            conclusion_words(row),
            f"{briefly(row)}{interval_words(row)}" or "–",
            "–" if row["n_own"] is None else f"{row['n_own']:,}",
            meaning(row["reason"]) if row.get("reason") else "",
            " ".join(doubts(row).values()),
        )
        for row in judges
    )
    return [*parts, details("The rows", table(Table(heads, cells), _BOARD))]


def _picture(chart: Callable[[], dict[str, Any] | None], caption: str) -> str:
    """Return a chart as a picture; empty if the drawing packages are missing (the table has its rows)."""
    try:
        spec = chart()
        if spec is None:
            return ""
        from engine.charts.export import svg_of

        config = spec.get("config", {})
        legend = config.get("legend", {}) | {"columnPadding": 28}
        drawing = svg_of(spec | {"config": config | {"font": _FONT, "legend": legend}}, "", ())
    except ImportError:
        return ""
    data = base64.b64encode(drawing).decode()
    return f'<img class="chart" alt="{markup(caption)}" src="data:image/svg+xml;base64,{data}">'


def _board_chart(judges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from engine.charts.board import board
    from engine.charts.export import spec_of

    return spec_of(board(judges, narrow=True))


def _warning(provenance: str) -> str:
    return f'<p class="warning">{SIMULATED[provenance]}</p>' if provenance in SIMULATED else ""


def _size(study: "Study") -> str:
    """Return a line on the size of the study, and how many judgments have no verdict."""
    index, inventory = study.index, study.inventory
    total, good = inventory.total(), inventory.total(status="ok")
    parts = [
        quantity(len(inventory.values("judge")), "judge"),
        quantity(len(index.models), "model"),
        quantity(index.n_instances, "instance"),
        *([quantity(index.n_rubrics, "rubric")] if index.n_rubrics else []),
        f"{quantity(total, 'judgment')}, {total - good:,} without a verdict",
    ]
    return " · ".join(parts)


def _page(parts: Iterable[str]) -> str:
    return f'<style>{_STYLE}</style><div class="spb">{"".join(filter(None, parts))}</div>'


# ------------------------------------------------------------------------------
# A judge's card: the conclusion on one judge, as a picture or a page for a README or a model card.


CardForm = Literal["svg", "png", "md", "html"]
CARD_FORMS: tuple[CardForm, ...] = get_args(CardForm)


class Number(NamedTuple):
    """One number of a card; `words` is its text, with the interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    words: str


@dataclass(frozen=True)
class Card:
    """The content of a card: `numbers` are cases of 100, what was given and what was expected."""

    judge: str
    conclusion: str
    chip: str
    sentence: str
    meaning: str
    numbers: tuple[Number, ...]
    n: str
    doubts: tuple[str, ...]
    rests_on: str
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
    rows = {str(row["judge"]): row for row in conclusions.by_excess(result.rows)}
    if judge not in rows:
        raise unknown("judge", judge, rows)
    row = rows[judge]
    n = "no own cases"
    if row["n_own"]:
        n = f"n {row['n_own']:,} own, {row['n_outside'] or 0:,} outside judges"
    created_at = study.info.created_at
    day = iso_date(date) if date is not None else "" if created_at is None else str(created_at)[:10]
    parts = [f"Study {study.name} ({study.info.provenance})", short_basis(result.filters), n]
    parts += [day] if day else []
    return Card(
        judge=judge,
        conclusion=row["conclusion"],
        chip=conclusions.conclusion_words(row),
        sentence=conclusions.conclusion_sentence(row),
        meaning=conclusions.meaning_sentence(row),
        numbers=_numbers(row),
        n=n,
        doubts=tuple(conclusions.doubts(row).values()),
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
        image: bytes = vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[])
        return image
    return _svg(spec).encode()


def file_name(study: str, judge: str, ending: str) -> str:
    """Return the name of a card's file: letters, digits, dots, dashes and underscores."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{study}-{judge}").strip("-.") or "judge"
    return f"{plain}-card.{ending}"


def _numbers(row: Mapping[str, Any]) -> tuple[Number, ...]:
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
        numbers.append(Number(f"Its {whose}: given", values[0], None, None, f"{values[0]:.0f}"))
        words = with_interval(values[1], low, high, "cases")
        numbers.append(Number(f"Its {whose}: expected", values[1], low, high, words))
    return tuple(numbers)


def _spec(card: Card) -> dict[str, Any]:
    from engine.charts.board import card as draw_card
    from engine.charts.export import spec_of

    doubts = [f"▲ {visible(doubt)}" for doubt in card.doubts]
    sentences = [visible(part) for part in (card.warning, card.sentence) if part]
    chart = draw_card(
        visible(card.judge),
        (card.conclusion, card.chip),
        sentences,
        card.numbers,
        [*doubts, visible(card.rests_on)],
    )
    return spec_of(chart)


def _svg(spec: dict[str, Any]) -> str:
    import vl_convert

    image: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return image


def _table(card: Card) -> Table:
    rows = tuple((number.label, number.words) for number in card.numbers)
    return Table(("Number", "Value [95% interval]"), rows)


def _markdown(card: Card) -> str:
    lines = [f"### Self-preference of {escape_markdown(card.judge)}: {escape_markdown(card.chip)}", ""]
    lines += [f"> **{escape_markdown(card.warning)}**", ""] if card.warning else []
    lines += [escape_markdown(card.sentence), ""]
    if card.numbers:
        lines += [markdown_table(_table(card)), ""]
    lines += [f"- Caveat: {escape_markdown(doubt)}" for doubt in card.doubts]
    lines += [""] if card.doubts else []
    lines += [f"{escape_markdown(card.meaning)}", ""]
    return "\n".join([*lines, f"*{escape_markdown(card.rests_on)}*", ""])


def _html(card: Card) -> str:
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
        f"<p>{markup(card.meaning)}</p>",
        f'<figure><div class="chart">{picture}</div></figure>',
        table(_table(card), "The numbers, of 100 cases"),
        f"<h2>What to know</h2><ul>{doubts}</ul>" if doubts else "",
        f"<footer><p>{markup(card.rests_on)}</p></footer></body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"

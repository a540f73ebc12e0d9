"""The figures of a report: the board of judges, and one for the claims of each rule; and reasons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from engine.explore.reasons import Reasons, reasons_of
from engine.findings.claims import CONCLUSIONS, Claim, Findings, Question
from engine.findings.rule import RuleContext
from engine.report.exhibit import Table
from engine.slices import Slice
from engine.words import axis_title, board_words, conclusions
from engine.words.reasons import odds_words, quoted

if TYPE_CHECKING:
    from engine.study import Study

CONCLUSION = CONCLUSIONS[0]
"""The rule whose claims are the conclusions of the board."""

ON_A_PAGE = 14
"""Judges of one figure of the board: as many as fit on a printed page."""

WIDTH = 600
"""Pixels of a claim's chart where nothing makes it wider."""

PHONE = 340
"""Pixels of a chart on a phone."""

EXPLAINED = 4
"""Judges whose reasons are shown: the foremost of those that favour themselves."""

Spec = Mapping[str, Any]


@dataclass(frozen=True)
class Board:
    """The judges with their conclusions: the sentence, the rows, and charts of `ON_A_PAGE` judges each.

    Each chart is there twice, for wide places and for narrow ones.
    """

    sentence: str
    rows: tuple[Mapping[str, Any], ...]
    charts: tuple[tuple[Spec, Spec], ...]
    axis: str
    filters: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """The numbers that the charts draw."""
        heads = ("Judge", "Conclusion", "Deciding number", "Matched", "Family", "n own", "Caveats")
        return Table(heads, tuple(map(_cells, self.rows)))

    @property
    def caption(self) -> str:
        """What the charts show, for who cannot see them."""
        return "; ".join(f"{row['judge']} {conclusions.conclusion_words(row)}" for row in self.rows)


@dataclass(frozen=True)
class Finding:
    """The claims of one rule with the chart of their numbers; `number` is that of the figure.

    `number` is None where nothing is drawn. Claims that do not stand are `doubted`; conclusions on judges say
    themselves how sure they are.
    """

    question: Question
    rule: str
    title: str
    claims: tuple[Claim, ...]
    doubted: tuple[Claim, ...]
    chart: Spec | None = None
    number: int | None = None


def board_of(material: RuleContext) -> Board | None:
    """Return the board; None where the study allows no conclusion on any judge."""
    from engine.charts.board import board
    from engine.charts.export import written
    from engine.charts.fit import fitted

    result = material.result("scorecard")
    rows = board_words.ordered(result.rows)
    if not rows:
        return None
    parts = [rows[place : place + ON_A_PAGE] for place in range(0, len(rows), ON_A_PAGE)]
    charts = tuple((written(board(part)), fitted(written(board(part, narrow=True)), PHONE)) for part in parts)
    number = next((str(row["decided_by"]) for row in rows if row["estimate"] is not None), "odds_self")
    sentence = conclusions.study_sentence(rows)
    return Board(
        sentence, tuple(rows), charts, f"{board_words.NUMBERS[number]}.".capitalize(), result.filters
    )


def findings_of(findings: Findings, *, board: bool) -> tuple[Finding, ...]:
    """Return the claims by question and rule, numbered from 2 where a `board` is figure 1, else from 1."""
    titles = {method.rule: method.title for method in findings.methods}
    grouped: list[Finding] = []
    number = 1 + board
    claims = sorted(findings.shown, key=lambda claim: _places(findings, claim))
    for (question, rule), group in groupby(claims, key=lambda claim: (claim.question, claim.rule)):
        whole = tuple(group)
        stand = tuple(claim for claim in whole if claim.stands or rule in CONCLUSIONS)
        drawn = bool(stand) and question != "advice" and not (board and rule == CONCLUSION)
        chart = claims_chart(stand) if drawn else None
        numbered = (1 if board and rule == CONCLUSION else None) if chart is None else number
        number += chart is not None
        doubted = tuple(claim for claim in whole if claim not in stand)
        grouped.append(Finding(question, rule, titles[rule], stand, doubted, chart, numbered))
    return tuple(grouped)


def _places(findings: Findings, claim: Claim) -> tuple[int, int]:
    """Return where a claim's question and rule stand, so that the claims of a rule come together."""
    keys = list(dict.fromkeys((each.question, each.rule) for each in findings.claims))
    questions = list(dict.fromkeys(each.question for each in findings.claims))
    return questions.index(claim.question), keys.index((claim.question, claim.rule))


def claims_chart(claims: Sequence[Claim], *, width: int = WIDTH) -> Spec | None:
    """Draw the numbers of claims of one rule among those that they are compared with; None without any."""
    from engine.charts.claim import claimed, form_of, rows_together
    from engine.charts.export import written

    rows = rows_together(claims)
    if rows.empty:
        return None
    first = claims[0]
    chart = claimed(
        rows, title=axis_title(first.measure, first.field), line=first.null, form=form_of(first), width=width
    )
    return written(chart)


def explained(study: "Study", rows: Iterable[Mapping[str, Any]]) -> tuple[Reasons, ...]:
    """Return why the foremost judges that favour themselves pass what their own responses failed."""
    judges = [str(row["judge"]) for row in rows if row["conclusion"] in board_words.CLAIMING][:EXPLAINED]
    every = (reasons_of(study, Slice(), judge) for judge in judges)
    return tuple(reasons for reasons in every if reasons.lacking is None)


REASON_HEADS = (
    "Judge",
    "Most common reason",
    "Outside judges that passed too",
    "Odds [95% interval]",
    "Most common reason to fail, outside judges",
    "Words that set it apart",
)


def reason_table(explained: Sequence[Reasons]) -> Table:
    """Return what each judge mostly writes, and what outside judges do."""
    return Table(REASON_HEADS, tuple(map(_reason_cells, explained)))


def _reason_cells(reasons: Reasons) -> tuple[str, ...]:
    first = reasons.groups[0].standing
    other = max((group.standing for group in reasons.groups), key=lambda standing: standing.n_failed)
    own = [quoted(word) for word in reasons.words if word.odds is not None and word.odds > 1][:3]
    return (
        reasons.judge,
        f"{quoted(first)}: {first.n_judge:,} of {reasons.n_judge:,}",
        f"{first.n_passed:,} of {reasons.n_passed:,}",
        odds_words(first),
        f"{quoted(other)}: {other.n_failed:,} of {reasons.n_failed:,}",
        ", ".join(own) or "none",
    )


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    n = "–" if row["n_own"] is None else f"{row['n_own']:,}"
    others = (
        "–" if row.get(name) is None else f"{row[name]:.2f}" for name in ("hspp_matched", "odds_family")
    )
    doubts = " ".join(board_words.doubts(row).values())
    return (str(row["judge"]), conclusions.conclusion_words(row), board_words.value(row), *others, n, doubts)

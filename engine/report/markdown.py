"""A report as Markdown: the same words and numbers, charts by their tables."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from engine.findings import QUESTIONS, Claim
from engine.report import notes
from engine.report.content import Figure, Report, Shown
from engine.report.exhibit import Exhibit, Table
from engine.report.numbers import kinds_of_doubt, number_of
from engine.report.texts import command
from engine.report.texts import markdown as text
from engine.wording import left_out


def markdown(report: Report) -> str:
    """Return the whole file."""
    blocks = [*_head(report), *_short(report), *_findings(report), *_figures(report), *_story(report)]
    return "\n\n".join(filter(None, [*blocks, *_methods(report), *_sources(report)])) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield f"# {text(report.found.title)}"
    if report.warning:
        yield f"> **{text(report.warning)}**"
    yield (
        f"Self-preference of LLM judges: findings. Study {text(report.found.study)}, "
        f"{text(str(report.info.provenance))}, {report.rows['judgments']:,} judgments, {text(report.date)}."
    )


def _short(report: Report) -> Iterator[str]:
    yield "## In short"
    for answer in report.found.answers:
        yield f"### {text(answer.title)}"
        yield "\n\n".join(text(sentence) for sentence in answer.sentences)


def _findings(report: Report) -> Iterator[str]:
    yield "## Findings"
    titles = {method.rule: method.title for method in report.found.methods}
    for question, words in QUESTIONS.items():
        yield f"### {text(words)}"
        claims = [claim for claim in report.found.claims if claim.question == question]
        for claim in claims:
            yield from _claim(report, claim)
        lacking = [
            f"{titles[outcome.rule]}: not tried, {outcome.reason}."
            for outcome in report.found.outcomes
            if outcome.question == question and outcome.reason is not None
        ]
        yield from map(text, lacking)
        if not claims and not lacking:
            yield "Nothing was found that is claimed."


def _claim(report: Report, claim: Claim) -> Iterator[str]:
    marks = [f"- **{text(words)}**: {text('; '.join(whys))}" for words, whys in kinds_of_doubt(claim)]
    lost = [f"- {text(left_out(claim.left_out))}"] if claim.left_out else []
    number = " · ".join(map(text, number_of(claim)))
    yield f"**{text(claim.sentence)}**"
    yield "\n".join([f"- {number} · figure {report.figure_of[claim.id]}", *marks, *lost])
    yield _commands([claim.command])


def _figures(report: Report) -> Iterator[str]:
    yield "## Figures"
    for figure in report.figures:
        yield from _figure(figure)


def _figure(figure: Figure) -> Iterator[str]:
    yield f"### Figure {figure.number}. {text(figure.title)}"
    yield from _exhibit(figure.exhibit)


def _story(report: Report) -> Iterator[str]:
    if report.screens:
        yield f"## Pinned views: {text(report.story)}"
    for shown in report.screens:
        yield from _pinned(shown)


def _pinned(shown: Shown) -> Iterator[str]:
    yield f"### {text(shown.pin.title)}"
    yield "\n\n".join(f"> {text(line)}" for line in shown.pin.note.splitlines() if line.strip())
    yield from _exhibit(shown.exhibit)


def _exhibit(exhibit: Exhibit) -> Iterator[str]:
    yield from (f"*{text(problem)}*" for problem in exhibit.problems)
    yield from map(text, exhibit.sentences)
    if exhibit.table is not None:
        yield _table(exhibit.table)
    yield from map(text, exhibit.basis)
    yield _commands(exhibit.commands)


def _methods(report: Report) -> Iterator[str]:
    yield "## How they are made"
    yield from map(text, notes.on_methods(report))
    yield "\n".join(f"- **{text(one.title)}**: {text(notes.method_of(one))}" for one in report.found.methods)
    for measure in report.measures:
        yield f"### {text(measure.title)}"
        yield from map(text, notes.words_of(measure))


def _sources(report: Report) -> Iterator[str]:
    yield "## Where they come from"
    for title, table in (
        (notes.FACTS, notes.facts(report)),
        (notes.FILES, notes.files(report)),
        (notes.STATUSES, notes.statuses(report)),
    ):
        yield f"{title}:"
        yield _table(table)
    yield "## Do it again"
    yield notes.PLACE
    yield _commands(notes.first_steps(report))
    yield notes.EACH
    yield _commands(report.commands)


def _table(shown: Table) -> str:
    """Return rows as a table; the characters that would end a cell are escaped."""
    lines = [_line(shown.heads), _line("---" for _ in shown.heads), *map(_line, shown.rows)]
    rest = f"\n\n{shown.more:,} more rows; the command prints them all." if shown.more else ""
    return "\n".join(lines) + rest


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell if cell == '---' else text(cell) for cell in cells)} |"


def _commands(lines: Iterable[str]) -> str:
    """Return commands as a block of code, fenced by more backticks than any of them holds."""
    told = "\n".join(command(line) for line in lines if line)
    if not told:
        return ""
    runs = [len(list(run)) for letter, run in groupby(told) if letter == "`"]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}sh\n{told}\n{fence}"

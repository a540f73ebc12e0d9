"""A report as Markdown, and texts of a study made harmless for it and for HTML."""

import html
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from engine.findings.claims import QUESTIONS, Claim
from engine.report import content
from engine.report.content import Report
from engine.report.exhibit import Exhibit, Table, number_of
from engine.report.figures import reason_table

# ------------------------------------------------------------------------------
# Texts of a study made harmless: seen as they are, never obeyed.


_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$])")
_LINKS = re.compile(r"(?i)(\bwww|\bhttps?:/|\bftp:/|\bmailto|\bxmpp)([./:])")
_START = re.compile(r"^(\d*)([#+\-=.)])")


def visible(text: str) -> str:
    r"""Return the text with control characters, line separators and direction marks written out: `\u202e`.

    Line feeds and tabs stay. Nothing that remains can end a line unseen or turn the text around it.
    """
    return "".join(letter if _shown(letter) else _written(letter) for letter in text)


def markup(text: str) -> str:
    """Return the text as HTML that shows it, in an element or between the quotes of an attribute."""
    return html.escape(visible(text), quote=True)


def escape_markdown(text: str) -> str:
    """Return the text as Markdown that shows it, on one line, wherever it stands."""
    line = " ".join(visible(text).split())
    escaped = _MARKDOWN.sub(r"\\\1", line).replace("&", "&amp;").replace("@", "&#64;")
    return _START.sub(r"\1\\\2", _LINKS.sub(r"\1\\\2", escaped))


def command(line: str) -> str:
    r"""Return a shell's command that does the same, with what cannot be seen written out: `$'\u202e'`."""
    return line if _plain(line) else " ".join(map(_word, shlex.split(line)))


def _word(word: str) -> str:
    if _plain(word):
        return shlex.quote(word)
    letters = (letter if _plain(letter) else _written(letter) for letter in word)
    escaped = (f"\\{letter}" if letter in ("\\", "'") else letter for letter in letters)
    return "$'" + "".join(escaped) + "'"


def _plain(text: str) -> bool:
    return all(_shown(letter) and letter not in "\n\t" for letter in text)


def _shown(letter: str) -> bool:
    if letter in "\n\t":
        return True
    return letter not in _DIRECTION and unicodedata.category(letter) not in _HIDDEN


def _written(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# ------------------------------------------------------------------------------
# A report as Markdown: the same words and numbers, charts by their tables.


def markdown(report: Report) -> str:
    """Return the whole file."""
    blocks = [*_head(report), *_judges(report), *_findings(report), *_reasons(report), *_story(report)]
    ends = [*_methods(report), *_sources(report), *_glossary(report), f"*{escape_markdown(report.rests_on)}*"]
    return "\n\n".join(filter(None, [*blocks, *ends])) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.findings.title)}"
    if report.warning:
        yield f"> **{escape_markdown(report.warning)}**"
    yield (
        f"Self-preference of LLM judges: findings. Study {escape_markdown(report.findings.study)}, "
        f"{escape_markdown(str(report.info.provenance))}, {report.rows['judgments']:,} judgments, "
        f"{escape_markdown(report.date)}."
    )


def _judges(report: Report) -> Iterator[str]:
    yield "## The judges"
    yield f"**{escape_markdown(report.sentence)}**"
    if report.board is not None:
        yield markdown_table(report.board.table)
        yield f"Deciding number: {escape_markdown(report.board.axis)}"


def _findings(report: Report) -> Iterator[str]:
    for question, words in QUESTIONS.items():
        findings = report.about(question)
        if findings:
            yield f"## {escape_markdown(words)}"
        for finding in findings:
            yield f"### {escape_markdown(finding.title)}"
            yield "\n".join(_claim(claim) for claim in finding.claims)
            if finding.doubted:
                yield "In doubt:"
                yield markdown_table(content.doubts(finding.doubted))


def _claim(claim: Claim) -> str:
    marks = (f"{words}: {'; '.join(whys)}" for words, whys in content.marks_of(claim))
    numbers = () if claim.question == "advice" else number_of(claim)
    number = " · ".join(map(escape_markdown, [*numbers, *marks]))
    return f"- **{escape_markdown(claim.sentence)}** {number}".rstrip()


def _reasons(report: Report) -> Iterator[str]:
    if report.reasons:
        yield f"## {content.REASONS}"
        yield escape_markdown(content.WHY)
        yield markdown_table(reason_table(report.reasons))


def _story(report: Report) -> Iterator[str]:
    if report.screens:
        yield f"## Pinned views: {escape_markdown(report.story)}"
    for shown in report.screens:
        yield f"### {escape_markdown(shown.pin.title)}"
        yield "\n\n".join(
            f"> {escape_markdown(line)}" for line in shown.pin.note.splitlines() if line.strip()
        )
        yield from _exhibit(shown.exhibit)


def _exhibit(exhibit: Exhibit) -> Iterator[str]:
    yield from (f"*{escape_markdown(problem)}*" for problem in exhibit.problems)
    yield from map(escape_markdown, exhibit.sentences)
    if exhibit.table is not None:
        yield markdown_table(exhibit.table)
    yield from map(escape_markdown, exhibit.basis)
    yield _commands(exhibit.commands)


def _methods(report: Report) -> Iterator[str]:
    yield "## How it was measured"
    yield from map(escape_markdown, content.on_methods(report))
    lines = [(measure.title, content.words_of(measure)) for measure in report.measures]
    yield "\n".join(f"- **{escape_markdown(title)}**: {escape_markdown(words)}" for title, words in lines)
    yield "\n".join(f"- Not tried: {escape_markdown(line)}" for line in content.untried(report))


def _sources(report: Report) -> Iterator[str]:
    yield "## Missing verdicts"
    yield markdown_table(content.missing(report))
    for title, table in content.sources(report).items():
        yield f"{title}:"
        yield markdown_table(table)
    yield "## Commands that reproduce these numbers"
    yield content.PLACE
    yield _commands(content.first_steps(report))
    yield content.EACH
    yield _commands(report.commands)


def _glossary(report: Report) -> Iterator[str]:
    yield "## Glossary"
    terms = content.glossary(report)
    yield "\n".join(f"- **{escape_markdown(one.name)}**: {escape_markdown(one.meaning)}" for one in terms)


def markdown_table(shown: Table) -> str:
    """Return rows as a table; the characters that would end a cell are escaped."""
    lines = [_line(shown.heads), _line("---" for _ in shown.heads), *map(_line, shown.rows)]
    rest = f"\n\n{shown.more:,} more rows; the command prints them all." if shown.more else ""
    return "\n".join(lines) + rest


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell if cell == '---' else escape_markdown(cell) for cell in cells)} |"


def _commands(lines: Iterable[str]) -> str:
    """Return commands as a block of code, fenced by more backticks than any of them holds."""
    shown = "\n".join(command(line) for line in lines if line)
    if not shown:
        return ""
    runs = [len(list(run)) for letter, run in groupby(shown) if letter == "`"]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}sh\n{shown}\n{fence}"

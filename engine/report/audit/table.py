"""The table of judges for LaTeX, with booktabs; texts of the study are escaped."""

from typing import TYPE_CHECKING

from engine.charts.export import latex_text
from engine.phrases import sentence_case
from engine.report.escape import visible
from engine.words import conclusions, group_conclusions
from engine.words.given_expected import MATCHED, cases_of
from engine.words.written_numbers import in_brackets

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow
    from engine.report.audit.content import AuditContent

ALL = "All judges together"


def latex_table(audit: "AuditContent") -> str:
    """Return the judges as a table; where none can be tested, the questions with their answers."""
    board = audit.board
    if board is None or not board.rows:
        return _answers(audit)
    rows, result = board.rows, board.table.result
    group = None if result is None else group_conclusions.group_row(result.rows)
    of = cases_of(next((row for row in rows if row["decided_by"]), rows[0]))
    cases = sentence_case(of.axis)
    what = "what each judge gave and what is expected from other judges"
    if of is MATCHED:
        what = "in how many each judge passed its own and in how many the other answer"
    caption = (
        f"{cases}: {what}. The conclusion and the 95% "
        "intervals (CI) of the judges are adjusted for the number of judges; a gate uses plain intervals. "
        f"$n$: {of.noun}s."
    )
    lines = [_line(row) for row in rows]
    if group is not None and group["own_given"] is not None:
        lines = [_line(group), r"\midrule", *lines]
    given, expected = of.heads.get("own_given", "Given"), of.heads.get("own_expected", "Expected")
    heads = ("Judge", "$n$", _escaped(given), rf"{_escaped(expected)} [95\% CI]", "Conclusion")
    return _table(_escaped(caption).replace(r"\$n\$", "$n$"), "lrrll", heads, lines)


def _answers(audit: "AuditContent") -> str:
    lines = [
        f"{_escaped(each.section.question)} & {_escaped(' '.join(each.sentences) or '–')} \\\\"
        for each in audit.answers
    ]
    columns = r"p{0.3\linewidth}p{0.65\linewidth}"
    return _table("What the study says on its judges.", columns, ("Question", "Answer"), lines)


def _line(row: "ScorecardRow") -> str:
    given, expected, low, high = (
        None if share is None else 100 * share
        for share in (
            row["own_given"],
            row["own_expected"],
            row["own_expected_low"],
            row["own_expected_high"],
        )
    )
    cells = (
        ALL if row["judge"] is None else str(row["judge"]),
        "–" if (number := row[cases_of(row).number]) is None else f"{number:,}",
        "–" if given is None else f"{given:.1f}",
        _expected(expected, low, high),
        conclusions.conclusion_words(row),
    )
    return " & ".join(map(_escaped, cells)) + r" \\"


def _expected(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "–"
    if low is None or high is None:
        return f"{value:.1f}"
    return in_brackets(f"{value:.1f}", f"{low:.1f}", f"{high:.1f}")


def _table(caption: str, columns: str, heads: tuple[str, ...], lines: list[str]) -> str:
    parts = (
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        r"\label{tab:audit}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    )
    return "\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    return latex_text(visible(text).replace("\n", " "))

"""The parts of a report that say how numbers are made, where they come from, and how to take them again."""

from engine.report import notes
from engine.report.content import Report
from engine.report.html_parts import commands, folded, table
from engine.report.texts import markup


def methods(report: Report) -> str:
    """Return the rules of the findings, and the words of each measure."""
    rules = "".join(
        f"<dt><b>{markup(method.title)}</b></dt><dd>{markup(notes.method_of(method))}</dd>"
        for method in report.found.methods
    )
    measures = "".join(
        f"<h4>{markup(measure.title)}</h4>"
        + "".join(f"<p>{markup(line)}</p>" for line in notes.words_of(measure))
        for measure in report.measures
    )
    told = "".join(f"<p>{markup(line)}</p>" for line in notes.on_methods(report))
    return (
        f'<section id="methods"><h2>How they are made</h2>{told}{folded("The rules", f"<dl>{rules}</dl>")}'
        f"<h3>Measures</h3>{measures}</section>"
    )


def sources(report: Report) -> str:
    """Return what the study is, its files with their hashes, its judgments by status, and the versions."""
    statuses = table(notes.statuses(report), notes.STATUSES)
    return (
        '<section id="sources"><h2>Where they come from</h2>'
        f"{table(notes.facts(report), notes.FACTS)}{table(notes.files(report), notes.FILES)}"
        f"{folded('Judgments by judge, way of judging and status', statuses)}</section>"
    )


def reproduction(report: Report) -> str:
    """Return every command of the report."""
    return (
        f'<section id="again"><h2>Do it again</h2><p>{markup(notes.PLACE)}</p>'
        f"{commands(notes.first_steps(report))}<p>{markup(notes.EACH)}</p>{commands(report.commands)}</section>"
    )

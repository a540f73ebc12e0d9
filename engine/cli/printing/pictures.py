"""A measure's chart as a file: `--out chart.svg` of the commands that print a measure."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.exit_codes import NoAnswerError
from engine.cli.output import check_new_file, say, write_file
from engine.errors import UsageError
from engine.extras import drawing_package

if TYPE_CHECKING:
    from engine.measures.entry import Measure
    from engine.study import Study

PICTURES = ("svg", "png", "pdf")
"""The endings of files that hold a chart."""


_MOST_SAID = 2
"""Most sentences above a chart: of the judges, the conclusion on all together and how sure that is."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The file of a chart that a command is to draw, and whether it may replace one."""

    out: str
    force: bool


def ending_of(out: str) -> str:
    """Return the ending of a file's name in small letters, empty if it has none."""
    return Path(out).suffix.removeprefix(".").lower()


def refuse_picture(out: str) -> None:
    """Raise UsageError if a file that is to hold text has the name of a picture."""
    if ending_of(out) in PICTURES:
        raise UsageError(
            f"--out {out!r}: this command draws no picture; choose another ending, such as .md, .csv or "
            ".json. `spb measure`, `spb judges` and `spb report STUDY --judge NAME` draw"
        )


def write_picture(study: "Study", measure: "Measure", options: dict[str, Any], picture: Picture) -> None:
    """Write the chart of a measure, with what it shows above it, and what it is based on below.

    Raises UsageError if the measure has no chart or its rows cannot be drawn, or what draws them is not
    installed; NoAnswerError if it has no rows.
    """
    out = picture.out
    check_new_file(out, force=picture.force)
    drawing_package()  # before anything is computed
    from engine.charts import check, draw, export
    from engine.charts.chart_spec import spec_of
    from engine.views.shown import without_number
    from engine.views.summaries import summary_of
    from engine.words.based_on import basis_of, left_out_of, runs_in_picture
    from engine.words.caveats import marked_caveats
    from engine.words.plain_names import on_page

    check(measure.name, options)
    result = study.result(measure, **options)
    if not result.rows:
        raise NoAnswerError(f"there is nothing to draw: {result.reason}; {out} was not written")
    spec = spec_of(draw(result, study.families(result.filters.get("relatives"))))
    writers: dict[str, Callable[..., bytes]] = {
        "svg": export.svg_of,
        "png": export.png_of,
        "pdf": export.pdf_of,
    }
    caption = [] if measure.name != "scorecard" else marked_caveats(result.rows)
    summary = summary_of(result)
    caption += [*filter(None, (basis_of(result.filters, summary.fields, result.names), left_out_of(result)))]
    caption += [*runs_in_picture(study, result), *without_number(result, spec)]
    lead = list(map(on_page, summary.sentences[:_MOST_SAID]))
    content = writers[ending_of(out)](spec, f"{measure.title}: {study.name}", caption, lead)
    write_file(Path(out), content)
    say(f"wrote {out}: {len(content):,} bytes")

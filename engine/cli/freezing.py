"""`spb freeze` and `spb reproduce`: a study as a folder that gives the same numbers elsewhere."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.exit_codes import DONE, FAILED, NO_ANSWER, NoAnswerError, checking
from engine.cli.options import StoreOption, StudyArgument, open_study
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows
from engine.phrases import quantity
from engine.wording import command_line

if TYPE_CHECKING:
    from engine.report.frozen.reproduction import Reproduction

MOST_SHOWN = 40
"""As many differences are printed as a table; JSON and CSV have all."""


def freeze(
    study: StudyArgument,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder to write (default: STUDY-frozen); it must be new or empty."
        ),
    ] = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Write a study and all its numbers for others to reproduce.

    The folder holds the tables, the numbers of every measure, the methods as text, the commands, and the
    versions and checksums that `spb reproduce` compares with. It includes the study's texts. All runs are in
    it, and its numbers take them together: what is published can be compared only whole. Exit code 3: no
    measure has a number; nothing is written.
    """
    from engine.report.frozen.content import content_of, write_frozen
    from engine.report.frozen.record import RECORD_FILE, frozen_folder, sha256_of

    content = content_of(open_study(store, study))
    if not content.n_rows:
        raise NoAnswerError(
            f"no measure of the study {study!r} has a number; "
            f"`{command_line('study', 'info', study)}` says what is missing"
        )
    folder = Path(out) if out else frozen_folder(study)
    record = write_frozen(content, folder)
    size = sum(each.size for each in record.files)
    facts = {
        "study": study,
        "folder": str(folder),
        "sha256": sha256_of(folder / RECORD_FILE),
        "bytes": size,
        "software": record.software,
    }
    counts = (
        quantity(content.n_rows, "row"),
        quantity(len(content.numbers), "measure"),
        quantity(len(record.files) + 1, "file"),
    )
    sentences = (
        "Froze {} in {}: {} of {}, {}, {:,} bytes.".format(study, folder, *counts, size),
        f"SHA-256 of {RECORD_FILE}, which has those of all files: {facts['sha256']}",
    )
    rows = [each.model_dump() for each in record.measures if each.rows]
    print_rows(Rows(rows, {"measure": "Measure", "rows": "Rows"}, sentences, facts), format)
    say(f"next: spb reproduce {folder}")


@checking
def reproduce(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Folder that `spb freeze` wrote.", show_default=False)
    ],
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Compute a frozen study's numbers again, and compare them.

    What differs is named: the file, the verdict, the row and field of a measure, before and after; and the
    packages of other versions. Numbers are the same that agree to nine digits. Nothing in the folder is
    executed or changed. Exit code 0: all are the same; 1: something differs; 2: the folder cannot be read;
    3: nothing could be computed.
    """
    from engine.report.frozen.reproduction import reproduce as computed_again

    outcome = computed_again(Path(folder).expanduser())
    differences = [asdict(each) for each in outcome.differences]
    changes = [asdict(each) for each in outcome.versions]
    facts = {
        "study": outcome.record.study,
        "status": _status(outcome),
        "frozen": outcome.record.date,
        "measures": outcome.n_measures,
        "compared_rows": outcome.compared,
        "versions": changes,
        "unnamed_verdicts": outcome.unnamed_verdicts,
    }
    shown = differences if format != "table" else differences[:MOST_SHOWN]
    columns = {"table": "Table", "row": "Row", "field": "Field", "before": "Before", "after": "After"}
    print_rows(Rows(shown, columns, _sentences(outcome), facts), format)
    if len(shown) < len(differences):
        say(f"{len(differences) - len(shown):,} more; --format json has all")
    sys.exit({"same": DONE, "differs": FAILED}.get(_status(outcome), NO_ANSWER))


def _status(outcome: "Reproduction") -> str:
    if not outcome.is_computed:
        return "not computed"
    return "same" if outcome.is_same else "differs"


def _sentences(outcome: "Reproduction") -> list[str]:
    record, status = outcome.record, _status(outcome)
    what = f"{quantity(outcome.compared, 'row')} of {quantity(outcome.n_measures, 'measure')}"
    if status == "same":
        first = f"The same: {what} of {record.study}, frozen on {record.date}, were computed again and agree."
    elif status == "not computed":
        first = f"Not computed: no number of {record.study} could be computed again."
    else:
        again = f"{what} of {record.study}, frozen on {record.date}, were computed again"
        first = f"Differs: {again}. {_counts(outcome)}"
    if not outcome.versions:
        return [first, "All packages have the versions with which it was frozen."]
    packages = ", ".join(
        f"{each.package} {each.after or 'missing'} (was {each.before or 'missing'})"
        for each in outcome.versions
    )
    return [first, f"Packages of other versions: {packages}."]


def _counts(outcome: "Reproduction") -> str:
    verdicts = outcome.count("verdict") + outcome.unnamed_verdicts
    counts = {
        "file": outcome.count("file"),
        "value of a verdict": verdicts,
        "number": outcome.count("number"),
        "measure": outcome.count("measure"),
    }
    parts = [
        quantity(n, word) if " " not in word or n == 1 else f"{n:,} values of verdicts"
        for word, n in counts.items()
        if n
    ]
    return f"Not as it was: {', '.join(parts)}."

"""`spb atlas`: what published studies say on judges, rebuilt, added to and exported."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.download_progress import download_progress
from engine.cli.options import ForceOption, StoreOption, StudyArgument, next_command, open_study
from engine.cli.output import check_new_file, say, say_undrawn
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows
from engine.cli.study.study_place import study_of
from engine.errors import UsageError, unknown
from engine.phrases import part_of

if TYPE_CHECKING:
    from engine.atlas.build import StudyOutcome
    from engine.atlas.rows import StudyNumbers

atlas_app = typer.Typer(
    help="See, rebuild and extend what published studies say on judges.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SortKey = Literal["study", "excess", "family"]
SORTED_BY: Mapping[SortKey, str] = {"excess": "excess", "family": "excess_family"}

FolderOption = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="An atlas that spb atlas build wrote (default: the numbers that ship)."),
]


@atlas_app.command("list")
def list_atlas(
    atlas: FolderOption = None,
    sort: Annotated[
        SortKey, typer.Option("--sort", help="Order of the judges: by study, or the largest first.")
    ] = "study",
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """List each judge of each published study.

    With what it gave its own and was expected to give, the conclusion and the licence. JSON and CSV have
    every number, with source, commit and date.
    """
    from engine.atlas.declared import declared
    from engine.atlas.files import flat_rows
    from engine.views.atlas import CELLS, cells_of, known_so_far, outside_note

    studies = _studies(atlas)
    rows = list(flat_rows(studies, declared()))
    if sort != "study":
        field = SORTED_BY[sort]
        rows.sort(key=lambda row: (row[field] is None, -(row[field] or 0)))
    sentences = (*known_so_far(studies), *outside_note(rows))
    print_rows(Rows(rows, CELLS, sentences, cells=list(map(cells_of, rows))), format)


@atlas_app.command("studies")
def list_studies(format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the published studies of the atlas.

    With source, licence, commit, and what they can measure.
    """
    from engine.atlas.declared import declared
    from engine.atlas.rows import shipped

    entries = declared().studies.values()
    shown = {study.study for study in shipped() if study.rows}
    rows = [
        {
            **{
                name: getattr(entry, name)
                for name in ("name", "title", "source", "licence", "commit", "year")
            },
            "read": entry.is_read,
            "listed": entry.name in shown,
            "measures": entry.measures,
        }
        for entry in entries
    ]
    n_seen = sum(entry.is_verified for entry in entries)
    n_read = sum(entry.is_read for entry in entries)
    studies = part_of(n_seen, len(rows), "study")
    sentences = (
        f"The source of {studies} was seen: its commit, and any licence it states.",
        f"{n_read} can be read by spb atlas build; spb atlas list has the {len(shown)} whose numbers ship.",
    )
    columns = {"name": "Name", "licence": "Licence", "year": "Year", "read": "Can be read"}
    columns |= {"listed": "In the list", "measures": "Measures"}
    cells = [row | {"year": str(row["year"])} for row in rows]
    print_rows(Rows(rows, columns, sentences, cells=cells), format)


@atlas_app.command("build")
def build_atlas(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Studies to build (default: all).")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FOLDER", help="Folder with files of the studies, used where they are."
        ),
    ] = None,
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder to write.")] = "atlas",
    no_fetch: Annotated[
        bool, typer.Option("--no-fetch", help="Fetch nothing: build the studies whose files are in --from.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Compute studies again that are built already.")
    ] = False,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Fetch published studies and compute their numbers.

    Writes atlas.json and atlas.parquet. Each study stands apart: one that fails is named and skipped, and the
    same command goes on with those that are missing. The imported studies stay in the store (default:
    DIR/store).
    """
    from engine.atlas.build import build
    from engine.atlas.declared import declared
    from engine.atlas.files import write_atlas
    from engine.atlas.rows import read_all
    from engine.store import Store

    entries = declared().studies
    for name in names or ():
        if name not in entries:
            raise unknown("published study", name, entries)
    folder, source = Path(out), None if origin is None else Path(origin).expanduser()
    if source is not None and not source.is_dir():
        raise UsageError(f"there is no folder {origin!r}; give --from the folder with the studies' files")
    if no_fetch and source is None:
        raise UsageError("--no-fetch needs files; give --from the folder with the studies' files")
    place = store or str(folder / "store")
    with download_progress() as progress:
        outcomes = build(
            [entries[name] for name in names or entries],
            folder,
            Store(place),
            origin=source,
            fetching=not no_fetch,
            again=again,
            progress=progress,
            report=_say,
        )
    studies = read_all(sorted((folder / "studies").glob("*.json")))
    for path in write_atlas(studies, declared(), folder):
        say(f"wrote {path}")
    n_failed = sum(outcome.state == "failed" for outcome in outcomes)
    if n_failed:
        say(f"{n_failed} of {len(outcomes)} studies failed; the same command tries them again")
    say(f"next: {next_command(None, 'atlas', 'list', '--atlas', out)}")
    print_done(format, *map(_row_of, outcomes), atlas=str(folder))
    if not any(outcome.numbers for outcome in outcomes):
        raise typer.Exit(1)


def _row_of(outcome: "StudyOutcome") -> dict[str, object]:
    n_rows = 0 if outcome.numbers is None else len(outcome.numbers.rows)
    return {"study": outcome.study, "state": outcome.state, "rows": n_rows, "why": outcome.why}


def _say(outcome: "StudyOutcome") -> None:
    rows = "" if outcome.numbers is None else f", {len(outcome.numbers.rows)} rows"
    say(f"{outcome.study}: {outcome.state}{rows}" + (f": {outcome.why}" if outcome.why else ""))


@atlas_app.command("add")
def add_study(
    study: StudyArgument,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What readers call the study.")],
    source: Annotated[str, typer.Option(metavar="URL", help="Where its judgments are published.")],
    licence: Annotated[str, typer.Option(metavar="TEXT", help="The licence that is stated there.")],
    commit: Annotated[str, typer.Option(metavar="HASH", help="The state that was imported.")] = "unverified",
    year: Annotated[int | None, typer.Option(metavar="YEAR", help="Year (default: this one).")] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="File to write (default: STUDY.json).")
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Write the rows of your own study for a pull request.

    The file, for datasets/atlas, has numbers and the judges' names alone: no verdict and no text. All runs
    count together, as in `spb judges` without --run.
    """
    from engine.atlas.build import write_numbers
    from engine.atlas.declared import PublishedStudy
    from engine.atlas.rows import numbers_of

    name, place = study_of(study, None, store)
    file = out or f"{name}.json"
    check_new_file(file, force=force)
    facts = PublishedStudy(
        name=name,
        title=title,
        source=source,
        licence=licence,
        commit=commit,
        year=year or date.today().year,
        measures="",
    )
    numbers = numbers_of(open_study(place, name), facts)
    if not numbers.rows:
        raise UsageError(f"the study {name!r} has no row for the atlas: {numbers.nothing_because}")
    write_numbers(numbers, Path(file))
    say(f"wrote {file}: {len(numbers.rows)} rows")
    print_done(format, {"study": name, "file": file, "rows": len(numbers.rows)})


@atlas_app.command("export")
def export(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder to write.")],
    atlas: FolderOption = None,
    force: ForceOption = False,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Write the atlas as a page that any web server can host.

    Its numbers stand beside it. The page loads nothing from anywhere.
    """
    from engine.atlas.declared import declared
    from engine.report.atlas import export_atlas

    paths = export_atlas(_studies(atlas), declared(), Path(folder), force=force)
    for path in paths:
        say(f"wrote {path}")
    say_undrawn(f"{paths[0]} has no charts")
    print_done(format, *({"file": str(path)} for path in paths))


def _studies(folder: str | None) -> "tuple[StudyNumbers, ...]":
    """Return the numbers of an atlas in a folder, or those that ship; UsageError where there are none."""
    from engine.atlas.rows import SHIPPED, read_all, shipped

    built = () if folder is None else sorted((Path(folder) / "studies").glob("*.json"))
    studies = shipped() if folder is None else read_all(built)
    if not studies:
        where = str(SHIPPED) if folder is None else folder
        raise UsageError(f"there is no atlas in {where!r}; build one with spb atlas build")
    return studies

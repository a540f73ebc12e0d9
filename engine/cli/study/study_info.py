"""`spb study info`: what a study concludes, what it can measure, and what is missing for the rest."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.former import is_former
from engine.cli.measure.measure_list import by_question
from engine.cli.options import RunsOption, StoreOption, StudyArgument, next_command, open_study
from engine.cli.output import say, say_detail
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows, print_sentences
from engine.cli.references import vote_of_all
from engine.errors import SpbError, UsageError, printable

if TYPE_CHECKING:
    from engine.explore.diagnosis import Diagnosis


def doctor(
    study: StudyArgument,
    run: RunsOption = None,
    store: StoreOption = None,
    resamples: Annotated[
        int,
        typer.Option(help="Resamples for the width of intervals, of which few do; 0 for no widths.", min=0),
    ] = 200,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Show what a study concludes, and what it can measure.

    What is missing for the rest is named. -v says of each measure how many rows have its number, and how wide
    its intervals are.
    """
    from engine.explore.doctor import examine
    from engine.measures.no_reference import COMMITTEE_VOTES
    from engine.words import conclusions
    from engine.words.based_on import in_order
    from engine.words.conclusion_remarks import remarks_on_conclusions
    from engine.words.other_judgments import other_variants
    from engine.words.slice_words import unused_reference

    one_study = open_study(store, study, run)
    diagnosis = examine(one_study, resamples=resamples)
    scorecard = diagnosis.scorecard
    concluded = list(conclusions.study_lines(() if scorecard is None else scorecard.rows))
    if format == "table" and is_former():
        for line in (*diagnosis.lines(), "conclusions:", *(f"  {line}" for line in concluded)):
            print(printable(line))
        return
    remarks: list[str] = []
    if scorecard is not None and format != "csv":
        remarks = [
            *filter(None, [unused_reference(scorecard.filters)]),
            *remarks_on_conclusions(one_study, scorecard),
            *other_variants(one_study, scorecard),
        ]
    if format == "table":
        print_sentences(in_order(concluded, remarks))
        print()
        print_measurable(diagnosis)
        for line in diagnosis.lines():
            say_detail(line)
        for line in next_steps(diagnosis, store):
            say(line)
        if any(COMMITTEE_VOTES in verdict.why for verdict in diagnosis.measures if verdict.answer == "no"):
            say(vote_of_all(one_study, store))
        return
    facts = {
        "study": study,
        "conclusions": concluded,
        "remarks": remarks,
        "instances": diagnosis.instances,
        "generators": diagnosis.generators,
        "judges": [asdict(each) for each in diagnosis.judges],
        "cautions": list(diagnosis.cautions),
    }
    rows = [asdict(each) for each in diagnosis.measures]
    print_rows(Rows(rows, {"measure": "Measure", "answer": "Answer"}, facts=facts), format)


def print_measurable(diagnosis: "Diagnosis") -> None:
    """Print what can be measured, by question, then what cannot, by reason, and caveats."""
    answers = {verdict.measure: verdict.answer for verdict in diagnosis.measures}
    able = {
        question: [each.name for each in measures if answers.get(each.name, "no") != "no"]
        for question, measures in by_question()
    }
    unable: dict[str, list[str]] = {}
    for verdict in diagnosis.measures:
        if verdict.answer == "no":
            unable.setdefault(verdict.why, []).append(verdict.measure)
    print_sentences(["Can be measured:" if any(able.values()) else "Nothing can be measured yet."])
    for question, names in able.items():
        if names:
            print_sentences([question], "  ")
            print_sentences([", ".join(names)], "    ")
    if unable:
        print_sentences(["Cannot be measured:"])
    for why, names in unable.items():
        print_sentences([f"{', '.join(names)}: {why}"], "  ")
    print_sentences(f"Caveat: {caution}" for caution in diagnosis.cautions)


def next_steps(diagnosis: "Diagnosis", store: str | None) -> Iterator[str]:
    """Yield the commands to go on with."""
    if not diagnosis.judges:
        return
    yield f"next: {next_command(store, 'judges', diagnosis.study)}"
    yield f"      {next_command(store, 'report', diagnosis.study, '--out', 'report.html')}"


def list_studies(store: StoreOption = None, format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the studies of the store."""
    from engine.store import Store
    from engine.words.provenance import provenance_words

    folder = Store(store)
    if (store or os.environ.get("SPB_STORE")) and not folder.location.exists():
        raise UsageError(f"there is no folder {folder.root!r}; name the one that holds the studies")
    infos, damaged = [], []
    for name in folder.studies():
        try:
            infos.append((name, folder.open(name).info))
        except SpbError as error:
            damaged.append({"study": name, "error": str(error)})
    rows = [{"study": name, "title": info.title, "provenance": info.provenance} for name, info in infos]
    cells = [row | {"provenance": provenance_words(info)} for row, (_, info) in zip(rows, infos, strict=True)]
    columns = {"study": "Study", "title": "Title", "provenance": "Judgments are"}
    remedy = "import one with `spb import PATH`"
    sentences = () if rows or damaged else (f"The store {folder.root!r} holds no study yet: {remedy}.",)
    facts = {"store": folder.root, "damaged": damaged}
    print_rows(Rows(rows, columns, sentences, facts, cells), format)
    for each in damaged:
        say(f"not listed: {each['study']}: {each['error']}", caution=True)

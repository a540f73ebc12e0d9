"""`spb measure NAME`: a command for each entry of the catalogue of measures."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from engine.cli.command import as_command
from engine.cli.compare import changed_judges
from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.measure.measure_list import by_question, list_measures
from engine.cli.measure.slice_flags import (
    SlicedCommand,
    flag_of,
    given_flags,
    names_of_files,
    output_parameters,
    slice_parameters,
)
from engine.cli.options import next_command, open_study, parameter, split_names
from engine.cli.output import note, say
from engine.cli.printing.pictures import Picture, write_picture
from engine.cli.printing.result_tables import print_result
from engine.cli.printing.rows import print_sentences
from engine.cli.references import vote_of_all
from engine.cli.study.study_place import study_of
from engine.errors import SpbError, UsageError
from engine.measures.entry import ROWS, Measure
from engine.measures.without_groups import refuse_groups
from engine.phrases import join_names, sentence_case
from engine.slices import FLAG_NAMES, GROUPINGS, grouping_words

if TYPE_CHECKING:
    from engine.measures.result import Result
    from engine.study import Study

LIST = "list"
"""The command that lists the measures, beside one for each."""


def _parameters(measure: Measure) -> list[inspect.Parameter]:
    groups = GROUPINGS if measure.sliced else measure.groups
    many = "one or two" if measure.sliced else "one"
    help_by = f"Group rows by {many} of {', '.join(grouping_words(groups))}."
    metavar = "COLUMN[,COLUMN]" if measure.sliced else "COLUMN"
    by = typer.Option("--by", metavar=metavar, hidden=not groups, help=help_by)
    help_against = 'Compare with another slice, such as "axis=accuracy;polarity=negative".'
    against = typer.Option("--against", metavar="FILTERS", hidden=not measure.sliced, help=help_against)
    help_common = "Keep only answers counted in all slices compared."
    common = typer.Option("--common", hidden=not measure.sliced, help=help_common)
    resamples = typer.Option("--resamples", min=0, help="Number of bootstrap resamples; 0 for no intervals.")
    help_interval = "Interval method: expanded (wider if cases are few) or percentile."
    interval = typer.Option("--interval", help=help_interval)
    intervals = [parameter("interval", Annotated[str, interval], "expanded")] if measure.sliced else []
    return [
        *slice_parameters(),
        *map(flag_of, measure.options),
        parameter("by", Annotated[list[str] | None, by], None),
        parameter("against", Annotated[str | None, against], None),
        parameter("common", Annotated[bool, common], False),
        parameter("resamples", Annotated[int, resamples], 1000),
        parameter("seed", Annotated[int, typer.Option("--seed", min=0, help="Seed of the bootstrap.")], 0),
        *intervals,
        *output_parameters(),
        parameter("picture", Picture | None, None),
    ]


def _command(measure: Measure) -> Callable[..., None]:
    def run(
        *,
        study: str,
        store: str | None,
        format: str,  # noqa: A002
        every: bool,
        verbose: bool,
        picture: Picture | None = None,
        **options: Any,
    ) -> None:
        from engine.words.based_on import left_out_of

        _note_successor(measure)
        one_study = open_study(store, study)
        given = given_flags(options, one_study)
        if picture is not None:
            write_picture(one_study, measure, given, picture)
            return
        result = one_study.result(measure, **given)
        remarks = _remarks(result, given, one_study, store) if format == "table" else ()
        print_result(result, format, every=every, verbose=verbose, remarks=remarks)
        if format == "table" and measure.name.startswith("ranking") and result.left_out.get("incomplete"):
            print()
            print_sentences([left_out_of(result)])
        if result.has_numbers or format == "json" or is_former():
            return
        if not result.rows:
            for sentence in _instead(result, given, one_study, store, study):
                say(sentence)
        raise typer.Exit(NO_ANSWER)

    source = measure.paper.removeprefix("none; ")
    run.__doc__ = f"{measure.question}\n\n{measure.formula} ({source})."
    run.__signature__ = inspect.Signature(_parameters(measure))  # type: ignore[attr-defined]
    return run


def _remarks(result: "Result", given: Mapping[str, Any], study: "Study", store: str | None) -> list[str]:
    """Return what to know of a result's slices and runs, and which judges changed between runs."""
    from engine.arrays.run_order import runs_in_order
    from engine.words.conclusion_remarks import remarks_on_result
    from engine.words.slice_words import of_one_question_each, sides_compared

    remarks = [*names_of_files(given, study), *sides_compared(result), *_other_questions(result, study)]
    remarks += of_one_question_each(study, result)
    remarks += remarks_on_result(study, result)
    if result.rows and result.measure.across_runs:
        only, paradigm = (result.filters.get(name) for name in ("run", "paradigm"))
        runs = [run for run in runs_in_order(study, paradigm) if not only or run in only]
        remarks += changed_judges(study, runs, store)
    return remarks


def _other_questions(result: "Result", study: "Study") -> list[str]:
    """Return that two runs compared share no question, so that no judge need have changed."""
    from engine.explore.run_changes import without_shared_question

    after, before = (filters.get("run") for filters in (result.filters, result.filters.get("against") or {}))
    if not result.rows or not after or not before or len(after) > 1 or len(before) > 1 or after == before:
        return []
    apart = without_shared_question(study, before[0], after[0])
    return [] if apart is None else [f"{sentence_case(apart)}, not the judges."]


def _instead(
    result: "Result", given: Mapping[str, Any], study: "Study", store: str | None, place: str
) -> Iterator[str]:
    """Yield where a study has numbers, if a result has none; `place` is the study as it was given."""
    from engine.findings.commands import flag_words
    from engine.measures.catalogue import find
    from engine.measures.no_reference import COMMITTEE_VOTES, PAIRS_ALONE

    measure = result.measure
    other, shows = measure.instead or ("", "")
    flags = {name: value for name, value in given.items() if name in FLAG_NAMES}
    is_elsewhere = other and study.result(find(other), **flags, resamples=0).rows
    if is_elsewhere:
        command = next_command(store, "measure", other, place, *flag_words(flags))
        yield f"{shows} is another measure: {command}"
    if COMMITTEE_VOTES in (result.reason or ""):
        yield vote_of_all(study, store)
    elif is_elsewhere:
        return
    elif result.reason == PAIRS_ALONE:
        yield f"of pairs, without a reference: {next_command(store, 'judges', place)}"
    elif reading := measures_that_read(study.inventory.values("paradigm"), measure):
        command = next_command(store, "judges", place)
        yield f"the study has judgments for {join_names(reading, 4)}; begin with: {command}"


def measures_that_read(present: Collection[str | None], measure: Measure) -> list[str]:
    """Return the measures that read judgments of paradigms that are present, where `measure` reads none."""
    from engine.measures.catalogue import MEASURES

    if not measure.paradigms or set(measure.paradigms) & set(present):
        return []
    others = [each for each in MEASURES.values() if each.part_of is None]
    return [each.name for each in others if set(each.paradigms) & set(present)]


def _refuses_groups(measure: Measure) -> Callable[[Mapping[str, Any]], None] | None:
    """Return what refuses --by of a measure that has no groups, with all that is to be said, and at once."""
    if measure.sliced or measure.groups:
        return None

    def check(given: Mapping[str, Any]) -> None:
        from engine.store import Store  # which takes long to import

        by = split_names(given["by"] or ())
        if not by:
            return
        store, study, problem = given["store"], "STUDY", ""
        try:
            study, store = study_of(given["study"], given["study_option"], store)
            Store(store).open(study)
        except SpbError as error:
            problem = f"; {error}"

        def command(before: str, *after: str) -> str:
            return next_command(store, *before.split(), study, *after)

        def grouped(name: str, columns: str) -> str:
            return command(f"measure {name}", "--by", columns)

        raise UsageError(refuse_groups(measure, by, command("slices"), grouped).message, problem)

    return check


def _note_successor(measure: Measure) -> None:
    """Note that a measure is called by a former name, and the present way to its rows."""
    if measure.part_of is not None:
        name, rows = measure.part_of
        note(f"note: spb measure {measure.name} is now spb measure {name} --{ROWS} {rows}")


def measure_commands(*names: str) -> typer.Typer:
    """Return an application with a command for each of these measures, or for all."""
    from engine.measures.catalogue import MEASURES

    commands = typer.Typer(rich_markup_mode=None, add_completion=False)
    for measure in (MEASURES[name] for name in names or MEASURES):
        commands.command(measure.name, cls=SlicedCommand, short_help=measure.title)(
            as_command(_command(measure), _refuses_groups(measure))
        )
    return commands


class MeasureGroup(TyperGroup):
    """The commands of the catalogue, which is loaded only when needed, since it imports NumPy."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        return [*(measure.name for _, measures in by_question() for measure in measures), LIST]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # noqa: ARG002
        """Return the command of one measure; for an unknown name, load all, so that typer can suggest one."""
        from engine.measures.catalogue import MEASURES

        name = cmd_name.lower().replace("_", "-")
        if name != LIST:
            for each in [name] if name in MEASURES else MEASURES:
                self.commands.setdefault(each, typer.main.get_command(measure_commands(each)))
        return self.commands.get(name)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ARG002
        """Write the measures under the questions that they answer."""
        for question, measures in by_question():
            with formatter.section(question):
                formatter.write_dl([(measure.name, measure.title) for measure in measures])
        with formatter.section("All of them"):
            formatter.write_dl([(LIST, "List the measures, by the question that each answers.")])


metrics_app = typer.Typer(
    cls=MeasureGroup, help="Compute a measure of a study.", no_args_is_help=True, rich_markup_mode=None
)

metrics_app.command(LIST)(list_measures)

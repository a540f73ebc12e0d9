"""`spb judges`: what a study concludes on its judges, in six columns."""

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.measure.slice_flags import SlicedCommand, given_flags, output_parameters, slice_parameters
from engine.cli.options import next_command, open_study, parameter, split_names
from engine.cli.output import note, say
from engine.cli.printing.pictures import Picture, write_picture
from engine.cli.printing.result_tables import print_result
from engine.cli.printing.rows import print_sentences

if TYPE_CHECKING:
    from engine.measures.result import Result
    from engine.study import Study

ByOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by", metavar="COLUMN[,COLUMN]", help="Group by one or two columns, such as theme or axis."
    ),
]

ALONE = "no_outside_verdict"
"""The code of own cases that are listed and not counted, since judges of other families lack a verdict."""
COLUMNS = ("judge", "conclusion", "own_given", "own_expected", "n_own", "reason")

CommandClass = SlicedCommand


def judges(
    study: str,
    *,
    store: str | None = None,
    run: list[str] | None = None,
    every: bool = False,
    verbose: bool = False,
    format: str = "table",  # noqa: A002
    picture: Picture | None = None,
    **filters: Any,
) -> None:
    """Say whether the judges favour their own answers.

    First the conclusion, then a row for each judge: the conclusion on it, how many of 100 own cases it
    passed, how many were expected from judges of other families, the number of own cases, and what the
    conclusion rests on. With filters, such as --theme, all of that is on a slice alone; with --by, a row for
    each judge and value of a column. `spb measure which-judge` says which judge to use, and for what.
    """
    from engine.findings.commands import flag_words
    from engine.measures.catalogue import find
    from engine.words.based_on import left_out, runs_together
    from engine.words.conclusion_remarks import remarks_on_conclusions
    from engine.words.given_expected import counted_fields
    from engine.words.slice_words import of_one_question_each
    from engine.words.without_effect import without_effect

    one_study = open_study(store, study, run)
    given = given_flags(filters, one_study)
    if "min_instances" in given and "by" not in given:
        note(
            "note: --min-instances does not change what is concluded, which needs own answers from 10 "
            "questions and more (`spb explain too_few_cases`)"
        )
    measure = find("expected" if "by" in given else "scorecard")
    if picture is not None:
        write_picture(one_study, measure, given, picture)
        return
    if "by" in given:
        grouped = one_study.result(measure, **given)
        remarks: list[str] = []
        if format != "csv":
            remarks = [*runs_together(one_study, grouped), *of_one_question_each(one_study, grouped)]
            remarks += without_effect(grouped)
        print_result(grouped, format, every=every, verbose=verbose, remarks=remarks, is_remarked=True)
        if not grouped.rows:
            raise typer.Exit(NO_ANSWER)
        return
    result = one_study.result(measure, **given)
    remarks = []
    if format != "csv":
        remarks = [
            *remarks_on_conclusions(one_study, result),
            *_on_all(one_study, given, result),
        ]
    fields = counted_fields(COLUMNS, result)
    print_result(
        result, format, every=every, verbose=verbose, fields=fields, remarks=remarks, is_remarked=True
    )
    if format == "table" and any(result.uncounted.values()):
        print()
        print_sentences([left_out(result.uncounted)])
    if not result.rows:
        raise typer.Exit(NO_ANSWER)
    if format == "table" and (verdicts := _own_verdicts(one_study, store, run, given, result)):
        print()
        say(f"the verdicts behind it: {verdicts}", result=True)
        print_sentences(_listed_beside(one_study, given, result))
    if format == "table":
        flags = {"run": split_names(run or ()), **given}
        for words, other in _others(one_study, result):
            print()
            print_sentences([words])
            say(f"  {next_command(store, 'judges', study, *flag_words({**flags, **other}))}", result=True)


def _others(study: "Study", result: "Result") -> "Iterator[tuple[str, dict[str, str]]]":
    """Yield which other judgments, and variants, the conclusions do not rest on, and a filter for theirs."""
    from engine.measures.scorecard.deciding_source import other_sources
    from engine.words.other_judgments import rests_on, rests_on_variant, unused_variants

    decided = result.filters.get("paradigm")
    if others := other_sources(study, decided) if decided is not None else []:
        yield f"{rests_on(str(decided), others)}:", {"paradigm": others[0]}
    if words := rests_on_variant(study, result):
        yield f"{words} To see them:", {"variant": unused_variants(study, result)[0]}


def _own_verdicts(
    study: "Study", store: str | None, run: list[str] | None, given: Mapping[str, Any], result: "Result"
) -> str:
    """Return the command that lists the own cases of the one judge that is shown; empty for several."""
    from engine.findings.commands import flag_words

    judges = [row for row in result.rows if row["judge"] is not None]
    if len(judges) != 1 or "generators" in given:
        return ""
    name = [judges[0]["judge"]]
    flags = {"run": split_names(run or ()), **given, "judges": name, "generators": name}
    if len(study.inventory.values("paradigm")) > 1:
        flags["paradigm"] = result.filters["paradigm"]
    every = ("--kind", "all") if study.has_truth and judges[0]["truth"] == "any" else ()
    return next_command(store, "study", "verdicts", study.name, *flag_words(flags), *every)


def _listed_beside(study: "Study", given: Mapping[str, Any], result: "Result") -> list[str]:
    """Return how many own cases of the one judge shown are in that list and not counted, and why."""
    from engine.arrays.left_out import CODES
    from engine.explore.judgment_page import rows
    from engine.saved_slices import apply_saved_slices
    from engine.slices import Slice

    [row] = [row for row in result.rows if row["judge"] is not None]
    if not result.left_out.get(ALONE) or row["decided_by"] != "odds_self":
        return []
    of_judge = {**given, "judges": row["judge"], "generators": row["judge"]}
    spec = Slice.of(**apply_saved_slices(study.info, of_judge))
    total = rows(study, spec, "all" if row["truth"] == "any" else "failed", limit=1).total
    more = total - row["n_own"]
    if more <= 0:
        return []
    verb = "is" if more == 1 else "are"
    return [f"It lists {total:,}; {more:,} of them {verb} left out here: {CODES[ALONE]}."]


def _on_all(study: "Study", given: Mapping[str, Any], result: "Result") -> list[str]:
    """Return what the whole study concludes less than the slice that filters select; none without these."""
    from engine.conclusions import is_claim
    from engine.slices import OF_CASES
    from engine.words.conclusions import weaker_on_all

    others = {name: value for name, value in given.items() if name not in (*OF_CASES, "slice")}
    if len(others) == len(given) or not any(is_claim(row["conclusion"]) for row in result.rows):
        return []
    whole = study.result(result.measure, **others)
    if whole.filters.get("decided_by") != result.filters.get("decided_by"):
        return []
    return [sentence] if (sentence := weaker_on_all(result.rows, whole.rows)) else []


judges.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *slice_parameters(),
        parameter("by", ByOption, None),
        *output_parameters(),
        parameter("picture", Picture | None, None),
    ]
)

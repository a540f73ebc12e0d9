"""The commands that compute numbers of a study: metrics, find, power, doctor, committee, check and gates."""

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from typer.core import TyperGroup

from engine.cli.command import VerboseOption, as_command
from engine.cli.options import (
    StoreOption,
    StudyArgument,
    open_study,
    parameter,
    print_columns,
    split_names,
)
from engine.cli.output import say, write_file
from engine.cli.result_tables import print_result
from engine.errors import SpbError, UsageError, printable, unknown
from engine.measures.entry import Measure
from engine.slices import FLAGS, GROUPINGS, Option
from engine.values import full_stop, quantity, sentence_case

if TYPE_CHECKING:
    from engine.explore.gate import GateResult
    from engine.stats.power import Assumptions
    from engine.stats.power_of_differences import Design


# ------------------------------------------------------------------------------
# `spb metrics MEASURE`: one command for each entry of the catalogue, with flags made from `Slice`.


_TYPES: dict[str, Any] = {
    "names": list[str] | None,
    "numbers": list[str] | None,
    "name": str | None,
    "range": str | None,
    "number": float | None,
    "integer": int | None,
    "switch": bool,
}
_METAVARS = {"names": "NAMES", "numbers": "NUMBERS", "range": "LOW:HIGH", "name": "NAME"}

FormatOption = Annotated[Literal["table", "json", "csv"], typer.Option(help="Output format.")]
AllOption = Annotated[
    bool, typer.Option("--all", help="Print every column of the table, under its name in JSON and CSV.")
]
TopOption = Annotated[int | None, typer.Option(min=1, help="Print only this many rows, the clearest first.")]


def _flag(option: Option) -> inspect.Parameter:
    text = sentence_case(option.meaning) + (f"; one of {', '.join(option.choices)}" if option.choices else "")
    default = "" if option.default in (None, (), False) else f" (default: {option.default})"
    flag, metavar = f"--{option.name.replace('_', '-')}", _METAVARS.get(option.kind)
    info = typer.Option(flag, help=full_stop(text + default), metavar=metavar, show_default=False)
    unset = False if option.kind == "switch" else None
    return parameter(option.name, Annotated[_TYPES[option.kind], info], unset)


def _parameters(measure: Measure) -> list[inspect.Parameter]:
    groups = GROUPINGS if measure.sliced else measure.groups
    help_by = f"Group rows by one of {', '.join(groups)}."
    by = typer.Option("--by", metavar="COLUMN", hidden=not groups, help=help_by)
    help_against = 'Compare with another slice, such as "axis=accuracy;polarity=negative".'
    against = typer.Option("--against", metavar="FILTERS", hidden=not measure.sliced, help=help_against)
    help_common = "Keep only responses counted in all slices compared."
    common = typer.Option("--common", hidden=not measure.sliced, help=help_common)
    resamples = typer.Option("--resamples", min=0, help="Number of bootstrap resamples; 0 for no intervals.")
    help_interval = "Interval method: expanded (wider if cases are few) or percentile."
    interval = typer.Option("--interval", help=help_interval)
    intervals = [parameter("interval", Annotated[str, interval], "expanded")] if measure.sliced else []
    return [
        *slice_parameters(),
        *map(_flag, measure.options),
        parameter("by", Annotated[str | None, by], None),
        parameter("against", Annotated[str | None, against], None),
        parameter("common", Annotated[bool, common], False),
        parameter("resamples", Annotated[int, resamples], 1000),
        parameter("seed", Annotated[int, typer.Option("--seed", min=0, help="Seed of the bootstrap.")], 0),
        *intervals,
        *_output_parameters(),
    ]


def _output_parameters() -> list[inspect.Parameter]:
    """Return the parameters that say how rows are printed."""
    return [
        parameter("every", AllOption, False),
        parameter("format", FormatOption, "table"),
        parameter("verbose", VerboseOption, False),
    ]


def slice_parameters() -> list[inspect.Parameter]:
    """Return the parameters that select a slice of a study."""
    slice_option = typer.Option(
        "--slice", metavar="NAME", help="Saved slice of the study; other flags refine it.", show_default=False
    )
    return [
        parameter("study", StudyArgument, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        parameter("slice", Annotated[str | None, slice_option], None),
        *map(_flag, FLAGS),
    ]


def _command(measure: Measure) -> Callable[..., None]:
    def run(
        *,
        study: str,
        store: str | None,
        format: str,  # noqa: A002
        every: bool,
        verbose: bool,
        **options: Any,
    ) -> None:
        result = open_study(store, study).result(measure, **given_flags(options))
        print_result(result, format, every=every, verbose=verbose)

    source = measure.paper.removeprefix("none; ")
    run.__doc__ = f"{measure.question}\n\n{measure.formula} ({source})."
    run.__signature__ = inspect.Signature(_parameters(measure))  # type: ignore[attr-defined]
    return run


def given_flags(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given flags, with lists split into their items."""
    flags = {name: value for name, value in options.items() if value is not None}
    return {name: split_names(value) if isinstance(value, list) else value for name, value in flags.items()}


def measure_commands(*names: str) -> typer.Typer:
    """Return an application with a command for each of these measures, or for all."""
    from engine.measures.catalogue import MEASURES

    commands = typer.Typer(rich_markup_mode=None, add_completion=False)
    for measure in (MEASURES[name] for name in names or MEASURES):
        commands.command(measure.name, short_help=measure.title)(as_command(_command(measure)))
    return commands


class MeasureGroup(TyperGroup):
    """The commands of the catalogue, which is loaded only when needed, since it imports NumPy."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        from engine.measures.catalogue import MEASURES

        return list(MEASURES)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """Return the command of one measure; for an unknown name, load all, so that typer can suggest one."""
        for name in [cmd_name] if cmd_name in self.list_commands(ctx) else self.list_commands(ctx):
            self.commands.setdefault(name, typer.main.get_command(measure_commands(name)))
        return self.commands.get(cmd_name)


metrics_app = typer.Typer(
    cls=MeasureGroup, help="Compute a measure of a study.", no_args_is_help=True, rich_markup_mode=None
)


# ------------------------------------------------------------------------------
# `spb find`: the slices in which a judge's ratio stands out.


def find(**options: Any) -> None:
    """Find the slices in which a judge's ratio stands out.

    Every slice by one column or by two is compared with the rest of the judge's verdicts; p-values are
    adjusted over all slices tested. The clearest slices come first.
    """
    names = ("study", "store", "format", "every", "verbose")
    study, store, format, every, verbose = (options.pop(name) for name in names)  # noqa: A001
    result = open_study(store, study).find_result(**given_flags(options))
    if format == "table":  # for programs only; readers see the slice in `where`
        fields = tuple(field for field in result.measure.fields if field.name not in ("filters", "by"))
        result = replace(result, measure=replace(result.measure, fields=fields))
    print_result(result, format, every=every, verbose=verbose)


find.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [*slice_parameters(), parameter("top", TopOption, None), *_output_parameters()]
)


# ------------------------------------------------------------------------------
# `spb power`: how many instances a study needs.


_POWER_MEASURES = (
    "What is to be detected: hspp (the ratio), spb, t, dbg, vote_outside, bonus_outside (points) or "
    "odds_self."
)


def power(
    effect: Annotated[
        float,
        typer.Option(help="Effect to detect: a ratio (hspp), odds (odds_self), points, or a difference."),
    ],
    measure: Annotated[str, typer.Option(help=_POWER_MEASURES)] = "hspp",
    rate: Annotated[
        float,
        typer.Option(
            help="Other measures than hspp: share without an effect (firm null pairs, votes for itself where "
            "it should lose, pairs on which it and gold, or two judges, differ; passes)."
        ),
    ] = 0.3,
    spread: Annotated[
        float, typer.Option(help="bonus_outside: standard deviation of a score, in points.")
    ] = 15.0,
    cases: Annotated[
        float | None,
        typer.Option(help="Other measures: own pairs or criteria per instance (default: other families')."),
    ] = None,
    tastes: Annotated[
        float,
        typer.Option(
            help="Other measures: standard deviation of judges' tastes (0.34 log-odds as published)."
        ),
    ] = 0.0,
    judges: Annotated[
        int, typer.Option(help="Number of judges; each judges every response, including its own.")
    ] = 6,
    generators: Annotated[
        int | None, typer.Option(help="Number of models that answer, judges included (default: the judges).")
    ] = None,
    families: Annotated[int, typer.Option(help="Number of families, as equal in size as possible.")] = 3,
    failure_rate: Annotated[float, typer.Option(help="Share of rubrics that a response fails.")] = 0.2,
    overestimation: Annotated[
        float,
        typer.Option(help="Probability that a judge passes a rubric that another family's response failed."),
    ] = 0.3,
    rubrics_per_instance: Annotated[float, typer.Option(help="Rubrics per instance.")] = 6.0,
    clustering: Annotated[
        float,
        typer.Option(
            help="Intraclass correlation within a response, of failures and of verdicts on them; from 0 "
            "to below 1."
        ),
    ] = 0.1,
    wanted: Annotated[
        float, typer.Option("--power", help="Share of studies whose interval should exclude 1.")
    ] = 0.8,
    instances: Annotated[
        int | None, typer.Option(help="Print the power of this many instances instead.", min=1)
    ] = None,
    simulate: Annotated[
        int, typer.Option(help="Check with this many simulated studies (200 take a few seconds).", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.", min=0)] = 0,
    format: Annotated[Literal["table", "json"], typer.Option(help="Output format.")] = "table",  # noqa: A002
) -> None:
    """Compute how many instances a study needs.

    The number that detects a self-preference ratio is given for a single judge, for one of several judges
    with adjusted p-values, and for the mean over judges, with the responses and verdicts that such a study
    takes. With --measure the same for other numbers, and for the judges together.
    """
    from engine.stats.power import TARGETS, Assumptions, power_curve

    if measure != "hspp":
        from engine.stats.power_of_differences import VARIANCES, Design

        if measure not in VARIANCES:
            raise unknown("measure", measure, ("hspp", *VARIANCES))
        if simulate or generators is not None:
            flag = "--simulate" if simulate else "--generators"
            raise UsageError(f"{flag} applies to --measure hspp only; leave it out")
        design = Design(
            cast("Any", measure), effect, judges, families, rate, spread, cases, clustering, tastes
        )
        _print_power(design, wanted, instances, format)
        return
    assumed = Assumptions(
        effect=effect,
        judges=judges,
        generators=generators,
        families=families,
        failure_rate=failure_rate,
        overestimation=overestimation,
        rubrics_per_instance=rubrics_per_instance,
        clustering=clustering,
    )
    rows = _rows(assumed, wanted, instances, simulate, seed)
    if format == "table":
        _print_table(assumed, rows)
        return
    curves = {target: [asdict(point) for point in power_curve(assumed, target=target)] for target in TARGETS}
    assumptions = asdict(assumed) | {"generators": assumed.responses}
    document = {"assumed": assumptions, "power": wanted, "rows": rows, "curves": curves}
    print(json.dumps(document, allow_nan=False))


def _print_power(design: "Design", wanted: float, instances: int | None, format: str) -> None:  # noqa: A002
    """Print how many instances detect another number than the HSPP ratio, or their power."""
    from engine.stats.group import FEWEST_FAMILIES
    from engine.stats.power_of_differences import WHO, instances_for, power_of

    rows: list[dict[str, Any]] = []
    for who in WHO:
        if who == "group" and design.families < FEWEST_FAMILIES:
            continue
        try:
            number = instances_for(design, wanted, who) if instances is None else instances
        except UsageError as error:
            if not design.tastes:
                raise
            rows.append({"target": who, "instances": None, "power": None, "reason": str(error)})
            continue
        rows.append({"target": who, "instances": number, "power": power_of(design, number, who)})
    assumed = asdict(design) | {"cases": design.in_instance}
    document = {"assumed": assumed, "power": wanted, "rows": rows}
    if format == "json":
        print(json.dumps(document, allow_nan=False))
        return
    words = {
        "judge": "a judge by itself",
        "adjusted": "a judge, adjusted for testing all of them",
        "group": "the judges together",
    }
    cells = [
        [
            words[row["target"]],
            "none" if row["instances"] is None else f"{row['instances']:,}",
            "" if row["power"] is None else f"{row['power']:.2f}",
        ]
        for row in rows
    ]
    print_columns(["detected", "instances", "power"], cells, right=True)
    for row in rows:
        if "reason" in row:
            say(f"{words[row['target']]}: {row['reason']}")
    if design.families < FEWEST_FAMILIES:
        say(f"the judges together are tested with {FEWEST_FAMILIES} families or more")
    say("; ".join(f"{name} {value}" for name, value in assumed.items()))


def _rows(
    assumed: "Assumptions", target_power: float, instances: int | None, simulate: int, seed: int
) -> list[dict[str, Any]]:
    import numpy as np

    from engine.stats.power import TARGETS, instances_needed, simulated_power, study_of

    rows = []
    for target in TARGETS:
        if instances is None:
            size = instances_needed(assumed, target_power, target)
        else:
            size = study_of(assumed, instances, target)
        row: dict[str, Any] = {"target": target} | asdict(size)
        if simulate:
            rng = np.random.default_rng(seed)
            row["simulated_power"] = simulated_power(assumed, size.instances, simulate, rng, target=target)
        rows.append(row)
    return rows


def _print_table(assumed: "Assumptions", rows: list[dict[str, Any]]) -> None:
    from engine.stats.power import TARGETS

    simulated = "simulated_power" in rows[0]
    cells = [
        [
            TARGETS[row["target"]],
            f"{row['instances']:,}",
            f"{row['own_failures']:,.0f}",
            f"{row['responses']:,}",
            f"{row['verdicts']:,}",
            f"{row['power']:.2f}",
            *([f"{row['simulated_power']:.2f}"] if simulated else []),
        ]
        for row in rows
    ]
    heads = ["detected", "instances", "own failures", "responses judged", "verdicts", "power"]
    print_columns([*heads, *(["simulated"] if simulated else [])], cells, right=True)
    settings = asdict(assumed) | {"generators": assumed.responses, "compared_with": assumed.strangers}
    say("; ".join(f"{name} {value:g}" for name, value in settings.items()))


# ------------------------------------------------------------------------------
# `spb doctor`, `spb committee` and `spb check`: what a study can measure, and references to measure by.


def doctor(
    study: StudyArgument,
    store: StoreOption = None,
    resamples: Annotated[
        int, typer.Option(help="Resamples for the width of intervals; 0 for no widths.", min=0)
    ] = 200,
) -> None:
    """Show what a study can measure, and what it concludes.

    What is missing for the rest is named.
    """
    from engine.explore.doctor import examine
    from engine.words import conclusions

    diagnosis = examine(open_study(store, study), resamples=resamples)
    sentences = (f"  {line}" for line in conclusions.study_lines(diagnosis.scorecard))
    for line in (*diagnosis.lines(), "conclusions:", *sentences):
        print(printable(line))


def committee(
    study: StudyArgument,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the committee.")],
    members: Annotated[list[str], typer.Option(metavar="NAMES", help="Judges of the committee.")],
    store: StoreOption = None,
    paradigm: Annotated[
        str | None, typer.Option(help="Paradigm of their verdicts (default: the first rubric paradigm).")
    ] = None,
    variant: Annotated[str, typer.Option(help="Prompt template of their verdicts.")] = "default",
) -> None:
    """Write the majority verdicts of judges as a reference.

    Its source is `committee:NAME`.
    """
    from engine.annotations.exchange import write_committee
    from engine.store import Store

    counts = write_committee(Store(store).open(study), name, split_names(members), paradigm, variant)
    verdicts, ties = quantity(counts.decided, "verdict"), quantity(counts.divided, "tie")
    say(f"committee:{name}: {verdicts}, {ties} left undecided")


def check(
    study: StudyArgument,
    store: StoreOption = None,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes (default: one per processor for large studies)."),
    ] = None,
) -> None:
    """Run the checkers and write their verdicts as references.

    Their sources are `program` and `program:loose`. Each line counts a checker's verdicts: met, not met,
    met loosely and undecided.
    """
    from engine.checkers.run import check_study
    from engine.store import Store

    report = check_study(Store(store).open(study), processes=processes)
    print("checker", "met", "not_met", "met_loosely", "undecided", sep="\t")
    for checker, tally in report.by_checker.items():
        print(checker, tally.met, tally.not_met, tally.met_loosely, tally.undecided, sep="\t")
    responses = quantity(report.responses, "response")
    say(f"{quantity(report.verdicts, 'verdict')} on {responses}, strict and loose")
    if report.missing:
        say(f"no verdict on {quantity(report.missing, 'missing response')}")
    if report.textless:
        say(f"{quantity(report.textless, 'response')} without text; earlier verdicts stay")
    for checker, problem in report.problems.items():
        say(f"warning: {checker} could not decide {report.by_checker[checker].undecided:,}; first {problem}")


# ------------------------------------------------------------------------------
# `spb check-judge` and `spb compare-runs`: check judges against a rule, for pipelines.


@contextmanager
def _exit_code_2() -> Iterator[None]:
    """Let every error of this project exit with 2, since 1 says that a judge fails or has changed."""
    try:
        yield
    except SpbError as error:
        raise UsageError(str(error)) from error


@_exit_code_2()
def check_judge(
    study: StudyArgument,
    store: StoreOption = None,
    judge: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Check only these judges (default: all).")
    ] = None,
    group: Annotated[
        bool, typer.Option("--group", help="Check all judges together, as one; with --judge, beside these.")
    ] = False,
    max_excess: Annotated[
        float | None,
        typer.Option(
            metavar="CASES",
            help="Own cases of 100 that may be passed beyond those expected (default rule: 10).",
        ),
    ] = None,
    max_ratio: Annotated[
        float | None,
        typer.Option(metavar="ODDS", help="Largest odds on own cases that pass; not for scores or pairs."),
    ] = None,
    require: Annotated[
        str | None, typer.Option(help="Conclusion to require: no_material_preference or not_shown.")
    ] = None,
    independent: Annotated[
        bool,
        typer.Option("--independent", help="Fail a judge that judges its own family; needs no verdicts."),
    ] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a JUnit XML report.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary for a pull request.")
    ] = None,
) -> None:
    """Check judges for self-preference: pass, fail, inconclusive.

    Intervals decide, not estimates. Exit code 0: all judges pass; 1: a judge fails; 3: no judge fails, but
    one is inconclusive; 2: not checked, for the error printed, also if the rule applies to no judge.
    """
    from engine.explore.gate import EXIT_CODES, FORMER_REQUIREMENT, check_judges, overall
    from engine.report.formats import gate_junit, gate_markdown, totals
    from engine.stats.conclusion_rules import current_code

    if require == FORMER_REQUIREMENT:
        say(current_code(require)[1] or "")

    rules = {"--max-excess": max_excess, "--max-ratio": max_ratio, "--require": require}
    flags = [name for name, value in rules.items() if value is not None]
    flags += ["--independent"] if independent else []
    if len(flags) > 1:
        raise UsageError(f"{' and '.join(flags)} cannot be combined; give one of them")
    results = check_judges(
        open_study(store, study),
        split_names(judge or []),
        group=group,
        max_excess=max_excess,
        max_ratio=max_ratio,
        require=require,
        independent=independent,
    )
    _print_results(results)
    if junit is not None:
        write_file(junit, gate_junit(study, results), "choose another file")
    if markdown is not None:
        write_file(markdown, gate_markdown(study, results).encode(), "choose another file")
    status = overall(results)
    say(f"{status} ({totals(results)})")
    sys.exit(EXIT_CODES[status])


@_exit_code_2()
def compare_runs(
    study: StudyArgument,
    before: Annotated[str, typer.Option(metavar="RUN", help="Earlier run.")],
    after: Annotated[str, typer.Option(metavar="RUN", help="Later run.")],
    store: StoreOption = None,
    measure: Annotated[
        str | None,
        typer.Option(help="Measure whose number is compared (default: hspp, else outside, which takes all)."),
    ] = None,
    look: Annotated[int, typer.Option(min=1, help="Number of this look, from 1.")] = 1,
    looks: Annotated[int, typer.Option(min=1, help="Number of looks planned.")] = 1,
) -> None:
    """Compare two runs, and say whether each judge has changed.

    Each change has its interval. With --look and --looks, alpha is spent over the looks, so that repeated
    comparisons raise false alarms in 5 % of cases overall. Exit code 1: a judge has changed; 3: a change
    cannot be tested, or nothing can; 2: not compared, for the error printed; else 0.
    """
    from engine.explore.gate import EXIT_CODES, overall
    from engine.explore.run_changes import changes

    if look > looks:
        raise UsageError(f"--look {look} is greater than --looks {looks}; give the number of looks planned")
    changed = changes(open_study(store, study), measure, before, after, look=look, looks=looks)
    _print_results(changed.results)
    if changed.reason is not None:
        say(f"nothing can be tested by {changed.measure}: {changed.reason}")
    else:
        say(f"change of {changed.number.replace('_', ' ')}, from {before} to {after}")
    sys.exit(EXIT_CODES[overall(changed.results)])


def _print_results(results: "Sequence[GateResult]") -> None:
    from engine.report.formats import estimate_text

    for result in results:
        print(result.status, result.judge, estimate_text(result), result.reason, sep="\t")

"""`spb plan power`: how many questions a study needs."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from engine.cli.options import (
    AnyStudyArgument,
    RunsOption,
    StoreOption,
    next_command,
    open_study,
    refuse_together,
    share_of_cases,
)
from engine.cli.output import say
from engine.cli.plan_difference import print_of_difference, print_of_excesses
from engine.cli.plan_ratio import print_of_ratio
from engine.cli.rows import RowFormatOption
from engine.errors import UsageError, unknown
from engine.phrases import join_names, quantity

if TYPE_CHECKING:
    from engine.study import Study

_NOT_IN_CASES = ("hspp", "odds_self")
"""Measures whose effect is a ratio, which no number of cases gives."""

_OF_RATIO = (
    *("generators", "failure_rate", "overestimation", "rubrics_per_instance", "clustering"),
    *("simulate", "seed"),
)
_OF_DIFFERENCE = ("rate", "cases", "clustering", "tastes")
_OF_POINTS = ("spread", "tastes")
_ONLY_OF_SOME = tuple(dict.fromkeys((*_OF_RATIO, *_OF_DIFFERENCE, *_OF_POINTS)))
"""What is assumed of a study for some measures only; an option that is not used is refused."""

EffectOption = Annotated[
    float | None,
    typer.Option(
        help="Effect to detect, in the measure's unit: a ratio such as 1.5 (hspp), odds such as 1.5 "
        "(odds_self), points of 100 such as 10 (bonus_outside), else a difference of shares such as 0.1 "
        "(10 of 100)."
    ),
]
ExcessOption = Annotated[
    float | None,
    typer.Option(
        metavar="CASES",
        help="Instead of --effect: own cases of 100 beyond those expected, such as 10 (verdicts, pairs; "
        "points of scores with --measure bonus_outside).",
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What is to be detected: hspp (the ratio), spb, t, dbg, vote_outside, bonus_outside (points) or "
        "odds_self. Default: hspp, with --excess vote_outside, as `spb try`.",
    ),
]
RateOption = Annotated[
    float,
    typer.Option(
        help="Other measures than hspp: share without an effect (firm null pairs, votes for itself where "
        "it should lose, pairs on which it and gold, or two judges, differ; passes)."
    ),
]
SpreadOption = Annotated[float, typer.Option(help="bonus_outside: standard deviation of a score, in points.")]
CasesOption = Annotated[
    float | None,
    typer.Option(help="Other measures: own pairs or criteria per question (default: other families')."),
]
TastesOption = Annotated[
    float,
    typer.Option(
        help="Other measures: standard deviation of judges' tastes, in the measure's unit (odds_self: 0.34 "
        "log-odds as published); 0 for none."
    ),
]
NumberOfJudgesOption = Annotated[
    int,
    typer.Option(
        "--n-judges", "--judges", help="Number of judges; each judges every answer, including its own."
    ),
]
GeneratorsOption = Annotated[
    int | None,
    typer.Option(help="hspp: number of models that answer, judges included (default: the judges)."),
]
FamiliesOption = Annotated[int, typer.Option(help="Number of families, as equal in size as possible.")]
FailureRateOption = Annotated[float, typer.Option(help="hspp: share of criteria that an answer fails.")]
OverestimationOption = Annotated[
    float,
    typer.Option(
        help="hspp: probability that a judge passes a criterion that another family's answer failed."
    ),
]
CriteriaOption = Annotated[float, typer.Option(help="hspp: criteria per question.")]
ClusteringOption = Annotated[
    float,
    typer.Option(
        help="Intraclass correlation within an answer, of failures and of verdicts on them; from 0 "
        "to below 1."
    ),
]
WantedOption = Annotated[
    float, typer.Option("--power", help="Share of studies in which the effect should be found.")
]
InstancesOption = Annotated[
    int | None, typer.Option(help="Print the power of this many questions instead.", min=1)
]
SimulateOption = Annotated[
    int,
    typer.Option(help="hspp: check with this many simulated studies (200 take a few seconds).", min=0),
]


def power(
    context: typer.Context,
    study: AnyStudyArgument = None,
    run: RunsOption = None,
    effect: EffectOption = None,
    excess: ExcessOption = None,
    measure: MeasureOption = None,
    rate: RateOption = 0.3,
    spread: SpreadOption = 15.0,
    cases: CasesOption = None,
    tastes: TastesOption = 0.0,
    judges: NumberOfJudgesOption = 6,
    generators: GeneratorsOption = None,
    families: FamiliesOption = 3,
    failure_rate: FailureRateOption = 0.2,
    overestimation: OverestimationOption = 0.3,
    rubrics_per_instance: CriteriaOption = 6.0,
    clustering: ClusteringOption = 0.1,
    wanted: WantedOption = 0.8,
    instances: InstancesOption = None,
    simulate: SimulateOption = 0,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.", min=0)] = 0,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Compute how many questions a study needs.

    The number that detects a self-preference ratio is given for a single judge, for one of several judges
    with adjusted p-values, and for the mean over judges, with the answers and verdicts that such a study
    takes. With --measure or --excess the same for other numbers, and for the judges together; without an
    effect, for an excess of 5, 10 and 20 of 100 cases. What is not given is taken from STUDY, such as a
    pilot, else typical.
    """
    from engine.stats.power import Assumptions
    from engine.stats.power_of_differences import AssumedStudy

    if excess is not None and 0 < excess < 1:
        say(share_of_cases("--excess", excess), caution=True)
    name = _measure_of(effect, excess, measure)
    effects = _effects_of(effect, excess, name)
    _refuse_unused(context, name)
    if study is None and run:
        raise UsageError("--run chooses judgments of a study; name it: spb plan power STUDY --run NAME")
    pilot = {} if study is None else _of_study(context, open_study(store, study, run), name)
    if study is None and effect is None and excess is None:
        say("typical values are assumed; take those of a study with: spb plan power STUDY")
    if name == "hspp":
        ratio = {
            "judges": judges,
            "generators": generators,
            "families": families,
            "failure_rate": failure_rate,
            "overestimation": overestimation,
            "rubrics_per_instance": rubrics_per_instance,
            "clustering": clustering,
        }
        assumed = Assumptions(effect=effects[0], **cast("Any", ratio | pilot))
        print_of_ratio(assumed, wanted, instances, simulate, seed, format)
        return
    shared = {"judges": judges, "families": families, "rate": rate, "spread": spread, "cases": cases}
    shared |= {"clustering": clustering, "tastes": tastes} | pilot
    designs = [AssumedStudy(cast("Any", name), value, **cast("Any", shared)) for value in effects]
    if effect is None and excess is None:
        print_of_excesses(designs, wanted, instances, format)
    else:
        print_of_difference(designs[0], wanted, instances, format)


def _of_study(context: typer.Context, judged: "Study", measure: str) -> dict[str, float]:
    """Return the assumptions that a study supplies in the place of options that are not given."""
    from engine.explore.planned_cost import assumptions_from, questions_of, votes_from
    from engine.words.based_on import runs_judged

    pilot = assumptions_from(judged) if measure == "hspp" else votes_from(judged)
    if not pilot:
        what = "verdicts on criteria with a reference" if measure == "hspp" else "two judges that answer too"
        say(f"{judged.name} does not have {what}, so that typical values are taken", caution=True)
    else:
        size = quantity(questions_of(judged), "question")
        say(f"assumed as in {judged.name}, which has {size}, where nothing else is given")
    if measure == "bonus_outside":
        pilot = {name: pilot[name] for name in ("judges", "families") if name in pilot}
    _say_what_decides(context, judged, measure)
    for sentence in runs_judged(judged):
        say(sentence, caution=True)
    typical = {name: value for name, value in pilot.items() if not _is_given(context, name)}
    if "families" in typical and "judges" not in typical:  # fewer judges than the study has families
        typical["families"] = min(typical["families"], max(context.params["judges"], 2))
    return typical


def _say_what_decides(context: typer.Context, judged: "Study", measure: str) -> None:
    """Say by which number the study's conclusions are drawn, where another one is planned."""
    from engine.findings.commands import flag_words

    decides = judged.result("scorecard").filters.get("decided_by")
    effect = f"{context.params['effect'] or 1.5:g}"
    plans = {"odds_self": ("--measure", "odds_self", "--effect", effect), "vote_outside": ("--excess", "10")}
    if decides != measure and decides in plans:
        words = ("plan", "power", judged.name, *plans[decides], *flag_words({"run": judged.only_runs}))
        command = next_command(context.params["store"], *words)
        rest = f"the conclusions on {judged.name} rest on {decides}, not on {measure}"
        say(f"{rest}; to plan them: {command}", caution=True)


def _measure_of(effect: float | None, excess: float | None, measure: str | None) -> str:
    """Return the measure, by default the effect's; UsageError for an unknown one, or for two effects."""
    from engine.stats.power_of_differences import VARIANCES

    refuse_together(effect=effect is not None, excess=excess is not None)
    name = measure or ("vote_outside" if effect is None else "hspp")  # as `spb try` computes its questions
    if name not in ("hspp", *VARIANCES):
        raise unknown("measure", name, ("hspp", *VARIANCES))
    return name


EXCESSES = (5.0, 10.0, 20.0)
"""Own cases of 100 beyond those expected for which numbers are printed where no effect is named."""


def _effects_of(effect: float | None, excess: float | None, name: str) -> list[float]:
    """Return the effects in their measure's unit, several where none is named."""
    if effect is not None:
        return [effect]
    if excess is None:
        if name in _NOT_IN_CASES:
            raise UsageError(f"no effect is named, and {name} is a ratio; give one such as --effect 1.5")
        return [_of_cases(each, name) for each in EXCESSES]
    return [_of_cases(excess, name)]


def _of_cases(excess: float, name: str) -> float:
    """Return an excess of 100 cases in its measure's unit."""
    if name in _NOT_IN_CASES:
        raise UsageError(f"--excess counts cases of 100, and {name} is a ratio; give --effect")
    if not 0 < excess <= 100:
        raise UsageError(f"--excess {excess:g}: give a number of 100 cases, above 0 and at most 100")
    return excess if name == "bonus_outside" else excess / 100


def _refuse_unused(context: typer.Context, measure: str) -> None:
    """Raise UsageError for an option that was given and that the computation would ignore."""
    used = {"hspp": _OF_RATIO, "bonus_outside": _OF_POINTS}.get(measure, _OF_DIFFERENCE)
    if unused := [name for name in _ONLY_OF_SOME if name not in used and _is_given(context, name)]:
        verb = "is" if len(unused) == 1 else "are"
        given = f"{join_names(list(map(_flag, unused)))} {verb} not used for {measure}"
        raise UsageError(f"{given}, which is computed from {join_names(list(map(_flag, used)))}")
    if _is_given(context, "seed") and not _is_given(context, "simulate"):
        raise UsageError("--seed is that of a simulation; add --simulate 200, or leave it out")
    if _is_given(context, "wanted") and _is_given(context, "instances"):
        raise UsageError("--instances prints the power, so --power is not used; give one of them")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"

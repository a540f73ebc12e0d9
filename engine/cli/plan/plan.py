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
)
from engine.cli.output import say
from engine.cli.plan.plan_difference import PlannedEffect, print_of_difference, print_of_excesses
from engine.cli.plan.plan_ratio import print_of_ratio
from engine.cli.printing.rows import RowFormatOption
from engine.errors import UsageError, unknown
from engine.phrases import join_names, quantity

if TYPE_CHECKING:
    from engine.study import Study

_NOT_IN_CASES = ("hspp", "odds_self")
"""Measures whose effect is a ratio; of odds a number of cases gives it, with the rate that is expected."""

_HIGHEST_ODDS = 5
"""Odds above which an effect was perhaps meant in cases of 100: 66 are given where 28 are expected."""

_OF_RATIO = (
    *("generators", "failure_rate", "overestimation", "rubrics_per_instance", "clustering"),
    *("simulate", "seed"),
)
_OF_DIFFERENCE = ("rate", "cases", "clustering", "tastes")
_OF_POINTS = ("spread", "tastes")
_ONLY_OF_SOME = tuple(dict.fromkeys((*_OF_RATIO, *_OF_DIFFERENCE, *_OF_POINTS)))
"""What is assumed of a study for some measures only; an option that is not used is refused."""

_FROM_STUDY = {
    "hspp": ("rubrics_per_instance", "failure_rate", "overestimation"),
    "odds_self": ("rate", "cases"),
    "bonus_outside": ("spread",),
    "vote_outside": ("rate", "cases"),
    **dict.fromkeys(("spb", "t", "dbg"), ("cases",)),
}
"""What a study supplies beside its judges and their families, by the measure."""

_NEEDED = {
    "hspp": "verdicts on criteria with a reference",
    "odds_self": "verdicts on criteria from which conclusions are drawn",
    "bonus_outside": "scores from which conclusions are drawn",
    **dict.fromkeys(("spb", "t", "dbg", "vote_outside"), "verdicts on criteria or pairs"),
}
"""The judgments that supply it."""

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
        help="Instead of --effect: own cases of 100 beyond those expected, such as 10; points, of scores. "
        "With odds_self they are odds by --rate.",
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What is to be detected: hspp (the ratio), spb, t, dbg, vote_outside, bonus_outside (points) or "
        "odds_self. Default: with --effect hspp; else the number on which the conclusions on STUDY rest, "
        "without STUDY vote_outside, as `spb try`.",
    ),
]
RateOption = Annotated[
    float,
    typer.Option(
        help="Other measures than hspp: share without an effect (firm null pairs, votes for itself where "
        "it should lose, pairs on which it and gold, or two judges, differ; odds_self: passes)."
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
    typer.Option(
        help="hspp: check with this many simulated studies (200 take a few seconds).", min=0, max=100_000
    ),
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
    effect, for an excess of 5, 10 and 20 of 100 cases (2, 5 and 10 points of scores). What is not given is
    taken from STUDY, such as a pilot, else typical.
    """
    from engine.explore.planned_excess import effect_of_excess, planned_measure, usual_excesses
    from engine.explore.planned_power import decides
    from engine.explore.share_of_cases import share_of_cases
    from engine.stats.conclusions.power import Assumptions
    from engine.stats.conclusions.power_of_differences import AssumedStudy

    if study is None and run:
        raise UsageError("--run chooses judgments of a study; name it: spb plan power STUDY --run NAME")
    _check_amounts(effect, excess, measure)
    judged = None if study is None else open_study(store, study, run)
    rests_on = None if judged is None else decides(judged)
    name = measure or ("hspp" if effect is not None else planned_measure(rests_on))
    if excess is not None and name == "hspp":
        raise UsageError("--excess counts cases of 100, and hspp is a ratio; give --effect")
    _refuse_unused(context, name)
    hint = share_of_cases("excess", excess)
    first = [] if hint is None else [hint]
    pilot: dict[str, float] = {}
    if judged is not None:
        pilot, caveats = _of_study(context, judged, name)
        first += caveats
        _say_what_decides(context, judged, name, rests_on)
    elif effect is None and excess is None:
        say("typical values are assumed; take those of a study with: spb plan power STUDY")
    if format != "table":
        for sentence in first:
            say(sentence, caution=True)
        first = []
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
        assumed = Assumptions(effect=_effect_of(effect, name), **cast("Any", ratio | pilot))
        print_of_ratio(assumed, wanted, instances, simulate, seed, format, first)
        return
    shared = {"judges": judges, "families": families, "rate": rate, "spread": spread, "cases": cases}
    shared |= {"clustering": clustering, "tastes": tastes} | pilot

    def planned(cases_of_100: float | None) -> PlannedEffect:
        if cases_of_100 is None:
            value = _effect_of(effect, name)
        else:
            value = effect_of_excess(cases_of_100, name, shared["rate"] or 0.0)
        return PlannedEffect(AssumedStudy(cast("Any", name), value, **cast("Any", shared)), cases_of_100)

    if effect is None and excess is None and (measure is None or name not in _NOT_IN_CASES):
        print_of_excesses(list(map(planned, usual_excesses(name))), wanted, instances, format, first)
    else:
        print_of_difference(planned(excess), wanted, instances, format, first)


def _of_study(context: typer.Context, judged: "Study", measure: str) -> tuple[dict[str, float], list[str]]:
    """Return the assumptions that a study supplies for options that are not given, and what to know first."""
    from engine.explore.planned_cost import caveats_of_plan, questions_of
    from engine.explore.planned_power import assumed_of
    from engine.words.based_on import runs_judged

    pilot = assumed_of(judged, measure)
    caveats = caveats_of_plan(judged, pilot, measure)
    if pilot:
        size = quantity(questions_of(judged), "question")
        say(f"assumed as in {judged.name}, which has {size}, where nothing else is given")
        lacking = [
            name for name in _FROM_STUDY[measure] if name not in pilot and not _is_given(context, name)
        ]
        if lacking:
            what = f"{judged.name} has no {_NEEDED[measure]}"
            verb = "is" if len(lacking) == 1 else "are"
            caveats.insert(
                0, f"{what}: {join_names(list(map(_flag, lacking)))} {verb} typical, not the study's."
            )
    caveats += runs_judged(judged)
    typical = {name: value for name, value in pilot.items() if not _is_given(context, name)}
    if "families" in typical and "judges" not in typical:  # fewer judges than the study has families
        typical["families"] = min(typical["families"], max(context.params["judges"], 2))
    return typical, caveats


def _say_what_decides(context: typer.Context, judged: "Study", measure: str, decides: str | None) -> None:
    """Say by which number the study's conclusions are drawn, where another one is planned."""
    from engine.explore.planned_excess import EXCESSES, PLANNED_IN_CASES
    from engine.findings.commands import flag_words

    if decides == measure or decides not in PLANNED_IN_CASES:
        return
    effect, excess = context.params["effect"], context.params["excess"]
    if excess is not None:
        plan: tuple[str, ...] = ("--excess", f"{excess:g}")
    elif decides == "odds_self" and (effect or 0) > _HIGHEST_ODDS:
        plan = ("--excess", f"{effect if effect <= EXCESSES[-1] else 10:g}")
    else:  # the effect is a ratio of another number
        plan = ("--excess", "10") if decides == "vote_outside" else ()
    words = ("plan", "power", judged.name, *plan, *flag_words({"run": judged.only_runs}))
    command = next_command(context.params["store"], *words)
    rest = f"the conclusions on {judged.name} rest on {decides}, not on {measure}"
    say(f"{rest}; to plan them, in cases of 100: {command}")


def _check_amounts(effect: float | None, excess: float | None, measure: str | None) -> None:
    """Raise UsageError for an unknown measure, or for two effects."""
    from engine.stats.conclusions.power_of_differences import VARIANCES

    refuse_together(effect=effect is not None, excess=excess is not None)
    if measure is not None and measure not in ("hspp", *VARIANCES):
        raise unknown("measure", measure, ("hspp", *VARIANCES))


def _effect_of(effect: float | None, name: str) -> float:
    if effect is None:
        raise UsageError(f"no effect is named, and {name} is a ratio; give one such as --effect 1.5")
    return effect


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

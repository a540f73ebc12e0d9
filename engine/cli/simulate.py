"""`spb plan simulate` writes a study with a known bias."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from engine.cli.options import NewStudyArgument, ReplaceOption, StoreOption, parameter, split_names
from engine.cli.output import say
from engine.errors import UsageError, unknown

if TYPE_CHECKING:
    from engine.simulation.orders import SimulatedOrders
    from engine.simulation.pairs import SimulatedPairs
    from engine.simulation.rubrics import SimulatedStudy


# ------------------------------------------------------------------------------
# The options of `spb plan simulate`, with the kinds of study that take each.


KINDS = ("rubrics", "pairs", "orders")
_RUBRICS, _PAIRS, _ORDERS = ((kind,) for kind in KINDS)

Names = list[str] | None
Number = float | None


class _Option(NamedTuple):
    name: str
    type: Any
    default: Any
    kinds: tuple[str, ...]
    """The kinds of study that take the option."""


_OPTIONS = {
    _Option("kind", str, "rubrics", KINDS): "What to simulate: criteria; pairs (of equal quality, with "
    "preferences); orders (of options and lists).",
    _Option("instances", int, 200, KINDS): "Number of questions; for orders, of each kind.",
    _Option("rubrics_per_instance", int, 6, _RUBRICS + _ORDERS): "Criteria per question.",
    _Option("judges", Names, None, KINDS): "Names of the judges, or their number (default: 9).",
    _Option("generators", Names, None, _RUBRICS): "Names of the models, or their number (default: the "
    "judges).",
    _Option("families", Names, None, KINDS): "Family of each judge, then of each model that is not a "
    "judge (default: the name up to its first hyphen).",
    _Option("biased", Names, None, KINDS): "Judges with the planted bias (default: all).",
    _Option("self_ratio", float, 1.0, _RUBRICS + _ORDERS): "How many times as likely a judge passes criteria "
    "that its own answer failed.",
    _Option(
        "family_ratio", float, 1.0, _RUBRICS
    ): "How many times as likely a judge passes criteria that its family's answers failed.",
    _Option("bias_on", str | None, None, _RUBRICS): "Where the ratios apply, such as polarity=negative, "
    "length=extreme, length=10:80, theme=T or axis=A.",
    _Option("elsewhere", float, 0.0, _RUBRICS): "With --bias-on: share of the ratios' excess over 1 that "
    "applies elsewhere.",
    _Option("hard_items", float, 1.0, _RUBRICS): "How many times as likely a judge passes, for any answer, "
    "criteria that it fails itself.",
    _Option("overestimation", float, 0.2, _RUBRICS): "Probability that a failed criterion is passed.",
    _Option("underestimation", float, 0.06, _RUBRICS): "Probability that a met criterion is failed.",
    _Option("first_bias", Number, None, _RUBRICS + _PAIRS): "Of pairs that flip with the order, the share "
    "that goes to the answer shown first (for criteria: 0.6).",
    _Option("paradigms", Names, None, _RUBRICS): "Paradigms: single_rubric, all_rubrics, direct_assessment, "
    "pairwise (default: all).",
    _Option("spb", Number, None, _PAIRS): "Pairs: SPB of the biased judges (default: one of the archetypes "
    "in turn).",
    _Option("beyond", Number, None, _PAIRS): "Pairs: T of the biased judges in the quality baseline.",
    _Option("options", int, 5, _ORDERS): "Orders: number of score options.",
    _Option("pull", Number, None, _ORDERS): "Orders: how many times as likely the first option of a list is "
    "picked as the last.",
    _Option("slope", Number, None, _ORDERS): "Orders: how much more likely the last criterion of a list is "
    "passed than the first, from -1 to 1.",
    _Option("lists", Names, None, _ORDERS): "Orders: orders in which lists are shown (default: original, "
    "reversed, rotated-3).",
    _Option("unparsed", float, 0.01, KINDS): "Share of answers that cannot be parsed.",
    _Option("refused", float, 0.0, KINDS): "Share of answers that are refused.",
    _Option("seed", int, 0, KINDS): "Random seed.",
    _Option("title", str | None, None, KINDS): "Title of the study.",
}
"""The options with their help."""


def _parameters() -> list[inspect.Parameter]:
    return [
        parameter("context", typer.Context, inspect.Parameter.empty),
        parameter("study", NewStudyArgument, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        *(
            parameter(option.name, Annotated[option.type, typer.Option(help=text)], option.default)
            for option, text in _OPTIONS.items()
        ),
        parameter("replace", ReplaceOption, False),
    ]


# ------------------------------------------------------------------------------
# `spb plan simulate`: write a study with a known bias.


def simulate(context: typer.Context, *, study: str, store: str | None, replace: bool, **options: Any) -> None:
    """Write a simulated study with a planted bias.

    No model is called. The planted bias is recorded in study.json under truth. The reference has the source
    program; for pairs it is the preferences of three gold judges, for scores the scores of two people.
    """
    from engine.simulation.default_models import names_of
    from engine.simulation.study_tables import Simulation, write_simulated
    from engine.store import Store

    kind = options["kind"]
    if kind not in KINDS:
        raise unknown("kind of study", kind, KINDS)
    for option in _OPTIONS:
        source = context.get_parameter_source(option.name)
        if source is not None and source.name == "COMMANDLINE" and kind not in option.kinds:
            remedy = f"leave it out, or use --kind {' or '.join(option.kinds)}"
            flag = option.name.replace("_", "-")
            raise UsageError(f"--{flag} does not apply to --kind {kind}; {remedy}")
    flags: dict[str, Any] = {
        name: split_names(value) if isinstance(value, list) else value for name, value in options.items()
    }
    simulators: Mapping[str, Callable[[list[str], dict[str, Any]], Simulation]]
    simulators = {"rubrics": _rubrics, "pairs": _pairs, "orders": _orders}
    simulation = simulators[kind](names_of(flags["judges"] or ["9"]), flags)
    write_simulated(Store(store), study, simulation, title=flags["title"], replace=replace)
    say(f"wrote the simulated study {study!r}")


simulate.__signature__ = inspect.Signature(_parameters())  # type: ignore[attr-defined]


def _rubrics(judges: list[str], flags: dict[str, Any]) -> "SimulatedStudy":
    from engine.simulation.default_models import default_models, names_of
    from engine.simulation.design import SIMULATED_PARADIGMS, Bias, BiasedRubrics, Design
    from engine.simulation.rubrics import simulate as draw

    generators = names_of(flags["generators"]) if flags["generators"] else judges
    names = [*judges, *(name for name in generators if name not in judges)]
    bias_slice = BiasedRubrics.parse(flags["bias_on"]) if flags["bias_on"] else None
    all_models = default_models(
        names,
        flags["families"] or (),
        Bias(flags["self_ratio"], flags["family_ratio"], bias_slice, flags["elsewhere"], flags["hard_items"]),
        flags["biased"],
        overestimation=flags["overestimation"],
        underestimation=flags["underestimation"],
        first_bias=0.6 if flags["first_bias"] is None else flags["first_bias"],
    )
    models = {model.name: model for model in all_models}
    design = Design(
        judges=tuple(models[name] for name in judges),
        generators=tuple(models[name] for name in generators),
        paradigms=tuple(flags["paradigms"] or SIMULATED_PARADIGMS),
        **_draw_settings(flags),
    )
    return draw(design, instances=flags["instances"], rubrics_per_instance=flags["rubrics_per_instance"])


def _pairs(names: list[str], flags: dict[str, Any]) -> "SimulatedPairs":
    from engine.simulation.pair_design import PairDesign, default_contestants
    from engine.simulation.pairs import simulate_pairs

    biases = {"spb": flags["spb"], "beyond": flags["beyond"], "first": flags["first_bias"]}
    contestants = default_contestants(names, flags["families"] or (), biased=flags["biased"], **biases)
    return simulate_pairs(PairDesign(contestants, **_draw_settings(flags)), questions=flags["instances"])


def _orders(names: list[str], flags: dict[str, Any]) -> "SimulatedOrders":
    from engine.simulation.order_design import LISTS, OrderDesign, scorers
    from engine.simulation.orders import simulate_orders

    biases = {name: flags[name] for name in ("options", "biased", "pull", "slope", "self_ratio")}
    models = scorers(names, flags["families"] or (), **biases)
    lists = tuple(flags["lists"] or LISTS)
    design = OrderDesign(models, options=flags["options"], lists=lists, **_draw_settings(flags))
    sizes = {name: flags[name] for name in ("instances", "rubrics_per_instance")}
    return simulate_orders(design, **sizes)


def _draw_settings(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: flags[name] for name in ("unparsed", "refused", "seed")}

"""`spb plan simulate` writes a study with a known bias."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from engine.cli.options import next_command, split_names
from engine.cli.output import say
from engine.cli.plan.simulate_options import CRITERIA, KINDS, OPTIONS, simulate_parameters
from engine.cli.printing.rows import print_done
from engine.errors import UsageError, unknown

if TYPE_CHECKING:
    from engine.simulation.orders import SimulatedOrders
    from engine.simulation.pairs import SimulatedPairs
    from engine.simulation.rubrics import SimulatedStudy


def simulate(
    context: typer.Context,
    *,
    study: str,
    store: str | None,
    replace: bool,
    format: str,  # noqa: A002
    **options: Any,
) -> None:
    """Write a simulated study with a planted bias.

    No model is called. The planted bias is recorded in study.json under truth. The reference has the source
    program; for pairs it is the preferences of three gold judges, for scores the scores of two people.
    """
    from engine.simulation.default_models import names_of
    from engine.simulation.study_tables import Simulation, write_simulated
    from engine.store import Store

    kind = KINDS[0] if options["kind"] == CRITERIA else options["kind"]
    if kind not in KINDS:
        raise unknown("kind of study", kind, (KINDS[0], CRITERIA, *KINDS[1:]))
    for option in OPTIONS:
        if option.name in _given(context) and kind not in option.kinds:
            remedy = f"leave it out, or use --kind {' or '.join(option.kinds)}"
            flag = option.name.replace("_", "-")
            raise UsageError(f"--{flag} does not apply to --kind {kind}; {remedy}")
    flags: dict[str, Any] = {
        name: split_names(value) if isinstance(value, list) else value for name, value in options.items()
    }
    simulators: Mapping[str, Callable[[list[str], dict[str, Any]], Simulation]]
    simulators = {"rubrics": _rubrics, "pairs": _pairs, "orders": _orders}
    judges = names_of(flags["judges"] or ["9"])
    simulation = simulators[kind](judges, flags)
    if not replace and study in Store(store).studies():
        again = next_command(store, "plan", "simulate", f"{study}-2")
        raise UsageError(
            f"the study {study!r} exists already; give another name, such as: {again}; or --replace to "
            "replace it"
        )
    write_simulated(Store(store), study, simulation, title=flags["title"], replace=replace)
    say(f"wrote the simulated study {study!r}")
    if (few := _too_few_families(judges, flags)) is not None:
        say(f"warning: {few}: {_with_families(context, study, store, flags)}", caution=True)
    print_done(format, {"study": study, "kind": kind, "seed": flags["seed"]})


simulate.__signature__ = inspect.Signature(simulate_parameters())  # type: ignore[attr-defined]


def _given(context: typer.Context) -> list[str]:
    """Return the options that are typed, by name."""
    sources = {option.name: context.get_parameter_source(option.name) for option in OPTIONS}
    return [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]


def _too_few_families(judges: Sequence[str], flags: Mapping[str, Any]) -> str | None:
    """Return that no conclusion can be drawn of so few families, and what would help; None with enough.

    Judges of one family are compared by what another family's answers failed, which takes no third one.
    """
    from engine.collect.forecast.question_power import families_words
    from engine.simulation.default_models import families_of, names_of

    others = names_of(flags["generators"]) if flags["generators"] else []
    names = list(dict.fromkeys([*judges, *others]))
    families = dict(zip(names, families_of(names, flags["families"] or (), None), strict=True))
    of_one = len({families[judge] for judge in judges}) == 1 and len({*families.values()}) > 1
    return None if of_one else families_words(families)


def _with_families(context: typer.Context, study: str, store: str | None, flags: Mapping[str, Any]) -> str:
    """Return the command that writes the study again with judges of three families."""
    from engine.findings.commands import flag_words

    others = {"judges", "generators", "families"}
    if flags["judges"] and not flags["judges"][0].isdecimal():
        others |= {"biased"}  # by a name that these judges do not have
    given = {name: flags[name] for name in _given(context) if name not in others}
    words = flag_words({"judges": "9", **given})
    return next_command(store, "plan", "simulate", study, *words, "--replace")


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

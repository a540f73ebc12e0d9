"""`spb simulate`: write a study whose bias is known."""

# ruff: noqa: ARG001 - typer makes the options from the signature; the values are taken from the context

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import typer

from engine.cli import simulation_options as of
from engine.cli.options import ReplaceOption, StoreOption, StudyOption, say

if TYPE_CHECKING:
    from engine.simulation.orders import SimulatedOrders
    from engine.simulation.pairs import SimulatedPairs
    from engine.simulation.study import SimulatedStudy


def simulate(
    context: typer.Context,
    study: StudyOption,
    store: StoreOption = None,
    kind: of.KindOption = "rubrics",
    instances: of.InstancesOption = 200,
    rubrics_per_instance: of.RubricsOption = 6,
    judges: of.JudgesOption = None,
    generators: of.GeneratorsOption = None,
    families: of.FamiliesOption = None,
    biased: of.BiasedOption = None,
    self_ratio: of.SelfRatioOption = 1.0,
    family_ratio: of.FamilyRatioOption = 1.0,
    bias_on: of.BiasOnOption = None,
    elsewhere: of.ElsewhereOption = 0.0,
    hard_items: of.HardItemsOption = 1.0,
    overestimation: of.OverestimationOption = 0.2,
    underestimation: of.UnderestimationOption = 0.06,
    first_bias: of.FirstBiasOption = None,
    paradigms: of.ParadigmsOption = None,
    spb: of.SpbOption = None,
    beyond: of.BeyondOption = None,
    options: of.OptionsOption = 5,
    pull: of.PullOption = None,
    slope: of.SlopeOption = None,
    lists: of.ListsOption = None,
    unparsed: of.UnparsedOption = 0.01,
    refused: of.RefusedOption = 0.0,
    seed: of.SeedOption = 0,
    title: of.TitleOption = None,
    replace: ReplaceOption = False,
) -> None:
    """Write a study of simulated generators and judges with a planted bias; nothing is asked of any model.

    What was planted stands in study.json under truth. The reference has the source program; of pairs it is
    three gold judges' preferences, of scores those of two people.
    """
    from engine.simulation.writing import Simulated, write_simulated
    from engine.store import Store

    make: Mapping[str, Callable[[of.Asked], Simulated]]
    make = {"rubrics": _rubrics, "pairs": _pairs, "orders": _orders}
    asked = of.Asked.of(context)
    write_simulated(Store(store), study, make[kind](asked), title=title, replace=replace)
    say(f"wrote the simulated study {study!r}")


def _rubrics(asked: of.Asked) -> "SimulatedStudy":
    """Draw judges and generators of rubrics."""
    from engine.simulation import Bias, Design, Slice, cast
    from engine.simulation import simulate as draw
    from engine.simulation.cast import names_of
    from engine.simulation.design import SIMULATED_PARADIGMS

    judging = names_of(asked.names("judges") or ["9"])
    answering = names_of(asked.names("generators")) if asked["generators"] else judging
    names = [*judging, *(name for name in answering if name not in judging)]
    on = Slice.parse(asked["bias_on"]) if asked["bias_on"] else None
    bias = Bias(asked["self_ratio"], asked["family_ratio"], on, asked["elsewhere"], asked["hard_items"])
    everyone = cast(
        names,
        asked.names("families"),
        bias,
        asked.named("biased"),
        overestimation=asked["overestimation"],
        underestimation=asked["underestimation"],
        first_bias=0.6 if asked["first_bias"] is None else asked["first_bias"],
    )
    models = {model.name: model for model in everyone}
    design = Design(
        judges=tuple(models[name] for name in judging),
        generators=tuple(models[name] for name in answering),
        paradigms=tuple(asked.names("paradigms")) or SIMULATED_PARADIGMS,
        unparsed=asked["unparsed"],
        refused=asked["refused"],
        seed=asked["seed"],
    )
    return draw(design, instances=asked["instances"], rubrics_per_instance=asked["rubrics_per_instance"])


def _pairs(asked: of.Asked) -> "SimulatedPairs":
    """Draw contestants that answer and judge pairs."""
    from engine.simulation.cast import names_of
    from engine.simulation.pairs import PairDesign, contestants, simulate_pairs

    everyone = contestants(
        names_of(asked.names("judges") or ["9"]),
        asked.names("families"),
        biased=asked.named("biased"),
        spb=asked["spb"],
        beyond=asked["beyond"],
        first=asked["first_bias"],
    )
    design = PairDesign(everyone, unparsed=asked["unparsed"], refused=asked["refused"], seed=asked["seed"])
    return simulate_pairs(design, questions=asked["instances"])


def _orders(asked: of.Asked) -> "SimulatedOrders":
    """Draw scorers of stories and judges of lists."""
    from engine.simulation.cast import names_of
    from engine.simulation.orders import OrderDesign, scorers, simulate_orders
    from engine.simulation.orders.design import LISTS

    everyone = scorers(
        names_of(asked.names("judges") or ["9"]),
        asked.names("families"),
        options=asked["options"],
        biased=asked.named("biased"),
        pull=asked["pull"],
        slope=asked["slope"],
        self_ratio=asked["self_ratio"],
    )
    design = OrderDesign(
        everyone,
        options=asked["options"],
        lists=tuple(asked.names("lists")) or LISTS,
        unparsed=asked["unparsed"],
        refused=asked["refused"],
        seed=asked["seed"],
    )
    return simulate_orders(
        design, instances=asked["instances"], rubrics_per_instance=asked["rubrics_per_instance"]
    )

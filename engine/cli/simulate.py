"""`spb simulate`: write a study whose bias is known."""

from typing import Annotated

import typer

from engine.cli.options import ReplaceOption, StoreOption, StudyOption, say


def simulate(
    study: StudyOption,
    store: StoreOption = None,
    instances: Annotated[int, typer.Option(help="Number of instances.")] = 200,
    rubrics_per_instance: Annotated[int, typer.Option(help="Rubrics of each instance.")] = 6,
    judges: Annotated[
        list[str] | None, typer.Option(help="Names of the judges, or how many; 9 unless given.")
    ] = None,
    generators: Annotated[
        list[str] | None, typer.Option(help="Names of the generators, or how many; the judges unless given.")
    ] = None,
    families: Annotated[
        list[str] | None,
        typer.Option(
            help="A family for each judge, then for each generator that is no judge; "
            "the name up to its first hyphen unless given."
        ),
    ] = None,
    self_ratio: Annotated[
        float, typer.Option(help="How many times likelier a judge credits what its own response failed.")
    ] = 1.0,
    family_ratio: Annotated[float, typer.Option(help="The same for its relatives' responses.")] = 1.0,
    bias_on: Annotated[
        str | None,
        typer.Option(
            help="Where the ratios hold, as polarity=negative, length=extreme, length=10:80, theme=T, axis=A."
        ),
    ] = None,
    elsewhere: Annotated[
        float, typer.Option(help="With --bias-on: the share of the ratios' excess over 1 left outside it.")
    ] = 0.0,
    hard_items: Annotated[
        float,
        typer.Option(help="How many times likelier a judge credits, for anyone, a rubric it fails itself."),
    ] = 1.0,
    biased: Annotated[
        list[str] | None, typer.Option(help="The judges with these ratios; all unless given.")
    ] = None,
    overestimation: Annotated[
        float, typer.Option(help="Chance that a failed rubric is found favourable.")
    ] = 0.2,
    underestimation: Annotated[
        float, typer.Option(help="Chance that a fulfilled rubric is found unfavourable.")
    ] = 0.06,
    first_bias: Annotated[
        float, typer.Option(help="Pairs that change with the order: share that held to the first shown.")
    ] = 0.6,
    paradigms: Annotated[
        list[str] | None,
        typer.Option(help="single_rubric, all_rubrics, direct_assessment, pairwise; all unless given."),
    ] = None,
    unparsed: Annotated[float, typer.Option(help="Share of answers that cannot be read.")] = 0.01,
    refused: Annotated[float, typer.Option(help="Share of answers that are refused.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    title: Annotated[str | None, typer.Option(help="Title of the study.")] = None,
    replace: ReplaceOption = False,
) -> None:
    """Write a study of simulated generators and judges with a planted bias; nothing is asked of any model.

    What was planted stands in study.json under truth, and the reference has the source program.
    """
    from engine.simulation import Bias, Design, Slice, cast
    from engine.simulation import simulate as draw
    from engine.simulation.cast import names_of
    from engine.simulation.design import SIMULATED_PARADIGMS
    from engine.simulation.writing import write_simulated
    from engine.store import Store

    judging = names_of(_split(judges) or ["9"])
    answering = names_of(_split(generators)) if generators else judging
    names = [*judging, *(name for name in answering if name not in judging)]
    bias = Bias(self_ratio, family_ratio, Slice.parse(bias_on) if bias_on else None, elsewhere, hard_items)
    models = {
        model.name: model
        for model in cast(
            names,
            _split(families),
            bias,
            _split(biased) if biased else None,
            overestimation=overestimation,
            underestimation=underestimation,
            first_bias=first_bias,
        )
    }
    design = Design(
        judges=tuple(models[name] for name in judging),
        generators=tuple(models[name] for name in answering),
        paradigms=tuple(_split(paradigms)) or SIMULATED_PARADIGMS,
        unparsed=unparsed,
        refused=refused,
        seed=seed,
    )
    drawn = draw(design, instances=instances, rubrics_per_instance=rubrics_per_instance)
    write_simulated(Store(store), study, drawn, title=title, replace=replace)
    say(f"wrote the simulated study {study!r}")


def _split(values: list[str] | None) -> list[str]:
    """Return the members of a list given by commas, by repeating the flag, or both."""
    return [part.strip() for value in values or () for part in value.split(",") if part.strip()]

"""Default families and skills for models of which only the names, or the number, are given."""

from collections.abc import Sequence

from engine.errors import UsageError
from engine.simulation.design import Bias, ModelTraits
from engine.values import parse_int

FAMILY_SIZE, MOST_MODELS = 3, 10_000  # if only the number of models is given
LOWEST_SKILL, HIGHEST_SKILL = 0.6, 0.8


def names_of(models: Sequence[str]) -> list[str]:
    """Return `models`, or names for a number: `["12"]` becomes four families of three, `f1-1` to `f4-3`."""
    if len(models) == 1 and models[0].isdecimal():
        count = parse_int(models[0]) or 0
        if not 1 <= count <= MOST_MODELS:
            remedy = f"give a number from 1 to {MOST_MODELS:,}, or names"
            raise UsageError(f"{models[0]!r} models cannot take part; {remedy}")
        return [f"f{index // FAMILY_SIZE + 1}-{index % FAMILY_SIZE + 1}" for index in range(count)]
    if not models:
        raise UsageError("no model takes part; give a number of models, or their names")
    return list(models)


def families_of(names: Sequence[str], families: Sequence[str], biased: Sequence[str] | None) -> Sequence[str]:
    """Return a family for each name: those given, else the name up to its first hyphen."""
    if families and len(families) != len(names):
        remedy = f"give one for each of: {', '.join(names)}"
        raise UsageError(f"there are {len(families)} families for {len(names)} models; {remedy}")
    if unknown_judges := set(biased or ()) - set(names):
        remedy = f"choose from: {', '.join(names)}"
        raise UsageError(f"biased {min(unknown_judges)!r} is not a model of the study; {remedy}")
    return families or [name.partition("-")[0] for name in names]


def default_models(
    names: Sequence[str],
    families: Sequence[str],
    bias: Bias,
    biased: Sequence[str] | None,
    *,
    overestimation: float = 0.2,
    underestimation: float = 0.06,
    first_bias: float = 0.5,
) -> tuple[ModelTraits, ...]:
    """Return models of these names, with skills spread evenly from 0.6 to 0.8.

    `families` are as in `families_of`. `bias` is planted in the judges `biased` (None: in all).
    """
    family_names = families_of(names, families, biased)
    step = (HIGHEST_SKILL - LOWEST_SKILL) / max(1, len(names) - 1)
    return tuple(
        ModelTraits(
            name=name,
            family=family_names[index],
            skill=round(LOWEST_SKILL + index * step, 6),
            bias=bias if biased is None or name in biased else Bias(),
            overestimation=overestimation,
            underestimation=underestimation,
            first_bias=first_bias,
        )
        for index, name in enumerate(names)
    )

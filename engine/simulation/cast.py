"""Models for a simulation that names only who takes part: families and skills for them."""

from collections.abc import Sequence

from engine.errors import UsageError
from engine.finite import whole
from engine.simulation.design import Bias, Model

FAMILY_SIZE = 3  # of models that are only counted
MOST_MODELS = 10_000  # of those that are only counted
LOWEST_SKILL, HIGHEST_SKILL = 0.6, 0.8


def names_of(models: Sequence[str]) -> list[str]:
    """Return the names that `models` stands for: as they are, or made up where it is one whole number.

    `["12"]` becomes twelve models of four families, `f1-1` to `f4-3`. Raises UsageError for none, 0, or more
    than MOST_MODELS.
    """
    if len(models) == 1 and models[0].isdecimal():
        count = whole(models[0]) or 0
        if not 1 <= count <= MOST_MODELS:
            raise UsageError(
                f"{models[0]!r} models cannot take part; give a number from 1 to {MOST_MODELS:,}, or names"
            )
        return [f"f{index // FAMILY_SIZE + 1}-{index % FAMILY_SIZE + 1}" for index in range(count)]
    if not models:
        raise UsageError("no model takes part; give a number of models, or their names")
    return list(models)


def families_of(names: Sequence[str], families: Sequence[str], biased: Sequence[str] | None) -> Sequence[str]:
    """Return a family for each name: those given, else the name up to its first hyphen.

    Raises UsageError where the families are not as many as the names, or a biased judge is none of these.
    """
    if families and len(families) != len(names):
        raise UsageError(
            f"there are {len(families)} families for {len(names)} models; "
            f"give one for each of: {', '.join(names)}"
        )
    strangers = set(biased or ()) - set(names)
    if strangers:
        raise UsageError(f"biased {min(strangers)!r} takes no part; choose from: {', '.join(names)}")
    return families or [name.partition("-")[0] for name in names]


def cast(
    names: Sequence[str],
    families: Sequence[str],
    bias: Bias,
    biased: Sequence[str] | None,
    *,
    overestimation: float,
    underestimation: float,
    first_bias: float = 0.5,
) -> tuple[Model, ...]:
    """Return models of these names, of skills spread evenly from 0.6 to 0.8.

    `families` has one name for each model; where it is empty, a model's family is its name up to the first
    hyphen. `bias` is planted in the judges named by `biased` (None: in all). Raises UsageError where the
    families are not as many as the models, or a biased judge is none of them.
    """
    of_family = families_of(names, families, biased)
    step = (HIGHEST_SKILL - LOWEST_SKILL) / max(1, len(names) - 1)
    return tuple(
        Model(
            name=name,
            family=of_family[index],
            skill=round(LOWEST_SKILL + index * step, 6),
            overestimation=overestimation,
            underestimation=underestimation,
            first_bias=first_bias,
            bias=bias if biased is None or name in biased else Bias(),
        )
        for index, name in enumerate(names)
    )

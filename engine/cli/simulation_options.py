"""The options of `spb simulate`, and which of them each kind of study takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

KINDS = ("rubrics", "pairs", "orders")

_COMMON = (
    *("study", "store", "kind", "instances", "judges", "families", "biased"),
    *("unparsed", "refused", "seed", "title", "replace"),
)
_OWN: Mapping[str, tuple[str, ...]] = {
    "rubrics": (
        *("rubrics_per_instance", "generators", "self_ratio", "family_ratio", "bias_on", "elsewhere"),
        *("hard_items", "overestimation", "underestimation", "first_bias", "paradigms"),
    ),
    "pairs": ("spb", "beyond", "first_bias"),
    "orders": ("rubrics_per_instance", "self_ratio", "options", "pull", "slope", "lists"),
}

Names = list[str] | None

KindOption = Annotated[
    str,
    typer.Option(help="rubrics; pairs (of equal quality, with preferences); orders (of options and lists)."),
]
InstancesOption = Annotated[int, typer.Option(help="Number of instances; of orders, of either kind.")]
RubricsOption = Annotated[int, typer.Option(help="Rubrics of each instance.")]
JudgesOption = Annotated[Names, typer.Option(help="Names of the judges, or how many; 9 unless given.")]
GeneratorsOption = Annotated[
    Names, typer.Option(help="Names of the generators, or how many; the judges unless given.")
]
FamiliesOption = Annotated[
    Names,
    typer.Option(
        help="A family for each judge, then for each generator that is no judge; "
        "the name up to its first hyphen unless given."
    ),
]
SelfRatioOption = Annotated[
    float, typer.Option(help="How many times likelier a judge credits what its own response failed.")
]
FamilyRatioOption = Annotated[float, typer.Option(help="The same for its relatives' responses.")]
BiasOnOption = Annotated[
    str | None,
    typer.Option(
        help="Where the ratios hold, as polarity=negative, length=extreme, length=10:80, theme=T, axis=A."
    ),
]
ElsewhereOption = Annotated[
    float, typer.Option(help="With --bias-on: the share of the ratios' excess over 1 left outside it.")
]
HardItemsOption = Annotated[
    float,
    typer.Option(help="How many times likelier a judge credits, for anyone, a rubric it fails itself."),
]
BiasedOption = Annotated[Names, typer.Option(help="The judges with the bias planted; all unless given.")]
OverestimationOption = Annotated[float, typer.Option(help="Chance that a failed rubric is found favourable.")]
UnderestimationOption = Annotated[
    float, typer.Option(help="Chance that a fulfilled rubric is found unfavourable.")
]
FirstBiasOption = Annotated[
    float | None,
    typer.Option(
        help="Pairs that change with the order: share that held to the first shown; 0.6 of rubrics."
    ),
]
ParadigmsOption = Annotated[
    Names, typer.Option(help="single_rubric, all_rubrics, direct_assessment, pairwise; all unless given.")
]
SpbOption = Annotated[
    float | None, typer.Option(help="Pairs: SPB of the biased judges; else archetypes in turn.")
]
BeyondOption = Annotated[
    float | None, typer.Option(help="Pairs: T of the quality baseline of the biased judges.")
]
OptionsOption = Annotated[int, typer.Option(help="Orders: number of score options.")]
PullOption = Annotated[
    float | None,
    typer.Option(help="Orders: how many times likelier the first option in a list is picked than the last."),
]
SlopeOption = Annotated[
    float | None,
    typer.Option(help="Orders: by how much likelier the last rubric of a list is credited, -1 to 1."),
]
ListsOption = Annotated[
    Names, typer.Option(help="Orders: how lists are shown; original, reversed, rotated-3 unless given.")
]
UnparsedOption = Annotated[float, typer.Option(help="Share of answers that cannot be read.")]
RefusedOption = Annotated[float, typer.Option(help="Share of answers that are refused.")]
SeedOption = Annotated[int, typer.Option(help="Seed of all that is drawn.")]
TitleOption = Annotated[str | None, typer.Option(help="Title of the study.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: the options by their names, lists split at commas."""

    options: Mapping[str, Any]

    @classmethod
    def of(cls, context: typer.Context) -> "Asked":
        """Take the options of a call; UsageError for an unknown kind, or an option that it does not take."""
        from engine.errors import UsageError, unknown

        kind = context.params["kind"]
        if kind not in KINDS:
            raise unknown("kind of study", kind, KINDS)
        for name in context.params:
            source = context.get_parameter_source(name)
            given = source is not None and source.name == "COMMANDLINE"
            if given and name not in (*_COMMON, *_OWN[kind]):
                flag = "--" + name.replace("_", "-")
                takes = " or ".join(other for other in KINDS if name in _OWN[other])
                raise UsageError(
                    f"{flag} has no meaning with --kind {kind}; leave it out, or use --kind {takes}"
                )
        return cls(context.params)

    def __getitem__(self, name: str) -> Any:
        return self.options[name]

    def names(self, name: str) -> list[str]:
        """Return the members of a list given by commas, by repeating the flag, or both."""
        values = self.options[name] or ()
        return [part.strip() for value in values for part in value.split(",") if part.strip()]

    def named(self, name: str) -> list[str] | None:
        """Return the same, None where nothing was given."""
        return self.names(name) if self.options[name] else None

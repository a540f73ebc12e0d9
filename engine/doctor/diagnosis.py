"""What the doctor says, as data and as lines of text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_MOST_NAMES = 6

Answer = Literal["yes", "in part", "no"]


@dataclass(frozen=True, slots=True)
class Kinship:
    """A judge, whether its own responses are judged, and how many models are of its family and of others."""

    judge: str
    family: str
    own: bool
    relatives: tuple[str, ...]
    others: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a measure can be taken: of `rows` rows `defined` have its headline number.

    `why` says what is missing; `width` is the median half-width of the headline's 95% intervals (in its own
    units), None where it has none.
    """

    measure: str
    title: str
    answer: Answer
    defined: int
    rows: int
    why: str
    headline: str
    width: float | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All of it; `cautions` are things to beware of in any number of the study."""

    study: str
    judges: tuple[Kinship, ...]
    generators: int
    instances: int
    measures: tuple[Verdict, ...]
    cautions: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield the diagnosis as lines of text: who is kin, what can be measured, what cannot."""
        counted = {"instances": self.instances, "judges": len(self.judges), "generators": self.generators}
        yield ", ".join(f"{n:,} {name if n != 1 else name[:-1]}" for name, n in counted.items())
        yield from self.kinship()
        yield from (f"beware: {caution}" for caution in self.cautions)
        can = [told for told in self.measures if told.answer != "no"]
        yield "can be measured:" if can else "nothing can be measured yet"
        for told in can:
            width = "" if told.width is None else f", 95% interval about ±{told.width:.2g}"
            part = "" if told.answer == "yes" else f"; not all: {told.why}"
            yield f"  {told.measure}: {told.headline} in {told.defined:,} of {told.rows:,} rows{width}{part}"
        cannot: dict[str, list[str]] = {}
        for told in self.measures:
            if told.answer == "no":
                cannot.setdefault(told.why, []).append(told.measure)
        if cannot:
            yield "cannot be measured, and what is missing:"
        yield from (f"  {', '.join(names)}: {why}" for why, names in cannot.items())

    def kinship(self) -> Iterator[str]:
        """Yield sentences on who judges its own responses and its family's."""
        own = [kin.judge for kin in self.judges if kin.own]
        stranger = [kin.judge for kin in self.judges if not kin.own and not kin.relatives]
        family = [kin for kin in self.judges if not kin.own and kin.relatives]
        lonely = [kin.judge for kin in self.judges if (kin.own or kin.relatives) and not kin.others]
        if own:
            yield f"judge their own responses: {_some(own)}"
        for kin in family[:_MOST_NAMES]:
            relatives = f"{_some(kin.relatives)} of its family {kin.family}"
            yield f"{kin.judge} judges none of its own responses, but {relatives}"
        if stranger:
            yield (
                f"neither their own nor their family's responses are judged by {_some(stranger)}: no "
                "self-preference can be seen; if one answered under another name, say so with --models"
            )
        if lonely:
            yield f"no other family's response is judged by {_some(lonely)}: there is nothing to compare with"
        if not self.judges:
            yield "there are no judgments: collect some with `spb run`"


def _some(names: tuple[str, ...] | list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")

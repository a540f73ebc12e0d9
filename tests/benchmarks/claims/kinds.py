"""The kinds of studies to draw."""

from collections.abc import Iterator
from dataclasses import dataclass

from .judges import Judges
from .pairs import PairStudies
from .rubrics import RubricStudies
from .scores import ScoreStudies

Studies = RubricStudies | PairStudies | ScoreStudies
CONVINCING = 2.0
TASTES = 0.34
"""The spread of tastes in the published study, in log-odds."""
INSTANCES = (40, 100, 400)
PLANTED = (0.5, 1.0, 1.5)


@dataclass(frozen=True)
class Kind:
    """Studies of one kind, with a planted self-preference of the author's judge or (0) without one."""

    name: str
    studies: Studies
    words: str = ""

    @property
    def planted(self) -> float:
        """The log-odds that the author's judge adds for its own responses."""
        return self.studies.judges.planted

    @property
    def planted_family(self) -> float:
        """The log-odds that the author's judge adds for its relatives' responses."""
        return self.studies.judges.planted_family


CONVINCED = Judges(appeal=CONVINCING)
UNDISCERNING = Judges(discernment=0.3)
RELATED = Judges(family_size=2)


def _sharing(size: int) -> Judges:
    return Judges(family_size=size, tastes=TASTES, shared=True)


NULLS = (
    Kind("even", RubricStudies()),
    Kind("even, 40 instances", RubricStudies(instances=40)),
    Kind("even, 12 instances", RubricStudies(instances=12)),
    Kind("hard items blind", RubricStudies(blinding=1.0, strong=True), "one model fails only hard ones"),
    Kind("one convinces everybody", RubricStudies(CONVINCED)),
    Kind("strict and lenient judges", RubricStudies(Judges(strictness=1.2))),
    Kind("a strict author convinces", RubricStudies(Judges(appeal=CONVINCING, author_leniency=-1.5))),
    Kind("a lenient author convinces", RubricStudies(Judges(appeal=CONVINCING, author_leniency=1.5))),
    Kind("missing on own failures", RubricStudies(missing=0.3), "30 % of the unfavourable ones"),
    Kind("a wrong reference", RubricStudies(mislabelled=0.08), "8 % of what was met is called failed"),
    Kind("family in the reference", RubricStudies(RELATED, committee=True), "two of its three judges"),
    Kind("tastes", RubricStudies(Judges(tastes=TASTES)), "for others' responses"),
    Kind("strong tastes", RubricStudies(Judges(tastes=2 * TASTES)), "for others' responses"),
    Kind("four judges, tastes", RubricStudies(Judges(models=4, tastes=TASTES))),
    Kind("four judges, strong tastes", RubricStudies(Judges(models=4, tastes=2 * TASTES))),
    Kind("six judges, tastes", RubricStudies(Judges(models=6, tastes=TASTES))),
    Kind("400 instances, tastes", RubricStudies(Judges(tastes=TASTES), instances=400)),
    Kind("an undiscerning judge convinces", RubricStudies(Judges(appeal=CONVINCING, discernment=0.3))),
    Kind("an undiscerning judge is seen through", RubricStudies(Judges(appeal=-1.0, discernment=0.3))),
    Kind("families of two", RubricStudies(RELATED)),
    Kind("families of two, tastes", RubricStudies(Judges(family_size=2, tastes=TASTES))),
    Kind("families of two, one convinces", RubricStudies(Judges(family_size=2, appeal=CONVINCING))),
    Kind(
        "blind where weak", RubricStudies(weak_themes=True), "lenient, whoever answers, where its model fails"
    ),
    Kind("families of three blind where weak", RubricStudies(Judges(family_size=3), weak_themes=True)),
    Kind("one judge likes a style", RubricStudies(Judges(style=1.0)), "that its own responses have"),
    Kind("four families of three share tastes", RubricStudies(_sharing(3)), "for families, their own too"),
    Kind("six families of two share tastes", RubricStudies(_sharing(2)), "for families, their own too"),
    Kind("no reference", RubricStudies(reference=False)),
    Kind(
        "no reference, strict author convinces",
        RubricStudies(Judges(appeal=CONVINCING, author_leniency=-1.5), reference=False),
    ),
    Kind("pairs", PairStudies()),
    Kind("pairs, 12 instances", PairStudies(instances=12)),
    Kind("pairs, a pleasing style", PairStudies(Judges(appeal=1.0))),
    Kind("pairs, tastes", PairStudies(Judges(tastes=TASTES))),
    Kind("pairs, one judge likes a style", PairStudies(Judges(style=1.0)), "that its own responses have"),
    Kind("pairs without gold, a pleasing style", PairStudies(Judges(appeal=1.0), gold=False)),
    Kind("pairs without gold, tastes", PairStudies(Judges(tastes=TASTES), gold=False)),
    Kind("pairs, an undiscerning judge is weak", PairStudies(UNDISCERNING, author_quality=-1.0)),
    Kind(
        "pairs, a discerning judge is strong",
        PairStudies(Judges(discernment=2.0), author_quality=1.0),
    ),
    Kind("pairs, an undiscerning judge is strong", PairStudies(UNDISCERNING, author_quality=1.0)),
    Kind("scores", ScoreStudies()),
    Kind("scores, 12 instances", ScoreStudies(instances=12)),
    Kind("scores, one pleases everybody", ScoreStudies(Judges(appeal=1.0))),
    Kind("scores, strict and lenient judges", ScoreStudies(Judges(strictness=1.2))),
    Kind("scores, a strict author pleases", ScoreStudies(Judges(appeal=1.0, author_leniency=-1.5))),
    Kind("scores, an undiscerning judge is weak", ScoreStudies(UNDISCERNING, author_quality=-1.0)),
    Kind("scores, tastes", ScoreStudies(Judges(tastes=TASTES))),
)
"""Kinds without self-preference."""


def _planted() -> Iterator[Kind]:
    for number, studies in (("rubrics", RubricStudies), ("pairs", PairStudies), ("scores", ScoreStudies)):
        for planted in PLANTED:
            for instances in INSTANCES:
                name = f"{number}, {planted:g}, {instances}"
                yield Kind(name, studies(Judges(planted=planted), instances))
    for planted in (0.5, 1.0):
        yield Kind(
            f"relatives, {planted:g}, 100",
            RubricStudies(Judges(family_size=3, planted=planted, planted_family=planted)),
        )


PLANTS = tuple(_planted())
"""Kinds with a self-preference of the author's judge."""

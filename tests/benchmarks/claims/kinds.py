"""The kinds of studies to draw."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .judges import AUTHOR, Judges
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
    """Studies of one kind: without self-preference, or with one of the author's judge or of all judges."""

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

    @property
    def common(self) -> float:
        """The log-odds that every judge adds for its own responses."""
        return self.studies.judges.common

    @property
    def partial(self) -> frozenset[str]:
        """The judges with a self-preference."""
        names = self.studies.judges.names
        return frozenset(names if self.common else [names[AUTHOR]] if self.planted else [])

    @property
    def partial_to_family(self) -> frozenset[str]:
        """The judges with a preference for their relatives."""
        return frozenset([self.studies.judges.names[AUTHOR]] if self.planted_family else [])


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
    Kind("each likes its own style", RubricStudies(Judges(likeness=0.5)), "all judges, whoever answers"),
    Kind("blind to kinds of error", RubricStudies(weak_errors=True), "within a criterion, whoever answers"),
    Kind("near copies", RubricStudies(Judges(tastes=TASTES), copied=True), "two models answer alike; tastes"),
    Kind(
        "own rows dropped",
        RubricStudies(missing=0.6, missing_of_author=True, dropped=True),
        "60 % of one judge's unfavourable ones",
    ),
    Kind(
        "all judges' own rows dropped",
        RubricStudies(missing=0.3, dropped=True),
        "30 % of the unfavourable ones",
    ),
    Kind(
        "two generators, one judge undiscerning",
        RubricStudies(Judges(models=8, generators=2, appeal=CONVINCING, discernment=0.3)),
        "eight judges; its responses convince the others",
    ),
    Kind(
        "three judges, one undiscerning",
        RubricStudies(Judges(models=3, appeal=CONVINCING, discernment=0.3)),
        "its responses convince the others",
    ),
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
            for instances in INSTANCES if number == "rubrics" else INSTANCES[:2]:
                name = f"{number}, {planted:g}, {instances}"
                yield Kind(name, studies(Judges(planted=planted), instances))
    for planted in (0.5, 1.0):
        yield Kind(
            f"relatives, {planted:g}, 100",
            RubricStudies(Judges(family_size=3, planted=planted, planted_family=planted)),
        )
    yield Kind("rubrics, 1.5, 60", RubricStudies(Judges(planted=1.5), 60))
    generous = Judges(planted=1.5, appeal=CONVINCING, author_leniency=1.5)
    for instances in (60, 100, 200, 400):
        yield Kind(f"lenient and convincing, 1.5, {instances}", RubricStudies(generous, instances))
    for instances in (100, 200):
        yield Kind(
            f"lenient and convincing among unlike models, 1.5, {instances}",
            RubricStudies(replace(generous, others_appeal=0.5), instances),
            "others' appeal differs by .5",
        )
    yield Kind(
        "a little lenient and convincing, 1.5, 100",
        RubricStudies(Judges(planted=1.5, appeal=1.0, author_leniency=1.0)),
        "1 each",
    )
    yield Kind(
        "two generators, 1.5, 100",
        RubricStudies(Judges(models=8, generators=2, planted=1.5)),
        "eight judges",
    )
    yield Kind(
        "two generators, one convinces, 1.5, 100",
        RubricStudies(Judges(models=8, generators=2, planted=1.5, appeal=1.0)),
        "eight judges; the planted judge's responses, by 1",
    )
    yield Kind("three judges, 1.5, 100", RubricStudies(Judges(models=3, planted=1.5)))
    for instances in (60, 100):
        yield Kind(f"tastes, 1.5, {instances}", RubricStudies(Judges(planted=1.5, tastes=TASTES), instances))
    yield Kind("strong tastes, 1.5, 100", RubricStudies(Judges(planted=1.5, tastes=2 * TASTES)))
    yield Kind(
        "four families of three share tastes, 1.5, 100", RubricStudies(replace(_sharing(3), planted=1.5))
    )
    yield Kind("a near copy by another model, 1.5, 100", RubricStudies(Judges(planted=1.5), copied=True))


PLANTS = tuple(_planted())
"""Kinds with a self-preference of the author's judge."""


def _common() -> Iterator[Kind]:
    for tastes in (0.0, TASTES):
        for common in (0.4, 0.6):
            words = ", tastes" if tastes else ""
            judges = Judges(models=8, common=common, tastes=tastes)
            yield Kind(f"all eight judges, {common:g}, 60{words}", RubricStudies(judges, 60))


COMMON = tuple(_common())
"""Kinds with the same self-preference of all judges."""

"""The diagnosis of a study, as data and as lines of text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.phrases import quantity
from engine.wording import Sentence, command_words

if TYPE_CHECKING:
    from engine.measures.result import Result

_MOST_NAMES = 6

Answer = Literal["yes", "partly", "no"]


@dataclass(frozen=True, slots=True)
class JudgeRelations:
    """A judge's family, whether it judges its own responses, its relatives, and the number of others."""

    judge: str
    family: str | None
    own: bool
    relatives: tuple[str, ...]
    others: int


@dataclass(frozen=True, slots=True)
class MeasureDiagnosis:
    """Whether a measure can be computed: `defined` of its `rows` rows have the headline number.

    `why` says what is missing; `width` is the median half-width of the headline's 95% intervals (in its own
    units), None without intervals.
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
    """The whole diagnosis; `cautions` apply to any number of the study.

    `scorecard` has the conclusion on each judge, which `engine.words.conclusions` words; None without one.
    """

    study: str
    judges: tuple[JudgeRelations, ...]
    generators: int
    instances: int
    measures: tuple[MeasureDiagnosis, ...]
    cautions: tuple[str, ...]
    scorecard: "Result | None" = None

    def lines(self) -> Iterator[str]:
        """Yield the diagnosis as lines of text: relations of models, what can be measured, what cannot."""
        sizes = {"instance": self.instances, "judge": len(self.judges), "generator": self.generators}
        yield ", ".join(quantity(n, thing) for thing, n in sizes.items())
        yield from self.relations()
        yield from (f"warning: {caution}" for caution in self.cautions)
        measurable = [verdict for verdict in self.measures if verdict.answer != "no"]
        yield "can be measured:" if measurable else "nothing can be measured yet"
        for verdict in measurable:
            width = "" if verdict.width is None else f", 95% interval about ±{verdict.width:.2g}"
            part = "" if verdict.answer == "yes" else f"; not all: {verdict.why}"
            rows = f"{verdict.defined:,} of {quantity(verdict.rows, 'row')}"
            yield f"  {verdict.measure}: {verdict.headline} in {rows}{width}{part}"
        if self._needs_no_reference:
            yield (
                "no reference is needed to test whether a judge favours itself: scorecard and outside "
                "compare it with judges of other families"
            )
        unmeasurable: dict[str, list[str]] = {}
        for verdict in self.measures:
            if verdict.answer == "no":
                unmeasurable.setdefault(verdict.why, []).append(verdict.measure)
        if unmeasurable:
            yield "cannot be measured, and why:"
        yield from (f"  {', '.join(names)}: {why}" for why, names in unmeasurable.items())

    @property
    def _needs_no_reference(self) -> bool:
        """Whether there is a conclusion on judges, but no ratio because there is no reference."""
        why = {verdict.measure: None if verdict.answer != "no" else verdict.why for verdict in self.measures}
        return why["scorecard"] is None and str(why["hspp"]).startswith("the study has no reference")

    def relations(self) -> Iterator[str]:
        """Yield sentences on who judges its own responses and its family's."""
        yield from relation_sentences(self.judges)
        if not self.judges:
            yield "there are no judgments; collect some with `spb run`, or import them"


def relation_sentences(judges: Sequence[JudgeRelations]) -> Iterator[str]:
    """Yield sentences on who judges its own responses and its family's, and who cannot be compared."""
    own = [each.judge for each in judges if each.own]
    strangers = [each.judge for each in judges if not each.own and not each.relatives]
    family = [each for each in judges if not each.own and each.relatives]
    alone = [each.judge for each in judges if (each.own or each.relatives) and not each.others]
    if own:
        verb = "judges its" if len(own) == 1 else "judge their"
        yield f"{_names(own)} {verb} own answers"
    for each in family[:_MOST_NAMES]:
        relatives = f"{_names(each.relatives)} of its family {each.family}"
        yield f"{each.judge} judges none of its own answers, but those of {relatives}"
    if strangers:
        yield Sentence(
            f"{_names(strangers)}: no judged answer is the judge's own or its family's, so "
            "self-preference cannot be measured; if a judge answered under another name, give it that "
            "name on import",
            command_words(" (--models)", ", in the table of models"),
        )
    if alone:
        yield (f"{_names(alone)}: no answer of another family is judged, so there is nothing to compare with")


def _names(names: tuple[str, ...] | list[str]) -> str:
    n_more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {n_more} more" if n_more > 0 else "")

"""An audit: what a study says on its judges, question by question, each answered by views."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.explore.unavailable_views import NEEDS_ORDERS
from engine.findings.commands import command_words
from engine.phrases import sentence_case
from engine.views.accuracy import ACCURACY
from engine.views.detectable import DETECTABLE
from engine.views.families import FAMILIES
from engine.views.independent_votes import INDEPENDENT_VOTES
from engine.views.judges import JUDGES
from engine.views.keys import NoKeys, Texts, choices_in, needs_judgments
from engine.views.longer import LONGER
from engine.views.missing_verdicts import MISSING_VERDICTS
from engine.views.orders import FLIPS, LISTS, POSITIONS
from engine.views.people import PEOPLE
from engine.views.ranking_without_own import RANKING_WITHOUT_OWN
from engine.views.shown import Shown, ShownTable
from engine.views.slices import SLICES
from engine.views.view import AnyView, View
from engine.wording import Sentence
from engine.words.based_on import OfRuns

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

COLUMNS = {
    "question": ("Question", ""),
    "answer": ("Answer", "What the study says, or what it would need"),
}


@dataclass(frozen=True)
class AuditSection:
    """A question of an audit, and the views that answer it.

    `keys` are what is chosen in a view, by its name. If none of the views applies to a study, `lacking` says
    what it would need; without it they say so themselves.
    """

    name: str
    question: str
    views: tuple[AnyView, ...]
    keys: Mapping[str, Texts] = field(default_factory=dict)
    lacking: str = ""


@dataclass(frozen=True)
class Exhibit:
    """What one view shows in an audit."""

    view: AnyView
    keys: Texts
    shown: Shown


@dataclass(frozen=True)
class SectionAnswer:
    """What the views of a section show; `lacking` says what the study would need where they show nothing."""

    section: AuditSection
    exhibits: tuple[Exhibit, ...]
    lacking: tuple[str, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Whether any view has something to show."""
        return bool(self.exhibits)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the views say, or what the study would need."""
        return tuple(line for each in self.exhibits for line in each.shown.sentences) or self.lacking


NOTHING_COUNTS = "No judgment of this slice counts."
"""What a view says that has no rows for no reason of its own: what the question needs says more."""

LENGTH = {"by": ("response_length",)}

SECTIONS = (
    AuditSection("judges", "Do the judges favour their own answers?", (JUDGES,)),
    AuditSection("families", "Do they favour the other models of their family?", (FAMILIES,)),
    AuditSection(
        "ranking",
        "Does it change the ranking of the models?",
        (RANKING_WITHOUT_OWN,),
        lacking="It needs a score of each answer, verdicts on its criteria, or votes between two answers.",
    ),
    AuditSection(
        "position",
        "Does the order in which answers are shown matter?",
        (FLIPS, POSITIONS, LISTS),
        lacking=NEEDS_ORDERS,
    ),
    AuditSection(
        "length",
        "Does it depend on the length of the answers?",
        (LONGER, SLICES),
        {SLICES.name: LENGTH},
        "It needs the texts of the answers, whose lengths are compared; this study has none.",
    ),
    AuditSection("agreement", "Do the judges agree with people or another reference?", (PEOPLE, ACCURACY)),
    AuditSection("missing", "Are verdicts missing?", (MISSING_VERDICTS,)),
    AuditSection("independence", "How many independent judges are these?", (INDEPENDENT_VOTES,)),
    AuditSection("power", "What could this study have found?", (DETECTABLE,)),
)
"""What an audit asks, in this order."""


def answers(study: "MeasuredStudy") -> tuple[SectionAnswer, ...]:
    """Answer every question of an audit."""
    every: tuple[SectionAnswer, ...] = study.remember(
        "audit", lambda: _with_runs_once([_answered(study, section) for section in SECTIONS])
    )
    return every


def _with_runs_once(every: Sequence[SectionAnswer]) -> tuple[SectionAnswer, ...]:
    """Return the answers, in which the same remark on runs that are taken together stands once, at first."""
    remarks: set[object] = set()

    def is_new(sentence: str) -> bool:
        if not isinstance(sentence, OfRuns):
            return True
        is_first = sentence.parts[0] not in remarks
        remarks.add(sentence.parts[0])
        return is_first

    def once(shown: Shown) -> Shown:
        sentences = tuple(filter(is_new, shown.sentences))
        return replace(shown, sentences=sentences, basis=tuple(filter(is_new, shown.basis)))

    return tuple(
        replace(each, exhibits=tuple(replace(one, shown=once(one.shown)) for one in each.exhibits))
        for each in every
    )


def _answered(study: "MeasuredStudy", section: AuditSection) -> SectionAnswer:
    if section.name == "length" and "response_length" not in choices_in(study).groupings:
        return SectionAnswer(section, (), (section.lacking,))
    that_apply = [view for view in section.views if view.lacks(study) is None]
    exhibits = []
    problems = [] if section.lacking else [view.lacks(study) or "" for view in section.views]
    for view in that_apply:
        keys = section.keys.get(view.name, {})
        shown = view.shown(study, keys)
        if shown.table is not None:
            exhibits.append(Exhibit(view, keys, shown))
        else:
            problems += shown.problems
    lacking = tuple(dict.fromkeys(map(_reason, filter(None, problems))))
    if section.lacking and (not that_apply or lacking == (NOTHING_COUNTS,)):
        lacking = (section.lacking,)
    return SectionAnswer(section, tuple(exhibits), lacking)


def _reason(problem: str) -> str:
    """Return why a view shows nothing, without its first words, which the question makes plain."""
    return sentence_case(problem.removeprefix("There is nothing to show: "))


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show every question with its answer."""
    every = answers(study)
    rows = [(each.section.question, _joined(each.sentences) or _see(each)) for each in every]
    records = [
        {"question": question, "answer": words, "is_answered": each.is_answered}
        for (question, words), each in zip(rows, every, strict=True)
    ]
    of_judges = next((each.shown for each in every[0].exhibits), None)
    measures = dict.fromkeys(
        name for each in every for exhibit in each.exhibits for name in exhibit.shown.measures
    )
    return Shown(
        sentences=every[0].sentences[:1] if of_judges is not None else (),
        table=ShownTable.under(COLUMNS, rows, records),
        commands=(command_words(("audit",), study.name, {"run": study.only_runs}),),
        measures=tuple(measures),
    )


def _joined(sentences: Sequence[str]) -> Sentence:
    """Return sentences as one text, which keeps how Python words it."""
    return Sentence(*[part for each in sentences for part in (" ", each)][1:])


def _see(each: SectionAnswer) -> str:
    names: Sequence[str] = [exhibit.view.title for exhibit in each.exhibits]
    return f"In numbers: {', '.join(names)}." if names else "Nothing can be said."


AUDIT = View(
    "audit",
    "Audit",
    "Do the judges of a study favour themselves, and does it matter?",
    NoKeys,
    answer,
    needs_judgments,
)

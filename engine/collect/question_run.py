"""A run of one's own questions and models: its configuration, and what it can show at what cost."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.named_models import NamedModels
from engine.errors import UsageError
from engine.importers.question_checks import Questions
from engine.paradigms import Paradigm
from engine.phrases import join_names, quantity
from engine.stats.group import FEWEST_FAMILIES as FEWEST_OF_GROUP
from engine.stats.power_of_differences import AssumedStudy, instances_for
from engine.stats.taste_spread import FEWEST_JUDGES
from engine.store import Store
from engine.store.publish import replace_file

if TYPE_CHECKING:
    from engine.collect.token_estimates import EstimateLine

FEWEST_FAMILIES = 3
"""A judge is compared with one of another family, on answers that are of neither."""
FEWEST_OF_TASTES = 4
"""With fewer, no pair shows how a judge likes others' answers for what they are."""
EXCESS = 0.1
POWER = 0.8


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """Questions in a file that models answer, and then judge: all pairs in both orders, and the criteria."""

    study: str
    file: Path
    questions: Questions
    models: NamedModels
    columns: Mapping[str, str] = field(default_factory=dict)
    sample: int | None = None
    max_usd: float | None = None

    @property
    def paradigms(self) -> list[Paradigm]:
        return ["pairwise", "single_rubric"] if self.questions.rubrics else ["pairwise"]

    @property
    def size(self) -> int:
        """How many questions take part."""
        total = len(self.questions.instances)
        return total if self.sample is None else min(self.sample, total)

    def configuration(self, folder: Path) -> str:
        """Return the run's configuration, to stand in a folder; `spb run` on it makes the same run."""
        file = self.file.absolute()
        data = file.relative_to(folder) if file.is_relative_to(folder) else file
        document: dict[str, Any] = {"study": self.study, "data": data.as_posix()}
        if self.columns:
            document["columns"] = dict(self.columns)
        names = list(self.models.tables)
        document |= {"generators": names, "judges": names, "paradigms": self.paradigms}
        if self.sample is not None:
            document["sample"] = {"n": self.sample}
        if self.max_usd is not None:
            document["run"] = {"max_usd": self.max_usd}
        document["models"] = self.models.tables
        return tomli_w.dumps(document)


# ------------------------------------------------------------------------------
# What so many questions and families can show.


def families_words(families: Mapping[str, str]) -> str | None:
    """Return what models of so few families cannot show, and what would help; None if they are enough.

    `families` has the family of each model.
    """
    names = list(dict.fromkeys(families.values()))
    if len(names) >= FEWEST_FAMILIES:
        return None
    quoted = join_names([repr(name) for name in names])
    which = (
        f"all models are of one family, {quoted}"
        if len(names) == 1
        else f"the models are of two families, {quoted}"
    )
    more = quantity(FEWEST_FAMILIES - len(names), "family").replace("1 ", "one ").replace("2 ", "two ")
    return (
        f"{which}: whether a model favours its own answers cannot be concluded, as its verdicts are compared "
        f"with those of judges of other families, on answers of a third one; add models of {more} more"
    )


def limits_words(families: Mapping[str, str]) -> str | None:
    """Return which conclusions take more models or families than these; None if there are enough.

    With too few judges their tastes are unknown, and liking one's own answers may be one of them.
    """
    number = len({*families.values()})
    if number < FEWEST_FAMILIES:
        return None
    parts = []
    if len(families) < FEWEST_JUDGES or number < FEWEST_OF_TASTES:
        parts.append(
            "a model can be shown to overrate its own answers; that it does so because they are its own "
            f"takes {FEWEST_JUDGES} models of {FEWEST_OF_TASTES} families"
        )
    if number < FEWEST_OF_GROUP:
        parts.append(f"a conclusion on all together takes {FEWEST_OF_GROUP} families")
    return "; ".join(parts) or None


def questions_needed(families: Mapping[str, str]) -> int | None:
    """Return how many questions show that a model takes 10 more of 100 of its own pairs than others give it.

    In four of five such studies, for one judge by itself; None with too few families.
    """
    number = len({*families.values()})
    if number < FEWEST_FAMILIES:
        return None
    return instances_for(AssumedStudy("vote_outside", EXCESS, len(families), number), POWER)


@dataclass(frozen=True, slots=True)
class CostRange:
    """What calls cost, in US dollars: what is expected, with the shortest and with the longest answers."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, total: "EstimateLine") -> "CostRange | None":
        """Return the cost of an estimate; None if it is unknown."""
        ends = (total.cost_usd, total.cost_usd_low, total.cost_usd_high)
        middle, low, high = ends
        return None if middle is None or low is None or high is None else cls(middle, low, high)

    def times(self, factor: float) -> "CostRange":
        return CostRange(self.middle * factor, self.low * factor, self.high * factor)

    def words(self) -> str:
        """Return `about $0.42 ($0.17 to $45.18)`."""
        digits = 2 if self.low >= 0.1 else 4
        middle, low, high = (f"${each:,.{digits}f}" for each in (self.middle, self.low, self.high))
        return f"about {middle} ({low} to {high})"


def power_words(families: Mapping[str, str], questions: int, cost: CostRange | None) -> str | None:
    """Return how many questions show an excess of 10 in 100, and what they cost; None with too few families.

    `cost` is that of these `questions`; None if it is unknown.
    """
    needed = questions_needed(families)
    if needed is None:
        return None
    dollars = ""
    if cost is not None and cost.high and needed > questions:
        dollars = f", for {cost.times(needed / questions).words()}"
    return (
        f"an excess of {EXCESS * 100:.0f} in 100 own cases is found, four times in five, with about "
        f"{needed:,} questions{dollars}; these are {questions:,}"
    )


# ------------------------------------------------------------------------------
# The configuration as a file of the user's, which is written anew only as long as it is as it was written.


_MARK = re.compile(r"# Written by `spb try`; once edited it stays as it is \(([0-9a-f]{12})\)\.\n")


def study_name(file: Path) -> str:
    """Return a study's name after a file of questions."""
    words = re.sub(r"[^\w.-]+", "-", file.name.partition(".")[0]).strip("-.")
    return words[:100] or "questions"


def configuration_path(store: Store, study: str) -> Path:
    """Return where the configuration is written: beside the store, or in this folder if that is elsewhere."""
    folder = Path.cwd() if "://" in store.root else Path(os.path.expanduser(store.root)).absolute().parent
    return folder / f"{study}.toml"


def check_configuration(path: Path) -> None:
    """Raise UsageError if there is a file that was not written by `write_configuration`, or was edited."""
    if not os.path.lexists(path):
        return
    try:
        text = text_of(path, WRITTEN_BY_HAND)
    except (OSError, ValueError):
        text = ""
    match = _MARK.match(text)
    if match is None or match[1] != _sum(text[match.end() :]):
        raise UsageError(
            f"{str(path)!r} is there already and holds something else, or was edited: run it with "
            "`spb run`, or give --config another file"
        )


def write_configuration(path: Path, text: str) -> None:
    """Write a configuration; UsageError like `check_configuration`."""
    check_configuration(path)
    replace_file(
        path, f"# Written by `spb try`; once edited it stays as it is ({_sum(text)}).\n{text}".encode()
    )


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]

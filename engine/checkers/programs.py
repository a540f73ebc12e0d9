"""The programs that decide a study's rubrics: those that the rubrics name, or one verifier for all."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.checkers.checks_by_id import FACTS, facts_taken, make_check
from engine.checkers.counts import Check
from engine.checkers.instruction_rules import sentence_splitter
from engine.checkers.verdicts import Verdict, judge, verify
from engine.checkers.verifiers import VERIFIERS
from engine.errors import BadInputError, SpbError
from engine.messages import conversation
from engine.store.study_files import StudyFiles

_LOADED = {"length_constraints:number_sentences": sentence_splitter}
"""What a checker needs to decide a text, though not to be written into rubrics."""

STRICT, LOOSE = "program", "program:loose"


@dataclass(frozen=True, slots=True)
class Program:
    """A checker with its arguments, as in a rubric: an id, and JSON (None: no arguments).

    `facts` are those of the instance that the checker takes too.
    """

    checker: str
    kwargs: str | None
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def verifies(self) -> bool:
        """Whether it is a shipped verifier, which has no loose form."""
        return self.checker in VERIFIERS

    def decide(self, check: Check, text: str) -> Verdict:
        return verify(check, text) if self.verifies else judge(check, text)

    def check(self) -> Check:
        """Make the check, so that it can decide texts.

        Raises the errors of `make_check`, BadInputError if the JSON is no object, and UsageError if a package
        that the check needs is not installed.
        """
        try:
            arguments = json.loads(self.kwargs) if self.kwargs and self.kwargs.strip() else {}
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            raise BadInputError(
                f"checker {self.checker!r}: checker_kwargs is {self.kwargs!r}; "
                'give a JSON object, such as {"num_words": 300}'
            )
        if load := _LOADED.get(self.checker):
            load()
        return make_check(self.checker, dict(self.facts) | arguments)


Deciders = dict[str, list[tuple[str, int]]]
"""The rubrics of each instance with a checker: (rubric id, index of the program)."""


def programs_of(files: StudyFiles) -> tuple[list[Program], Deciders]:
    """Return the programs of a study's rubrics, all tried, and for each instance the rubrics they decide."""
    table = files.table("rubrics", ("instance_id", "rubric_id", "checker", "checker_kwargs"))
    return programs_in(files, table.filter(pc.is_valid(table["checker"])).to_pylist())


def programs_in(files: StudyFiles, rubrics: Iterable[Mapping[str, Any]]) -> tuple[list[Program], Deciders]:
    """Return the programs of these rows of rubrics, all tried, and the rubrics that each instance has."""
    facts = _Facts(files)
    places: dict[Program, int] = {}
    by_instance: Deciders = {}
    for row in rubrics:
        instance, rubric = row["instance_id"], row["rubric_id"]
        try:
            program = Program(row["checker"], row["checker_kwargs"], facts.of(row["checker"], instance))
            if program not in places:
                program.check()
        except SpbError as error:
            raise type(error)(f"criteria: criterion {rubric!r} of question {instance!r}: {error}") from error
        place = places.setdefault(program, len(places))
        by_instance.setdefault(instance, []).append((rubric, place))
    return list(places), by_instance


class _Facts:
    """What checkers may know of the instances; read if one of them takes it."""

    def __init__(self, files: StudyFiles) -> None:
        self._files = files

    @cached_property
    def _rows(self) -> dict[str, dict[str, str | None]]:
        rows = self._files.table("instances", ("instance_id", *FACTS)).to_pylist()
        return {row.pop("instance_id"): row for row in rows}

    def of(self, checker: str, instance: str) -> tuple[tuple[str, str], ...]:
        """Return the facts of an instance that a checker takes, those that are there."""
        facts = ((name, self._rows[instance][name]) for name in facts_taken(checker))
        return tuple((name, _as_words(name, value)) for name, value in facts if value is not None)


def _as_words(name: str, value: str) -> str:
    """Return a prompt as the text of its messages; anything else as it is."""
    if name != "prompt":
        return value
    return "\n\n".join(each.text for each in conversation(value)) or value


CORRECT = "correct"
"""The rubric that verifiers decide."""
_CRITERION = "The final answer of the response agrees with the reference answer."


@dataclass(frozen=True)
class VerifiedRubrics:
    """The rows of `correct` that a verifier decides, of all rows of `rubrics` as they are to be then.

    `undecidable` are instances without a reference answer, `others` those whose rows another program wrote.
    """

    decided: list[dict[str, Any]]
    rubrics: list[dict[str, Any]]
    undecidable: int
    others: int


def verified_rubrics(files: StudyFiles, checker: str) -> VerifiedRubrics:
    """Return the rubrics that a verifier decides; it never takes over what another program decided."""
    rubrics = files.table("rubrics").to_pylist()
    stored = {row["instance_id"]: row for row in rubrics if row["rubric_id"] == CORRECT}
    references = files.table("references", ("instance_id", "rubric_id", "source"))
    references = references.filter(pc.equal(references["rubric_id"].cast(pa.string()), CORRECT))
    by_program = {row["instance_id"] for row in references.to_pylist() if row["source"] in (STRICT, LOOSE)}
    decided, undecidable, others = [], 0, 0
    for instance in files.table("instances", ("instance_id", "reference_answer")).to_pylist():
        name = instance["instance_id"]
        row = stored.get(name)
        before = None if row is None else row["checker"]
        if not (instance["reference_answer"] or "").strip():
            undecidable += 1
        elif before not in (None, checker) or (before is None and name in by_program):
            others += 1
        else:
            if row is None:
                row = {"instance_id": name, "rubric_id": CORRECT, "criterion": _CRITERION, "points": 1}
                row |= {"axis": "accuracy", "checker_kwargs": None}
                rubrics.append(row)
            row["checker"] = checker
            decided.append(row)
    return VerifiedRubrics(decided, rubrics, undecidable, others)

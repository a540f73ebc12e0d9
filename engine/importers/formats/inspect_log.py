"""Who graded in a log of Inspect, and what its scores are: facts of the header and of all samples."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.errors import BadInputError
from engine.importers.families import resolve
from engine.importers.import_options import ImportOptions
from engine.importers.reading.rows import Row, first_text, list_or_empty, number_of, object_or_empty
from engine.wording import Sentence, command_words

PROGRAM = "program"
"""What `--set SCORER=program` says of a scorer that asks no model."""

_GRADED = "model_graded"  # begins the names of Inspect's own scorers that ask a model
_NO_GRADE = "Grade not found in model output"

_ROLES = ("grader", "judge", "scorer", "evaluator", "critic", "rater", "monitor")
_NAMES_MODEL = re.compile(
    rf"(?:(?:{'|'.join(_ROLES)}|grading|judging|scoring|evaluation|eval|llm)_?)?"
    r"(?:model|llm)(?:_name|_id)?s?"
    rf"|(?:{'|'.join(_ROLES)})(?:_name|_id)?s?"
)
"""Options of a scorer that name the model it asks: `model`, `judge_model`, `scorer_llm`, `graders`, ..."""

_ASKS_MODEL = re.compile(r"judge|grade|critic|llm|gpt|claude|gemini|rubric|rater|rating|quality")
_PROGRAMS = frozenset(
    (
        *("match", "includes", "pattern", "answer", "choice", "exact", "f1", "math"),
        *("exact_match", "accuracy", "verify", "check_flag", "instruction_following"),
    )
)
_PROGRAM_WORDS = frozenset(
    (
        *("match", "includes", "regex", "pattern", "exact", "f1", "em", "bleu", "rouge", "chrf"),
        *("levenshtein", "choice", "verify", "verifier", "tests", "unittest", "execution", "expression"),
    )
)
"""Words in the names of scorers that compute: `exact_str`, `swe_tests`, `rouge_l`."""


class Log:
    """A log's header and what a first pass over its samples shows.

    `numeric_parts` are the scores that have other numbers than 0 and 1 anywhere in the log: none of their
    values is true or false. `only_share` is the one of a model's that lies between 0 and 1, if there is no
    other. `prompts` are the scorers that ask one model about one rubric in more than one way.
    """

    def __init__(self, header: Mapping[str, Any], options: ImportOptions) -> None:
        self.spec, self.options = object_or_empty(header.get("eval")), options
        self.task = str(self.spec.get("task", "task")).rpartition("/")[2]
        model = self.spec.get("model")
        self.model = model if isinstance(model, str) and model and model != "none/none" else None
        self.numeric_parts: set[str] = set()
        self.only_share: str | None = None
        self.prompts: set[str] = set()
        self._by_number: set[str] = set()  # scorers that give numbers, and no letters
        self._callers: dict[str, str | None] = {}  # by scorer: the first model called within it, if any

    def scan(self, samples: Iterable[Row]) -> None:
        """Collect what needs all samples. BadInputError names scorers that nothing says anything about."""
        in_unit: dict[str, dict[str, bool]] = defaultdict(dict)  # scorer, part: all numbers between 0 and 1
        by_letter: dict[str, None] = {}
        for row in samples:
            for scorer, model in models_called(row).items():
                self._callers[scorer] = self._callers.get(scorer) or model
            for scorer, score in object_or_empty(row.values.get("scores")).items():
                score_row = Row(row.file, row.number, object_or_empty(score))
                if (grader := _in_conversation(score_row)) is not None:
                    self._callers[scorer] = grader
                in_unit[scorer] |= {}
                for part, part_score in parts(scorer, score_row):
                    value = part_score.values.get("value")
                    number = number_of(value)
                    if part == CORRECT and _is_letter(value) and has_grade(score_row):
                        by_letter[scorer] = None
                    if number is None or number in (0, 1):
                        continue
                    self.numeric_parts.add(part)
                    in_unit[scorer][part] = in_unit[scorer].get(part, True) and 0 < number < 1
        if unknown := [scorer for scorer in in_unit if self._is_unknown(scorer)]:
            raise BadInputError(_question(unknown, self.task))
        shares = {
            part: unit
            for scorer, of_parts in in_unit.items()
            for part, unit in of_parts.items()
            if self.grader(scorer) is not None
        }
        if len(shares) == 1 and all(shares.values()):
            self.only_share = next(iter(shares))
        self._by_number = self.numeric_parts - by_letter.keys()
        letters = [scorer for scorer in by_letter if not self.panel(scorer)]
        graders = Counter(self.grader(scorer) for scorer in letters)
        self.prompts = {scorer for scorer in letters if graders[self.grader(scorer)] > 1}

    def rubric_and_parts(self, scorer: str, score: Row) -> Iterator[tuple[str, Row]]:
        """Yield a score with its rubric; a grade that is missing belongs to the rubric of the others."""
        for part, part_score in parts(scorer, score):
            yield scorer if part == CORRECT and scorer in self._by_number else part, part_score

    def grader(self, scorer: str, score: Row | None = None) -> str | None:
        """Return the model that grades for a scorer, or gave this score; None if a program does.

        In this order: what the user sets, the scorer's options, the grading conversation or the model called
        within the scorer, the role of a grader. One of Inspect's own without any of these asks the model
        under evaluation.
        """
        if (author := self.options.set.get(scorer)) is not None:
            return None if author == PROGRAM else author
        names = self._option_models(scorer)
        role = self._role(scorer)
        if not names and scorer.startswith(_GRADED) and role is not None:
            names = [role]
        if not names and (caller := self._caller(scorer, score)) is not None:
            full_names = [name for name in (role, self.model) if name is not None]
            names = [next((name for name in full_names if _is_one(name, caller, scorer)), caller)]
        if not names and not self._is_program(scorer):
            names = [name for name in (role, self.options.judge) if name is not None][:1]
            if not names and scorer.startswith(_GRADED) and self.model is not None:
                names = [self.model]
        return (self.options.judge or names[0]) if names else None

    def panel(self, scorer: str) -> list[str]:
        """Return the panel of models that grade for a scorer; empty if fewer than two are named."""
        models = self._option_models(scorer)
        return models if len(models) > 1 and scorer not in self.options.set else []

    def _option_models(self, scorer: str) -> list[str]:
        """Return the models that the scorer's options name, by themselves or by their role."""
        for name, value in self._scorer_options(scorer).items():
            if _NAMES_MODEL.fullmatch(name) and (models := _models(value)):
                return [self._role_model(model) or model for model in models]
        return []

    def _role(self, scorer: str) -> str | None:
        """Return the model in the role of a grader: the one that the scorer names, else the usual ones."""
        own = self._scorer_options(scorer).get("model_role")
        return first_text(map(self._role_model, [str(own), *_ROLES] if own else _ROLES))

    def _role_model(self, role: str) -> str | None:
        model = object_or_empty(self.spec.get("model_roles")).get(role)
        return first_text(_models(model))

    def _caller(self, scorer: str, score: Row | None) -> str | None:
        """Return the model of the grading conversation, else one called within the scorer."""
        return (_in_conversation(score) if score is not None else None) or self._callers.get(scorer)

    def _is_program(self, scorer: str) -> bool:
        """Return whether a scorer computes: by its name, or since it called no model in the log's events."""
        if scorer.startswith(_GRADED) or _ASKS_MODEL.search(scorer.lower()):
            return False
        name = re.sub(r"(?<!f)\d+$", "", scorer.lower())  # f1, but the second `match` is match1
        words = re.split(r"[\W_]+", name)
        has_called = self._callers.get(scorer, "")  # None: its events are there, and no call of a model
        return name in _PROGRAMS or not _PROGRAM_WORDS.isdisjoint(words) or has_called is None

    def _is_unknown(self, scorer: str) -> bool:
        is_settled = self.options.set.get(scorer) == PROGRAM or scorer in self.options.leave_out
        return not is_settled and self.grader(scorer) is None and not self._is_program(scorer)

    def _scorer_options(self, scorer: str) -> dict[str, Any]:
        """Return the options of a scorer; if several share a name, the second has a 1 after it, and so on."""
        counts: Counter[str] = Counter()
        for scorer_spec in list_or_empty(self.spec.get("scorers")):
            if not isinstance(scorer_spec, dict):
                continue
            name = str(scorer_spec.get("name", "")).rpartition("/")[2]
            unique = f"{name}{counts[name]}" if counts[name] else name
            counts[name] += 1
            if unique == scorer:
                return object_or_empty(scorer_spec.get("options"))
        return {}


CORRECT = "correct"  # the rubric of all scorers that grade correctness by a letter

GRADES = {
    **dict.fromkeys(("c", "correct"), True),
    **dict.fromkeys(("i", "incorrect"), False),
    **dict.fromkeys(("p", "n", "partial", "partially correct", "no answer", "noanswer"), None),
}
"""The grades of Inspect, in any case; a partial answer or none is no verdict."""


def has_grade(score: Row) -> bool:
    """Return whether a grader gave one: Inspect used to score an answer without a grade as incorrect."""
    return not str(score.values.get("explanation")).startswith(_NO_GRADE)


def _is_letter(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower() in GRADES


def parts(scorer: str, score: Row) -> Iterator[tuple[str, Row]]:
    """Yield a score with its rubric, or each of its named parts with theirs.

    Inspect's own graders give letters; if one found no grade, the value is NaN.
    """
    value = score.values.get("value")
    by_letter = _is_letter(value)
    is_missing = value is None or (isinstance(value, float) and value != value)
    if isinstance(value, dict):
        for name, part in value.items():
            yield f"{scorer}.{name}", Row(score.file, score.number, {**score.values, "value": part})
    else:
        yield CORRECT if by_letter or (scorer.startswith(_GRADED) and is_missing) else scorer, score


def _in_conversation(score: Row) -> str | None:
    """Return the model that answered in the grading conversation kept with a score."""
    grading = list_or_empty(object_or_empty(score.values.get("metadata")).get("grading"))
    return first_text(object_or_empty(step).get("model") for step in grading)


def models_called(row: Row) -> dict[str, str | None]:
    """Return the first model called within each scorer that the sample's events show; None: no call.

    Events are in spans, which may be nested; in older logs a scorer's lie between the steps that begin and
    end it.
    """
    called: dict[str, str | None] = {}
    scorer_of: dict[object, str] = {}
    step: str | None = None
    for event in list_or_empty(row.values.get("events")):
        if not isinstance(event, dict):
            continue
        kind, name = event.get("event"), str(event.get("name"))
        if kind == "span_begin":
            outer = scorer_of.get(event.get("parent_id"))
            inner = name if event.get("type") == "scorer" else outer
            if inner is not None:
                scorer_of[event.get("id")] = inner
                called.setdefault(inner, None)
        elif kind == "step" and event.get("type") == "scorer":
            step = name if event.get("action") == "begin" else None
            called.setdefault(name, None)
        elif kind == "model":
            scorer = scorer_of.get(event.get("span_id"), step)
            model = event.get("model")
            if scorer is not None and isinstance(model, str) and model:
                called[scorer] = called.get(scorer) or model
    return called


def _models(value: object) -> list[str]:
    """Return the names of one or several models, each given as a string or an object."""
    models = value if isinstance(value, list) else [value]
    names = [model.get("model") if isinstance(model, dict) else model for model in models]
    return [name for name in names if isinstance(name, str) and name and not re.search(r"\s", name)]


def _is_one(name: str, caller: str, scorer: str) -> bool:
    """Return whether the model that answered the grader's call is the one that the log names in full.

    Providers answer with a name of their own: without the prefix, or with the snapshot in it. A snapshot
    counts only for Inspect's own graders, which would name another model in their options.
    """
    if name == caller or name.rpartition("/")[2] == caller:
        return True
    return scorer.startswith(_GRADED) and resolve(name).twin == resolve(caller).twin


def _question(scorers: list[str], task: str) -> Sentence:
    names = ", ".join(map(repr, scorers))
    one = scorers[0]
    return Sentence(
        f"the log of {task!r} does not say whether the scorer {names} asks a model: if so, name it with ",
        command_words(
            f"--judge NAME (or --set {one}=NAME); if it is a program, --set {one}={PROGRAM}; "
            f"--not {one} leaves it out",
            "“Judge of the whole file”; a log with scorers of several kinds cannot be imported on this page",
        ),
    )

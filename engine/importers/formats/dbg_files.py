"""The files behind "Beyond the surface: measuring self-preference in LLM judgments" (the DBG score)."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.errors import BadInputError
from engine.importers.import_options import ImportOptions
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import json_lines, json_object
from engine.importers.reading.rows import BadRowError, Choice, ImportStats, Row, number_of, objects
from engine.importers.reading.study_builder import InstanceRows, StudyRows
from engine.phrases import quantity

FEWSHOT = "fewshot"
"""The variant of judges that were shown examples."""

_TASK = re.compile(r"(.+?)_500_id(_v\d+)?_wr$")
_EVALUATOR = re.compile(r"evaluator_([^_]+)(_golden|_fewshot)?$")
_PAIR = re.compile(r"(?:average|merge)_([^_]+)_([^_]+)\.jsonl(?:\.gz)?$")
_PANEL = "gold_aggregated.json"
_RESPONSES = re.compile(r"([^_]+)\.jsonl(?:\.gz)?$")


@dataclass(frozen=True, slots=True)
class _FilePart:
    """What a file holds: a judge's verdicts on two models' answers, gold verdicts, or one model's answers."""

    kind: Literal["verdicts", "gold", "panel", "responses"]
    task: str | None
    models: tuple[str, ...]
    judge: str | None = None
    variant: str | None = None


class DbgFiles(FileReader):
    """Reads judges' verdicts on pairs, those of gold judges, and the answers.

    `<task>_500_id_wr/evaluator_<judge>/average_<A>_<B>.jsonl` has the winner over both orders,
    `merge_<A>_<B>.jsonl` one for each order, the first with A shown first. Gold judges' folders end in
    `_golden`, those of judges with examples in `_fewshot`. `gold_aggregated.json` repeats the gold verdicts
    by file, and `<task>/<model>.jsonl` has the questions.
    """

    suffixes = (".jsonl", ".json")
    expected = (
        "the files of the DBG score: folders evaluator_NAME, evaluator_NAME_golden or evaluator_NAME_fewshot "
        "with average_A_B.jsonl or merge_A_B.jsonl (id, A_response, B_response, preferences)"
    )

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        super().__init__(path, options, tally)
        self._root = path.resolve() if path.is_dir() else path.resolve().parent
        parts = [(file, self._part_of(file)) for file in self.files]
        readable = [(file, part) for file, part in parts if part is not None]
        if not any(part.kind != "responses" for _, part in readable):
            raise BadInputError(f"{str(path)!r} holds no file of verdicts; expected {self.expected}")
        if others := [file for file, part in parts if part is None]:
            example = self._place(others[0])
            tally.note(f"{quantity(len(others), 'other file')} not read, such as {example}")
        # The answers as they were judged come first: those of <model>.jsonl may be longer.
        self._sources = sorted(readable, key=lambda each: each[1].kind == "responses")
        self._parts: dict[str, _FilePart] = {}
        self._responses: dict[tuple[str, str], int] = {}
        self._counts: Counter[str] = Counter()
        self._check_twins()

    def rows(self) -> Iterator[Row]:
        for file, part in self._sources:
            place = self._place(file)
            if part.kind != "panel":
                self._parts[place] = part
                yield from json_lines(file, self.tally, self.expected, place)
                continue
            for name, rows in json_object(file, self.expected).items():
                models = _PAIR.match(name)
                inner = f"{place}, {name}"
                if models is None or not isinstance(rows, list):
                    problem = BadRowError("gold_aggregated.json names no file of two models", name)
                    self.tally.skip(inner, 1, problem)
                    continue
                self._parts[inner] = _FilePart("panel", part.task, models.groups())
                yield from objects(inner, rows, self.tally)
        self._note_counts()

    def read(self, row: Row) -> StudyRows:
        """Return the verdicts on one pair, or one answer with its question."""
        part = self._parts[row.file]
        name = row.text("id")
        instance = name if part.task is None else f"{part.task}-{name}"
        if part.kind == "responses":
            prompt = row.maybe_text("query") or row.maybe_text("german")
            reference = row.maybe_text("golden_response")
            rows = InstanceRows(instance, category=part.task, prompt=prompt, reference_answer=reference)
            self._add_response(rows, instance, part.models[0], row.words("model_response"))
            return rows.tables
        rows = InstanceRows(instance, category=part.task)
        for model in part.models:
            self.tally.stored.add(f"{model}_response")
            self._add_response(rows, instance, model, row.maybe_text(f"{model}_response"))
        if part.kind == "verdicts":
            self._add_judgments(rows, row, part)
        elif part.kind == "gold":
            self._add_gold(rows, str(part.judge), part.models, row.values.get("preferences"))
        else:
            for judge, preferences in row.object_of("preferences").values.items():
                self._add_gold(rows, judge, part.models, preferences)
        return rows.tables

    def _note_counts(self) -> None:
        if n := self._counts["no_gold"]:
            self.tally.note(
                f"{quantity(n, 'gold verdict')} without a winner in one order or both: these gold judges do "
                "not vote on these pairs"
            )
        if n := self._counts["other_response"]:
            self.tally.note(
                f"{quantity(n, 'answer')} that another file has with another text: the first one read is "
                "stored"
            )

    def _place(self, file: Path) -> str:
        return file.resolve().relative_to(self._root).as_posix()

    def _part_of(self, file: Path) -> _FilePart | None:
        """Return what a file holds by its name and folders, None for another file."""
        folders = file.resolve().parts[:-1]
        task = next((match[1] for name in reversed(folders) if (match := _TASK.match(name))), None)
        if file.name == _PANEL:
            return _FilePart("panel", task, ())
        if (pair := _PAIR.match(file.name)) and (evaluator := _EVALUATOR.match(folders[-1])):
            judge, suffix = evaluator.groups()
            variant = FEWSHOT if suffix == "_fewshot" else None
            kind: Literal["gold", "verdicts"] = "gold" if suffix == "_golden" else "verdicts"
            return _FilePart(kind, task, pair.groups(), judge, variant)
        model = _RESPONSES.match(file.name)
        is_of_responses = model is not None and not folders[-1].startswith("evaluator_")
        return _FilePart("responses", folders[-1], (model[1],)) if model and is_of_responses else None

    def _check_twins(self) -> None:
        """Raise BadInputError if two files hold one judge's verdicts on the same two models."""
        first: dict[tuple[Any, ...], Path] = {}
        for file, part in self._sources:
            if part.kind in ("verdicts", "gold"):
                key = (part.kind, part.task, part.judge, part.variant, frozenset(part.models))
                other = first.setdefault(key, file)
                if other != file:
                    raise BadInputError(
                        f"{self._place(other)} and {self._place(file)} both hold the verdicts of "
                        f"{part.judge} on {' and '.join(part.models)}; import one of the two"
                    )

    def _add_response(self, rows: InstanceRows, instance: str, model: str, text: str | None) -> None:
        """Add an answer; of several texts the first, since a vote counts whatever became of the text."""
        if text is None:
            return
        if self._responses.setdefault((instance, model), hash(text)) == hash(text):
            rows.response(model, text)
        else:
            self._counts["other_response"] += 1

    def _add_judgments(self, rows: InstanceRows, row: Row, part: _FilePart) -> None:
        """Add a verdict over both orders, or one for each order."""
        generator, opponent = part.models
        of_pair = {"opponent": opponent, "variant": part.variant}
        preferences = row.values.get("preferences")
        if not isinstance(preferences, list):
            winner = _winner(preferences, part.models)
            verdict: dict[str, Any] = {"status": "ok", "choice": winner} if winner else {"status": "unparsed"}
            if winner and (probability := _probability(row, part.models)):
                verdict |= probability
                self.tally.stored.update(f"{model}_prob" for model in part.models)
            rows.judgment(part.judge, "pairwise", generator, **of_pair, **verdict)
            return
        for first, name in zip(("generator", "opponent"), _both_orders(preferences), strict=True):
            winner = _winner(name, part.models)
            verdict = {"status": "ok", "choice": winner} if winner else {"status": "unparsed"}
            rows.judgment(part.judge, "pairwise", generator, first=first, **of_pair, **verdict)

    def _add_gold(self, rows: InstanceRows, judge: str, models: tuple[str, ...], preferences: object) -> None:
        """Add a gold judge's outcome; two different names are a tie, and no vote without both orders."""
        names = _both_orders(preferences) if isinstance(preferences, list) else [preferences]
        winners = [_winner(name, models) for name in names]
        if None in winners:
            self._counts["no_gold"] += 1
            return
        sides = {winner for winner in winners if winner and winner != "tie"}
        outcome: Choice = sides.pop() if len(sides) == 1 else "tie"
        # One way round, so that the same preference in two files is recognised as the same.
        one, two = sorted(models)
        if (one, two) != models and outcome != "tie":
            outcome = "opponent" if outcome == "generator" else "generator"
        rows.preference(judge, outcome, one, two)


def _both_orders(preferences: list[Any]) -> list[Any]:
    if len(preferences) != 2:
        raise BadRowError("preferences are not one name for each of two orders", preferences)
    return preferences


def _winner(name: object, models: tuple[str, ...]) -> Choice | None:
    """Return the side of the model that is named, None where nothing is; BadRowError for another name."""
    if name is None or name == "":
        return None
    if isinstance(name, str) and name.lower() == "tie":
        return "tie"
    if name not in models:
        raise BadRowError(f"preferences name neither {' nor '.join(models)}", name)
    return "generator" if name == models[0] else "opponent"


def _probability(row: Row, models: tuple[str, ...]) -> dict[str, float]:
    """Return the mean probability of the first model, where the file has those of both."""
    one, two = (number_of(row.values.get(f"{model}_prob")) for model in models)
    if one is None or two is None or min(one, two) < 0 or one + two <= 0:
        return {}
    return {"p_generator": one / (one + two)}


FORMAT = DbgFiles.as_format(
    "dbg-score",
    "DBG score",
    "https://github.com/zhiyuanc2001/self-preference",
    ImportedField("id", "instances.instance_id", "after the task's name"),
    ImportedField(
        "preferences", "judgments.choice, first, or preferences.outcome", "of gold judges: one outcome each"
    ),
    ImportedField("query, german", "instances.prompt"),
    ImportedField("golden_response", "instances.reference_answer"),
    ImportedField("model_response", "responses.text", "and the fields A_response, B_response"),
    options=(),
    signs=(("id", "preferences", "*_response"),),
)

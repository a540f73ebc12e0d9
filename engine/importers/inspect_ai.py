"""Logs of Inspect, as `.eval` archives or as JSON."""

import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from engine.errors import BadInputError
from engine.importers.reading.format import Field, FileReader
from engine.importers.reading.json_rows import (
    allowance,
    apply_limits,
    check_entries,
    json_object,
    parse_object,
)
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    InstanceRows,
    Row,
    StudyRows,
    first_text,
    list_or_empty,
    message_text,
    met_of_number,
    number_of,
    object_or_empty,
    objects,
    refuse,
    text_or_none,
    verdict,
)
from engine.values import parse_float

MOST_MEMBERS = 2_000_000
LARGEST_MEMBER = 1 << 28  # bytes of one sample, unpacked

_ZSTANDARD = 93
_HEADER_BYTES = 30  # of a member's local header, before its name
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class EvalArchive:
    """One `.eval` file, opened as `zip`: `header.json`, and a JSON file for each sample."""

    def __init__(self, path: Path, expected: str) -> None:
        self.path, self.expected = path, expected
        check_entries(path, MOST_MEMBERS)
        try:
            self.zip = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise refuse(path.name, f"it is not a zip archive ({error})", expected) from error

    def header(self) -> dict[str, Any]:
        """Return the header; of an unfinished log, its journal's start."""
        names = set(self.zip.namelist())
        for name in ("header.json", "_journal/start.json"):
            if name in names:
                return self._member(self.zip.getinfo(name))
        raise refuse(self.path.name, "it has no header.json", self.expected)

    def samples(self) -> Iterator[Row]:
        number = 0
        for info in self.zip.infolist():
            place = PurePosixPath(info.filename)
            if place.parent.name == "samples" and place.suffix == ".json" and len(place.parts) == 2:
                number += 1
                yield Row(self.path.name, number, self._member(info))

    def _member(self, info: zipfile.ZipInfo) -> dict[str, Any]:
        """Return the object in a member; BadInputError if it is broken, too large, or not an object."""
        try:
            file = self._zstandard_stream(info) if info.compress_type == _ZSTANDARD else self.zip.open(info)
            with file as stream:
                data = stream.read(LARGEST_MEMBER + 1)
        except _BROKEN as error:
            problem = f"{self.path.name}: {info.filename!r} cannot be unpacked ({error}); copy the log again"
            raise BadInputError(problem) from error
        if len(data) > LARGEST_MEMBER:
            problem = f"{info.filename!r} has more than {LARGEST_MEMBER:,} bytes when unpacked"
            raise BadInputError(f"{self.path.name}: {problem}; leave the sample out")
        allowance().take(self.path.name, len(data))
        return parse_object(data, f"{self.path.name}, {info.filename}", self.expected)

    def _zstandard_stream(self, info: zipfile.ZipInfo) -> Any:
        """Return a stream that unpacks a member packed with Zstandard."""
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            head = file.read(_HEADER_BYTES)
            if len(head) < _HEADER_BYTES:
                raise zipfile.BadZipFile("its header is incomplete")
            file.seek(sum(struct.unpack("<HH", head[26:])), io.SEEK_CUR)  # its name and extra field
            data = file.read(info.compress_size)
        return pa.CompressedInputStream(pa.BufferReader(data), "zstd")


CORRECT = "correct"  # the rubric of all scorers that grade correctness by a letter

_MET = {"C": True, "I": False}
_LETTERS = ("C", "I", "P", "N")
_NO_GRADE = "Grade not found in model output"


class InspectLogs(FileReader):
    """Reads the samples with the scorers' scores, of `.eval` and `.json` logs."""

    suffixes = (".eval", ".json")
    expected = (
        "a log of Inspect: .eval, or .json with eval, status and samples (`inspect log convert` makes one of "
        "the other)"
    )
    log: "_Log"

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the samples of a log; of an archive, one at a time is in memory."""
        if file.suffix == ".eval":
            archive = EvalArchive(file, self.expected)
            with archive.zip:
                self.log = _Log(archive.header())
                with apply_limits(allowance().limits):  # the samples are unpacked twice, and counted once
                    self.log.scan(archive.samples())
                yield from archive.samples()
            return
        content = json_object(file, self.expected)
        samples = content.get("samples")
        if not isinstance(content.get("eval"), dict) or not isinstance(samples, list):
            raise refuse(file.name, "it has no eval and samples", self.expected)
        self.log = _Log(content)
        self.log.scan(objects(file.name, samples, ImportStats()))
        yield from objects(file.name, samples, self.tally)

    def read(self, row: Row) -> StudyRows:
        if row.values.get("error"):
            error = row.values["error"]
            raise BadRowError("the sample failed", error.get("message") if isinstance(error, dict) else error)
        epoch = number_of(row.values.get("epoch", 1)) or 1
        instance = f"{self.log.task}-{row.text('id')}" + ("" if epoch == 1 else f"-epoch-{epoch:g}")
        generator = self.options.generator or self.log.model
        if generator is None:
            raise BadRowError("the log names no model: give --generator")
        target = row.values.get("target")
        target = "\n".join(map(str, target)) if isinstance(target, list) else text_or_none(target)
        columns = {"prompt": _prompt(row), "category": self.log.task, "reference_answer": target or None}
        rows = InstanceRows(instance, **columns)
        rows.response(generator, _answer(row))
        scores = row.object_of("scores")
        for scorer, score in scores.values.items():
            score_row = scores.within(scorer, score)
            if panel := [] if self.options.judge else self.log.panel(scorer):
                self._panel(rows, generator, scorer, panel, grades_of_panel(row, scorer, score_row, panel))
                continue
            for rubric, part in _parts(scorer, score_row):
                self._score(rows, generator, scorer, rubric, part)
        if not rows.tables.keys() & {"references", "judgments"}:
            raise BadRowError("no score is a verdict", str(dict(scores.values)))
        return rows.tables

    def _panel(
        self, rows: InstanceRows, generator: str, scorer: str, panel: list[str], grades: "_Grades | None"
    ) -> None:
        if grades is None:
            self.tally.note(
                f"of the panel {scorer!r} ({', '.join(panel)}) the log has the common grade only, not who "
                "said what: it is not stored (--judge NAME stores it as that judge's)"
            )
            return
        rows.rubric(CORRECT)
        for judge, (grade, explanation) in zip(panel, grades, strict=True):
            met = {"rubric_id": CORRECT, "explanation": explanation, **verdict("met", _met(grade))}
            rows.judgment(judge, "single_rubric", generator, **met)

    def _score(self, rows: InstanceRows, generator: str, scorer: str, rubric: str, score: Row) -> None:
        # Inspect used to score an answer that holds no grade as incorrect.
        has_grade = not str(score.values.get("explanation")).startswith(_NO_GRADE)
        value = score.values.get("value") if has_grade else None
        is_number = rubric in self.log.numeric_parts and not isinstance(value, str | bool)
        met = None if is_number else _met(value)
        grader = self.log.grader(scorer, score)
        if grader is None:
            if met is None:
                self.tally.note(f"scores of {scorer!r} that are neither true nor false are not stored")
            elif any(reference["rubric_id"] == rubric for reference in rows.tables.get("references", ())):
                self.tally.note(f"{scorer!r} is a second program for {rubric!r}: not stored")
            else:
                self.tally.note(f"the scorer {scorer!r} is taken for a program: its scores are references")
                rows.rubric(rubric)
                rows.reference("program", generator, rubric, met=met)
            return
        judge, explanation = self.options.judge or grader, score.maybe_text("explanation")
        result = verdict("score", number_of(value)) if is_number else verdict("met", met)
        if is_number and rubric == self.log.only_share:
            rows.judgment(judge, "direct_assessment", generator, explanation=explanation, **result)
        else:
            rows.rubric(rubric)
            paradigm = "score_rubric" if is_number else "single_rubric"
            rows.judgment(judge, paradigm, generator, rubric_id=rubric, explanation=explanation, **result)


class _Log:
    """A log's header: the task, the model that answered, and the grader of each scorer.

    `numeric_parts` are the scores that have other numbers than 0 and 1 anywhere in the log: none of their
    values is true or false. `only_share` is the one of a model's that lies between 0 and 1, if there is no
    other.
    """

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.spec = object_or_empty(header.get("eval"))
        self.task = str(self.spec.get("task", "task")).rpartition("/")[2]
        model = self.spec.get("model")
        self.model = model if isinstance(model, str) and model and model != "none/none" else None
        self.numeric_parts: set[str] = set()
        self.only_share: str | None = None

    def scan(self, samples: Iterable[Row]) -> None:
        shares: dict[str, bool] = {}
        for row in samples:
            for scorer, score in object_or_empty(row.values.get("scores")).items():
                for part, part_score in _parts(scorer, Row(row.file, row.number, object_or_empty(score))):
                    number = parse_float(part_score.values.get("value"))
                    if number is None or number in (0, 1):
                        continue
                    self.numeric_parts.add(part)
                    if self.grader(scorer, part_score) is not None:
                        shares[part] = shares.get(part, True) and 0 < number < 1
        if len(shares) == 1 and all(shares.values()):
            self.only_share = next(iter(shares))

    def grader(self, scorer: str, score: Row) -> str | None:
        """Return the model that grades for a scorer; None if a program does.

        A model-graded scorer without a grader of its own uses the model under evaluation.
        """
        options = self._options(scorer)
        model = options.get("model") or options.get("grader") or options.get("grader_model")
        if names := _models(model):
            return names[0]
        grading = object_or_empty(score.values.get("metadata")).get("grading")
        if grader := first_text(object_or_empty(step).get("model") for step in list_or_empty(grading)):
            return grader
        if grading is None and "model_graded" not in scorer:
            return None
        role = object_or_empty(self.spec.get("model_roles")).get("grader")
        model = role.get("model") if isinstance(role, dict) else role
        return model if isinstance(model, str) else self.model

    def panel(self, scorer: str) -> list[str]:
        """Return the panel of models that grade for a scorer; empty if fewer than two are named."""
        models = _models(self._options(scorer).get("model"))
        return models if len(models) > 1 else []

    def _options(self, scorer: str) -> dict[str, Any]:
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


def _models(value: object) -> list[str]:
    """Return the names of one or several models, each given as a string or an object."""
    models = value if isinstance(value, list) else [value]
    names = [model.get("model") if isinstance(model, dict) else model for model in models]
    return [name for name in names if isinstance(name, str) and name]


_GRADE = re.compile(r"GRADE\s*:\s*([CPIN])\b", re.IGNORECASE)


_Grades = list[tuple[object, str | None]]
"""Each grader's letter or truth value, None if it gave none, and its text, None if the log lacks it."""


def grades_of_panel(row: Row, scorer: str, score: Row, panel: Sequence[str]) -> _Grades | None:
    """Return each model's grade in the order of the panel; None if the log does not have them.

    Newer logs record the votes (`metadata.panel.votes`). Older ones have the graders' answers among the
    sample's events, and only the common grade in the score.
    """
    answers = _answers(row, scorer)
    texts = [queue.pop(0) if (queue := answers.get(model)) else None for model in panel]
    metadata = object_or_empty(score.values.get("metadata"))
    votes = object_or_empty(metadata.get("panel")).get("votes")
    if isinstance(votes, list) and len(votes) == len(panel):
        return list(zip(votes, texts, strict=True))
    if not any(texts):
        return None
    letters = [_GRADE.findall(text or "") for text in texts]
    return [(marks[-1].upper() if marks else None, text) for marks, text in zip(letters, texts, strict=True)]


def _answers(row: Row, scorer: str) -> dict[str, list[str]]:
    """Return the models' answers within a scorer's span of events, in order."""
    answers: dict[str, list[str]] = {}
    spans = set()
    for event in list_or_empty(row.values.get("events")):
        if not isinstance(event, dict):
            continue
        if event.get("event") == "span_begin" and event.get("type") == "scorer":
            if event.get("name") == scorer:
                spans.add(event.get("id"))
        elif event.get("event") == "model" and event.get("span_id") in spans:
            answer = _answer(Row(row.file, row.number, event))
            if answer is not None:
                answers.setdefault(str(event.get("model")), []).append(answer)
    return answers


def _parts(scorer: str, score: Row) -> Iterator[tuple[str, Row]]:
    """Yield a score with its rubric, or each of its named parts with theirs.

    Inspect's own graders give letters; if one found no grade, the value is NaN.
    """
    value = score.values.get("value")
    by_letter = isinstance(value, str) and value in _LETTERS
    is_missing = value is None or (isinstance(value, float) and math.isnan(value))
    failed = scorer.startswith("model_graded") and is_missing
    if isinstance(value, dict):
        for name, part in value.items():
            yield f"{scorer}.{name}", Row(score.file, score.number, {**score.values, "value": part})
    else:
        yield CORRECT if by_letter or failed else scorer, score


def _met(value: object) -> bool | None:
    return _MET.get(value) if isinstance(value, str) else met_of_number(value)


def _prompt(row: Row) -> str | None:
    prompt = row.values.get("input")
    if not isinstance(prompt, list):
        return text_or_none(prompt)
    turns = [row.within("input", turn) for turn in prompt]
    texts = [(turn.text("role"), message_text(turn.values.get("content"))) for turn in turns]
    messages = [{"role": role, "content": text} for role, text in texts]
    return json.dumps(messages, ensure_ascii=False)


def _answer(row: Row) -> str | None:
    choices = list_or_empty(object_or_empty(row.values.get("output")).get("choices"))
    message = object_or_empty(choices[0]).get("message") if choices else None
    return message_text(message.get("content")) if isinstance(message, dict) else None


FORMAT = InspectLogs.as_format(
    "inspect",
    "Inspect log",
    "https://github.com/UKGovernmentBEIS/inspect_ai",
    Field("id, epoch", "instances.instance_id", "with the task's name before it"),
    Field("input", "instances.prompt"),
    Field("target", "instances.reference_answer"),
    Field("output", "responses.text", "the first choice"),
    Field("scores", "judgments.met, score, status", "of scorers that ask a model"),
    Field("scores{}.value", "references.met", "of all other scorers"),
    Field("scores{}.explanation", "judgments.explanation"),
    options=("judge", "generator"),
)

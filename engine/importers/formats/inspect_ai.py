"""Logs of Inspect, as `.eval` archives or as JSON."""

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from engine.errors import BadInputError
from engine.importers.formats.inspect_log import CORRECT, GRADES, Log, has_grade
from engine.importers.formats.scored_calls import met_of
from engine.importers.reading.format import FileReader, ImportedField
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
    Row,
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
from engine.importers.reading.study_builder import InstanceRows, StudyRows

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


class InspectLogs(FileReader):
    """Reads the samples with the scorers' scores, of `.eval` and `.json` logs."""

    suffixes = (".eval", ".json")
    expected = (
        "a log of Inspect: .eval, or .json with eval, status and samples (`inspect log convert` makes one of "
        "the other)"
    )
    log: Log

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the samples of a log; of an archive, one at a time is in memory."""
        if file.suffix == ".eval":
            archive = EvalArchive(file, self.expected)
            with archive.zip:
                self.log = Log(archive.header(), self.options)
                with apply_limits(allowance().limits):  # the samples are unpacked twice, and counted once
                    self.log.scan(archive.samples())
                yield from archive.samples()
            return
        content = json_object(file, self.expected)
        samples = content.get("samples")
        if not isinstance(content.get("eval"), dict) or not isinstance(samples, list):
            raise refuse(file.name, "it has no eval and samples", self.expected)
        self.log = Log(content, self.options)
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
            raise BadRowError(f"the log names no model: give {self.options.spelling.option('generator')}")
        target = row.values.get("target")
        target = "\n".join(map(str, target)) if isinstance(target, list) else text_or_none(target)
        columns = {"prompt": _prompt(row), "category": self.log.task, "reference_answer": target or None}
        rows = InstanceRows(instance, **columns)
        rows.response(generator, _answer(row))
        scores = row.object_of("scores")
        for scorer, score in scores.values.items():
            if self.leaves_out(scorer):
                continue
            score_row = scores.within(scorer, score)
            if panel := [] if self.options.judge else self.log.panel(scorer):
                self._panel(rows, generator, scorer, panel, grades_of_panel(row, scorer, score_row, panel))
                continue
            for rubric, part in self.log.rubric_and_parts(scorer, score_row):
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
                f"said what: it is not stored ({self.options.spelling.model('judge')} stores it as that "
                "judge's)"
            )
            return
        rows.rubric(CORRECT)
        for judge, (grade, explanation) in zip(panel, grades, strict=True):
            met = {"rubric_id": CORRECT, "explanation": explanation, **verdict("met", _met(grade))}
            rows.judgment(judge, "single_rubric", generator, **met)

    def _score(self, rows: InstanceRows, generator: str, scorer: str, rubric: str, score: Row) -> None:
        value = score.values.get("value") if has_grade(score) else None
        is_number = rubric in self.log.numeric_parts and not isinstance(value, bool)
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
        result = verdict("score", number_of(value)) if is_number else verdict("met", met)
        result["explanation"] = score.maybe_text("explanation")
        if scorer in self.log.prompts:
            result["variant"] = scorer  # two prompts of one judge
        if is_number and rubric == self.log.only_share:
            rows.judgment(grader, "direct_assessment", generator, **result)
        else:
            rows.rubric(rubric)
            paradigm = "score_rubric" if is_number else "single_rubric"
            rows.judgment(grader, paradigm, generator, rubric_id=rubric, **result)


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


def _met(value: object) -> bool | None:
    """Return the truth value of a grade in letters, words, 0 or 1; None for any other value."""
    if isinstance(value, str) and (grade := value.strip().lower()) in GRADES:
        return GRADES[grade]
    met = met_of(value)
    return met_of_number(number_of(value)) if met is None else met


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
    ImportedField("id, epoch", "instances.instance_id", "with the task's name before it"),
    ImportedField("input", "instances.prompt"),
    ImportedField("target", "instances.reference_answer"),
    ImportedField("output", "responses.text", "the first choice"),
    ImportedField("scores", "judgments.met, score, status", "of scorers that ask a model"),
    ImportedField("scores{}.value", "references.met", "of all other scorers"),
    ImportedField("scores{}.explanation", "judgments.explanation"),
    options=("judge", "generator", "set", "leave_out"),
    object_signs=(("eval.task", "samples"), ("eval", "status", "samples")),
)

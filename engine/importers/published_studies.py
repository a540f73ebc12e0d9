"""Published studies: rubric self-preference, and Medical LLM Self-Preference."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.errors import BadInputError
from engine.importers.reading.format import Field, FileReader
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    InstanceRows,
    Row,
    StudyRows,
    count_of,
    number_of,
)
from engine.plain_words import system_words
from engine.store import Mode, Store
from engine.store.arrow_types import CODED_TEXT, constant
from engine.store.study_files import Committee, StudyInfo
from engine.store.writer import WriteReport, write_study
from engine.values import text_of

EXPECTED = (
    "expected one JSON object after `const DATA =` with the fields of the published page "
    "(generators, modelToFamily, rubricCounts, refRubricFlat, srRubricFlat, ...); "
    "use the file of the commit that `spb data list` names"
)
NAME = "rubric-self-preference"
LARGEST = (
    "gemma_3_27b_it",
    "llama_4_maverick_17b_128e_instruct",
    "qwen3_235b_instruct",
    # The paper's section 2.4 names GPT-oss-120B here, but its figures fit the committee with GPT-5 only.
    "gpt_5",
    "claude_4_5_sonnet",
)
_MOST = 2**53  # a whole number above it is neither a length nor a score, and may fit no column
_VERDICTS = {"0": False, "1": True}
_CHOICES = {"X": "generator", "Y": "opponent", "T": "tie"}
_JUDGMENT_FIELDS = {
    "srRubricFlat": ("single_rubric", "met"),
    "arRubricFlat": ("all_rubrics", "met"),
    "daScores": ("direct_assessment", "score"),
    "pwcOutcomes": ("pairwise", "choice"),
}
"""The fields with judgments: the paradigm and the column of each."""


def import_dashboard(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the study of a `dashboard.html`, by default as `rubric-self-preference`."""
    dashboard = Dashboard(_read_page(Path(path)))
    largest = Committee(members=list(LARGEST), paradigm="single_rubric")
    info = StudyInfo(
        title="Self-preference of rubric-based judges: IFEval",
        dataset="IFEval",
        licence="none stated",
        source="https://github.com/zeppombal/rubric-self-preference",
        provenance="imported",
        committees={"five-largest": largest} if set(LARGEST) <= set(dashboard.models) else {},
    )
    study = NAME if name is None else name
    report = write_study(store, study, dashboard.tables(), info, mode=mode, dry_run=dry_run)
    missing = ((field, n) for field, n in dashboard.missing.items() if n)
    report.warnings += [f"{field}: {n:,} places hold no verdict" for field, n in missing]
    return report


def _read_page(path: Path) -> dict[str, Any]:
    """Return the page's object; BadInputError, with what was expected, if there is none."""
    try:
        text = text_of(path)
    except OSError as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {system_words(error)}; check the path") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name}: byte {error.start} is not UTF-8; {EXPECTED}") from error
    start = re.search(r"\bconst\s+DATA\s*=\s*", text)
    if start is None:
        raise BadInputError(f"{path.name}: there is no `const DATA =`; {EXPECTED}")
    try:
        data, _ = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError) as error:
        problem = f"what follows `const DATA =` is not JSON ({error})"
        raise BadInputError(f"{path.name}: {problem}; {EXPECTED}") from error
    if not isinstance(data, dict):
        raise BadInputError(f"{path.name}: `const DATA =` is {str(data)[:80]!r}, not an object; {EXPECTED}")
    return data


class Dashboard:
    """The page's object as the tables of a study; every field is checked as it is read.

    `missing` counts, by field, the places that hold no verdict.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.missing: Counter[str] = Counter()
        self.generators = self._names("generators")
        require(bool(self.generators), "generators", self.generators, "at least one name")
        families = self._object("modelToFamily")
        counts = self._field("rubricCounts")
        are_counts = isinstance(counts, list) and all(type(n) is int and n >= 0 for n in counts)
        require(are_counts, "rubricCounts", counts, "a list of whole numbers, one for each instance")
        # Before lists of that size are made: a count may be any number.
        self.lengths = self._flat(
            "rubricLengthsFlat", sum(counts), "a length", lambda n: type(n) is int and 0 <= n < _MOST
        )
        judges = [key.split("|")[0] for name in _JUDGMENT_FIELDS for key in self._object(name)]
        self.models = list(dict.fromkeys([*self.generators, *judges]))
        for model in self.models:
            family = families.get(model)
            require(is_text(model), "the models", model, "a name of whole characters")
            require(is_text(family), f"modelToFamily[{model!r}]", family, "a family")
        self.families = [families[model] for model in self.models]
        self.instances = [f"ifeval-{index:03d}" for index in range(len(counts))]
        self.rubrics = {
            "instance_id": [name for name, n in zip(self.instances, counts, strict=True) for _ in range(n)],
            "rubric_id": [str(index) for n in counts for index in range(n)],
        }

    def tables(self) -> dict[str, pa.Table | Iterable[pa.Table]]:
        """Return the study's tables in exchange form; judgments are generated lazily."""
        return {
            "models": pa.table({"model": self.models, "family": self.families}),
            "instances": pa.table({"instance_id": self.instances}),
            "rubrics": self._rubrics(),
            "references": pa.concat_tables(list(self._references())),
            "judgments": self._judgments(),
        }

    def _field(self, name: str) -> Any:
        if name not in self.data:
            raise BadInputError(f"dashboard.html: the field {name!r} is missing; {EXPECTED}")
        return self.data[name]

    def _object(self, name: str) -> dict[str, Any]:
        value = self._field(name)
        require(isinstance(value, dict), name, value, "an object")
        return dict(value)

    def _names(self, name: str) -> list[str]:
        value = self._field(name)
        require(isinstance(value, list) and all(map(is_text, value)), name, value, "a list of names")
        return list(value)

    def _flat(self, name: str, size: int, expected: str, fits: Callable[[Any], bool]) -> list[Any]:
        """Return a list of `size` values; each must pass `fits`."""
        value = self._field(name)
        require(isinstance(value, list) and len(value) == size, name, value, f"{size} values")
        for item in value:
            require(fits(item), name, item, expected)
        return list(value)

    def _rubrics(self) -> pa.Table:
        size = len(self.lengths)
        points = [1.0] * size
        if self.data.get("rubricPointsFlat") is not None:
            points = list(map(float, self._flat("rubricPointsFlat", size, "a number", _is_number)))
        names = self._names("instructionIdNames")
        top = 2 ** len(names)
        masks = self._flat(
            "rubricInstructionIdsFlat", size, "a bit mask", lambda v: type(v) is int and 0 < v < top
        )
        checkers = [",".join(name for bit, name in enumerate(names) if mask >> bit & 1) for mask in masks]
        axes = [checker.partition(":")[0] for checker in checkers]
        columns = {"points": points, "checker": checkers, "axis": axes, "length": self.lengths}
        return pa.table(self.rubrics | columns)

    def _references(self) -> Iterator[pa.Table]:
        verdicts = self._object("refRubricFlat")
        for generator in self.generators:
            require(generator in verdicts, "refRubricFlat", list(verdicts), f"the generator {generator!r}")
            size = len(self.lengths)
            met = self._letters("refRubricFlat", generator, verdicts[generator], size, _VERDICTS)
            source = {"generator": _repeat(generator, size), "source": _repeat("program", size)}
            yield pa.table(self.rubrics | source | {"met": pa.array(met, pa.bool_())})

    def _judgments(self) -> Iterator[pa.Table]:
        """Yield the judgments of each key, `judge|generator` or, of pairs, `judge|generator|opponent`."""
        for name, (paradigm, column) in _JUDGMENT_FIELDS.items():
            for key, values in self._object(name).items():
                judge, *models = key.split("|")
                shape = "judge|x|y" if column == "choice" else "judge|generator"
                fits = len(models) == shape.count("|") and all(model in self.generators for model in models)
                require(fits, name, key, f"a key {shape} of known models")
                columns: dict[str, Any] = {"instance_id": self.instances}
                if column == "met":
                    met = self._letters(name, key, values, len(self.lengths), _VERDICTS)
                    columns = self.rubrics | {"met": pa.array(met, pa.bool_())}
                elif column == "score":
                    columns["score"] = pa.array(self._scores(key, values), pa.float64())
                else:
                    choice = self._letters(name, key, values, len(self.instances), _CHOICES)
                    columns["opponent"] = _repeat(models[1], len(choice))
                    columns["choice"] = pa.array(choice, pa.string())
                ok = columns[column].is_valid()
                key_texts = {"judge": judge, "paradigm": paradigm, "generator": models[0]}
                texts = {field: _repeat(text, len(ok)) for field, text in key_texts.items()}
                yield pa.table({**texts, **columns, "status": pc.if_else(ok, "ok", "unparsed")})

    def _scores(self, key: str, scores: object) -> list[float | None]:
        place = f"daScores[{key!r}]"
        fits = isinstance(scores, list) and len(scores) == len(self.instances)
        require(fits, place, scores, f"{len(self.instances)} numbers")
        values: list[float | None] = []
        for score in scores if isinstance(scores, list) else []:
            require(score is None or _is_number(score), place, score, "a number from 0 to 1, or null")
            values.append(float(score) if score is not None and math.isfinite(score) else None)
        self.missing["daScores"] += values.count(None)
        return values

    def _letters(self, name: str, key: str, letters: object, size: int, meaning: dict[str, Any]) -> list[Any]:
        """Return the meaning of each letter; None for a letter that is not a verdict."""
        text = letters
        if isinstance(letters, list) and all(isinstance(each, str) and len(each) == 1 for each in letters):
            text = "".join(letters)
        fits = isinstance(text, str) and len(text) == size
        require(fits, f"{name}[{key!r}]", text, f"{size} characters, {' or '.join(meaning)}")
        values = [meaning.get(letter) for letter in str(text)]
        self.missing[name] += values.count(None)
        return values


def require(fits: bool, place: str, value: object, expected: str) -> None:
    """Raise BadInputError with the value and what was expected, unless it fits."""
    if not fits:
        raise BadInputError(
            f"dashboard.html, {place}: found {str(value)[:80]!r}, expected {expected}; {EXPECTED}"
        )


def is_text(value: object) -> bool:
    """Return whether a value is text without surrogates, so that it can be written to a file."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _repeat(text: str, size: int) -> pa.DictionaryArray:
    return constant(text, size, CODED_TEXT)


def _is_number(value: object) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < _MOST)


AXES = ("accuracy", "clinical_utility", "source_quality", "verifiability", "completeness")
"""The axes on which each answer is scored from 0 to 5."""

_JUDGMENT = ("experiment_id", "judge_model", "question_id", "prompt_template_id", "generation_id")
"""The key of a judgment; rows with the same key are attempts at it."""

_BEST_SUM = 5 * len(AXES)
_POINTER = b"version https://git-lfs.github.com"


class MedicalSelfPreference(FileReader):
    """Reads Medical LLM Self-Preference (Ansari et al. 2026): the last successful attempt at each judgment.

    Each file has one of three kinds of rows: a judge's scores of one answer (`score_only.jsonl`), its
    ranking of eight (`direct_ranking.jsonl`), or both at once (`rubric_and_model_ranking.jsonl`, with names
    shown in `identity_revealed_...`). A row is an attempt.
    """

    suffixes = (".jsonl",)
    expected = (
        "judgments of Medical LLM Self-Preference in JSON Lines: judge_model, question_id, attempt, status, "
        "and scores with generator_model, or result with candidates"
    )

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the last successful attempt at each judgment, else the last attempt."""
        with file.open("rb") as stream:
            if stream.read(len(_POINTER)) == _POINTER:
                raise BadInputError(
                    f"{file.name!r} is a pointer to a large file of Git; run `git lfs pull` first"
                )
        best: dict[tuple[str, ...], tuple[bool, int, int]] = {}
        attempts = 0
        for row in json_lines(file, ImportStats(), self.expected):
            attempt = count_of(row.values.get("attempt")) or 0
            rank = (row.values.get("status") == "succeeded", attempt, row.number)
            key = tuple(str(row.values.get(name)) for name in _JUDGMENT)
            best[key] = max(rank, best.get(key, rank))
            attempts += 1
        best_lines = {number for _, _, number in best.values()}
        if attempts > len(best_lines):
            self.tally.note(f"{file.name}: {attempts - len(best_lines):,} attempts that were repeated later")
        yield from (row for row in json_lines(file, self.tally, self.expected) if row.number in best_lines)

    def read(self, row: Row) -> StudyRows:
        """Return a judge's scores and ranks, or rows with the status of a missing verdict."""
        prompt, theme = row.maybe_text("question_text"), row.maybe_text("specialty")
        instance = InstanceRows(row.text("question_id"), prompt=prompt, theme=theme)
        judgment = {"judge": self.options.judge or row.text("judge_model"), "variant": _variant(row)}
        if "candidates" in row.values:
            rows = _list_judgments(row, judgment)
        else:
            columns = judgment | {"paradigm": "direct_assessment", "generator": row.text("generator_model")}
            has_scores = row.values.get("scores") is not None
            result = _mean(row.object_of("scores")) if has_scores else {"status": _no_verdict(row)}
            rows = [columns | result]
        call: dict[str, Any] = {
            "raw": row.maybe_text("judge_response_text"),
            "prompt_tokens": count_of(row.values.get("input_tokens")),
            "completion_tokens": count_of(row.values.get("output_tokens")),
        }
        for each in rows:
            instance.judgment(**each, **call)
            call = {}  # stored on its first row only
        return instance.tables


def _list_judgments(row: Row, judgment: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the judgments of answers shown together: a rank of each, and a score if it was requested."""
    candidates = [row.within("candidates", each) for each in row.list_of("candidates")]
    models = {each.text("response_id"): each.text("generator_model") for each in candidates}
    ordering = json.dumps(list(models.values()), ensure_ascii=False)
    result = row.maybe_object("result")
    ranking = result.values.get("model_ranking", result.values.get("ranking"))
    names = [] if ranking is None else row.within("ranking", ranking).list_of("response_ids")
    if ranking is not None and sorted(map(str, names)) != sorted(models):
        raise BadRowError("the ranking does not hold every response once", names)
    ranks = {name: float(rank) for rank, name in enumerate(names, start=1)}
    rows = [
        judgment
        | {"paradigm": "listwise", "generator": model, "ordering": ordering, "position": place}
        | ({"score": ranks[name], "status": "ok"} if ranks else {"status": _no_verdict(row)})
        for place, (name, model) in enumerate(models.items(), start=1)
    ]
    for value in result.maybe_list("scored_responses"):
        response = row.within("scored_responses", value)
        model = models.get(response.text("response_id"))
        if model is None:
            raise BadRowError("a response is scored that was not shown", response.text("response_id"))
        columns = judgment | {"paradigm": "direct_assessment", "generator": model}
        columns["variant"] = _variant(row, in_list=True)
        rows.append(columns | _mean(response.object_of("scores")))
    return rows


def _mean(scores: Row) -> dict[str, Any]:
    """Return the mean over the axes as a share of the maximum; unparsed if an axis has no score."""
    numbers = map(number_of, map(scores.values.get, AXES))
    present = [number for number in numbers if number is not None]
    if len(present) < len(AXES):
        return {"status": "unparsed"}
    if not all(0 <= number <= 5 for number in present):
        raise BadRowError("a score is not from 0 to 5", present)
    return {"status": "ok", "score": sum(present) / _BEST_SUM}


def _no_verdict(row: Row) -> str:
    """Return the status of a judgment without a verdict."""
    return "unparsed" if row.values.get("judge_response_text") else "error"


def _variant(row: Row, *, in_list: bool = False) -> str | None:
    """Return how the prompt differed, if it did: with names shown, without rubric, scored in a list."""
    template = row.maybe_text("prompt_template_id") or ""
    no_rubric, revealed = "direct_" in template, "identity_revealed" in template
    signs = {"identity_revealed": revealed, "no_rubric": no_rubric, "in_list": in_list}
    return "-".join(name for name, holds in signs.items() if holds) or None


FORMAT = MedicalSelfPreference.as_format(
    "medical-self-preference",
    "Medical LLM Self-Preference",
    "https://github.com/DaneshjouLab/Medical-LLM-Self-Preference",
    Field("question_id, question_text, specialty", "instances.instance_id, prompt, theme"),
    Field("judge_model", "judgments.judge"),
    Field("generator_model", "judgments.generator"),
    Field("candidates", "judgments.generator, ordering, position", "in the order shown"),
    Field("scores", "judgments.score", "the mean of five axes, as a share of 5"),
    Field("result", "judgments.score, status", "ranks, 1 the best, and scores"),
    Field("prompt_template_id", "judgments.variant"),
    Field("status, attempt", "judgments.status", "the last attempt that succeeded counts"),
    Field("judge_response_text", "judgments.raw"),
    Field("input_tokens, output_tokens", "judgments.prompt_tokens, completion_tokens"),
)

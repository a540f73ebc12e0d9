"""The published page of rubric self-preference, as a study."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.bounded_files import text_of
from engine.errors import BadInputError
from engine.plain_words import system_words
from engine.store import Mode, Store
from engine.store.arrow_types import CODED_TEXT, constant
from engine.store.study_files import Committee, StudyInfo
from engine.store.writer import WriteReport, write_study

EXPECTED = (
    "expected one JSON object after `const DATA =` with the fields of the published page "
    "(`generators`, modelToFamily, rubricCounts, refRubricFlat, srRubricFlat, ...); "
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
        require(are_counts, "rubricCounts", counts, "a list of whole numbers, one for each question")
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
            require(generator in verdicts, "refRubricFlat", list(verdicts), f"the model {generator!r}")
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

"""The published IFEval study of rubric self-preference: its `dashboard.html`.

The page holds one JSON object after `const DATA =`. Verdicts stand in strings, one character for each of
all rubrics (or instances) in order. A character that is no verdict makes an `unparsed` row and is counted.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from engine import schema
from engine.importers.dashboard_page import Page, is_text, require
from engine.store import Committee, Store, StudyInfo
from engine.store.sources import from_tables
from engine.store.store import Mode
from engine.store.writer import WriteReport, write_sources

NAME = "rubric-self-preference"
LARGEST = (
    "gemma_3_27b_it",
    "llama_4_maverick_17b_128e_instruct",
    "qwen3_235b_instruct",
    # The paper's section 2.4 names GPT-oss-120B here, but its figures fit the committee with GPT-5 only.
    "gpt_5",
    "claude_4_5_sonnet",
)
_MOST = 2**53  # a whole number above it is no length and no score, and may fit no column
_VERDICTS = {"0": False, "1": True}
_CHOICES = {"X": "generator", "Y": "opponent", "T": "tie"}


def import_dashboard(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the study that a `dashboard.html` holds; `name` else `rubric-self-preference`.

    Raises BadInputError that says what was expected where the page's format is another.
    """
    dashboard = Dashboard(Page.read(Path(path)))
    sources = {table: from_tables(schema.TABLES[table], rows) for table, rows in dashboard.tables().items()}
    models = set(dashboard.models)
    info = StudyInfo(
        title="Self-preference of rubric-based judges: IFEval",
        dataset="IFEval",
        licence="none stated",
        source="https://github.com/zeppombal/rubric-self-preference",
        provenance="imported",
        committees={"five-largest": Committee(members=list(LARGEST), paradigm="single_rubric")}
        if models.issuperset(LARGEST)
        else {},
    )
    report = write_sources(store, NAME if name is None else name, sources, info, mode=mode, dry_run=dry_run)
    report.warnings += dashboard.warnings()
    return report


@dataclass(frozen=True, slots=True)
class _Said:
    """What the rows of one field's entry have in common, and the column that their value goes to."""

    judge: str
    paradigm: str
    generator: str
    column: str


@dataclass
class Dashboard:
    """The page's object, checked on the way, as the tables of a study."""

    page: Page
    no_verdict: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what the other fields are read by."""
        self.generators = self.page.names("generators")
        require(bool(self.generators), "generators", self.generators, "at least one name")
        families = self.page.object_of("modelToFamily")
        counts = self.page.get("rubricCounts")
        whole = isinstance(counts, list) and all(type(n) is int and n >= 0 for n in counts)
        require(whole, "rubricCounts", counts, "a list of whole numbers, one for each instance")
        # Before a list is made of them: a count may be any number.
        self.lengths = self.page.flat("rubricLengthsFlat", sum(counts), "a length", _is_length)
        self.counts: list[int] = counts
        judges = [
            key.split("|")[0]
            for name in ("srRubricFlat", "arRubricFlat", "daScores", "pwcOutcomes")
            for key in self.page.object_of(name)
        ]
        self.models = list(dict.fromkeys([*self.generators, *judges]))
        for model in self.models:
            family = families.get(model)
            require(is_text(model), "the models", model, "a name of whole characters")
            require(is_text(family), f"modelToFamily[{model!r}]", family, "a family")
        self.families = [families[model] for model in self.models]
        self.instances = [f"ifeval-{index:03d}" for index in range(len(counts))]
        self.rubric_instance = [f"ifeval-{index:03d}" for index, n in enumerate(counts) for _ in range(n)]
        self.rubric_ids = [str(index) for n in counts for index in range(n)]

    def tables(self) -> dict[str, pa.Table | Iterable[pa.Table]]:
        """Return the study's tables in exchange form; judgments come as they are asked for."""
        return {
            "models": pa.table({"model": self.models, "family": self.families}),
            "instances": pa.table({"instance_id": self.instances}),
            "rubrics": self._rubrics(),
            "references": pa.concat_tables(list(self._references())),
            "judgments": self._judgments(),
        }

    def warnings(self) -> list[str]:
        """Return how many places of each field held no verdict."""
        return [f"{name}: {n:,} places hold no verdict" for name, n in self.no_verdict.items() if n]

    def _rubrics(self) -> pa.Table:
        size = len(self.rubric_ids)
        points = [1.0] * size
        if self.page.data.get("rubricPointsFlat") is not None:
            points = list(map(float, self.page.flat("rubricPointsFlat", size, "a number", _is_number)))
        names = self.page.names("instructionIdNames")
        top = 2 ** len(names)
        masks = self.page.flat(
            "rubricInstructionIdsFlat", size, "a bit mask", lambda v: type(v) is int and 0 < v < top
        )
        checkers = [",".join(name for bit, name in enumerate(names) if mask >> bit & 1) for mask in masks]
        return pa.table(
            {
                "instance_id": self.rubric_instance,
                "rubric_id": self.rubric_ids,
                "points": points,
                "checker": checkers,
                "axis": [checker.partition(":")[0] for checker in checkers],
                "length": self.lengths,
            }
        )

    def _references(self) -> Iterator[pa.Table]:
        verdicts = self.page.object_of("refRubricFlat")
        for generator in self.generators:
            require(generator in verdicts, "refRubricFlat", list(verdicts), f"the generator {generator!r}")
            met = self._letters(
                "refRubricFlat", generator, verdicts[generator], len(self.rubric_ids), _VERDICTS
            )
            yield pa.table(
                {
                    "instance_id": self.rubric_instance,
                    "generator": [generator] * len(met),
                    "rubric_id": self.rubric_ids,
                    "source": ["program"] * len(met),
                    "met": pa.array(met, pa.bool_()),
                }
            )

    def _judgments(self) -> Iterator[pa.Table]:
        rubrics = {"instance_id": self.rubric_instance, "rubric_id": self.rubric_ids}
        for name, paradigm in (("srRubricFlat", "single_rubric"), ("arRubricFlat", "all_rubrics")):
            for key, letters in self.page.object_of(name).items():
                judge, generator = self._key(name, key, 2)
                met = self._letters(name, key, letters, len(self.rubric_ids), _VERDICTS)
                yield self._rows(_Said(judge, paradigm, generator, "met"), met, pa.bool_(), **rubrics)
        for key, scores in self.page.object_of("daScores").items():
            judge, generator = self._key("daScores", key, 2)
            said = _Said(judge, "direct_assessment", generator, "score")
            yield self._rows(said, self._scores(key, scores), pa.float64(), instance_id=self.instances)
        for key, letters in self.page.object_of("pwcOutcomes").items():
            judge, generator, opponent = self._key("pwcOutcomes", key, 3)
            choice = self._letters("pwcOutcomes", key, letters, len(self.instances), _CHOICES)
            opponents = {"instance_id": self.instances, "opponent": [opponent] * len(choice)}
            yield self._rows(_Said(judge, "pairwise", generator, "choice"), choice, pa.string(), **opponents)

    def _rows(self, said: _Said, values: Sequence[object], kind: pa.DataType, **more: list[str]) -> pa.Table:
        size = len(values)
        return pa.table(
            {
                "judge": _same(said.judge, size),
                "paradigm": _same(said.paradigm, size),
                "generator": _same(said.generator, size),
                said.column: pa.array(values, kind),
                "status": ["unparsed" if value is None else "ok" for value in values],
                **more,
            }
        )

    def _scores(self, key: str, scores: object) -> list[float | None]:
        place = f"daScores[{key!r}]"
        fits = isinstance(scores, list) and len(scores) == len(self.instances)
        require(fits, place, scores, f"{len(self.instances)} numbers")
        values: list[float | None] = []
        for score in scores if isinstance(scores, list) else []:
            require(score is None or _is_number(score), place, score, "a number from 0 to 1, or null")
            values.append(float(score) if score is not None and math.isfinite(score) else None)
        self._count("daScores", values)
        return values

    def _letters(self, name: str, key: str, letters: object, size: int, meaning: dict[str, Any]) -> list[Any]:
        """Return what each letter means, None for one that is no verdict."""
        text = "".join(letters) if isinstance(letters, list) and all(map(_is_letter, letters)) else letters
        fits = isinstance(text, str) and len(text) == size
        require(fits, f"{name}[{key!r}]", text, f"{size} characters, {' or '.join(meaning)}")
        values = [meaning.get(letter) for letter in str(text)]
        self._count(name, values)
        return values

    def _count(self, name: str, values: Sequence[object]) -> None:
        self.no_verdict[name] = self.no_verdict.get(name, 0) + sum(value is None for value in values)

    def _key(self, name: str, key: str, parts: int) -> list[str]:
        found = key.split("|")
        fits = len(found) == parts and all(part in self.generators for part in found[1:])
        require(
            fits,
            name,
            key,
            "a key " + ("judge|x|y" if parts == 3 else "judge|generator") + " of known models",
        )
        return found


def _same(text: str, size: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(np.zeros(size, np.int32), pa.array([text]))


def _is_number(value: object) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < _MOST)


def _is_length(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_letter(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1

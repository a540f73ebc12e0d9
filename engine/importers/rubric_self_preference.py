"""The published IFEval study and its printed numbers."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.errors import BadInputError
from engine.store import Mode, Store
from engine.store.parquet import CODED_TEXT, constant
from engine.store.study_files import Committee, StudyInfo
from engine.store.writer import WriteReport, write_study
from engine.values import text_of

# ------------------------------------------------------------------------------
# The object in the published study's `dashboard.html`, checked as it is read.


EXPECTED = (
    "expected one JSON object after `const DATA =` with the fields of the published page "
    "(generators, modelToFamily, rubricCounts, refRubricFlat, srRubricFlat, ...); "
    "use the file of the commit that `spb datasets list` names"
)


@dataclass(frozen=True, slots=True)
class Page:
    """The page's object; every field is asked for with what it must look like."""

    data: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Page":
        """Read the page; BadInputError that says what was expected where it is another."""
        try:
            text = text_of(path)
        except OSError as error:
            raise BadInputError(f"{str(path)!r} cannot be read: {error.strerror}; check the path") from error
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
            problem = f"`const DATA =` is {str(data)[:80]!r}, not an object"
            raise BadInputError(f"{path.name}: {problem}; {EXPECTED}")
        return cls(data)

    def get(self, name: str) -> Any:
        """Return a field; BadInputError where it is missing."""
        if name not in self.data:
            raise BadInputError(f"dashboard.html: the field {name!r} is missing; {EXPECTED}")
        return self.data[name]

    def object_of(self, name: str) -> dict[str, Any]:
        """Return a field that is an object."""
        value = self.get(name)
        require(isinstance(value, dict), name, value, "an object")
        return dict(value)

    def names(self, name: str) -> list[str]:
        """Return a field that is a list of names."""
        value = self.get(name)
        require(isinstance(value, list) and all(map(is_text, value)), name, value, "a list of names")
        return list(value)

    def flat(self, name: str, size: int, wanted: str, fits: Callable[[Any], bool]) -> list[Any]:
        """Return a list of `size` values that all fit."""
        value = self.get(name)
        require(isinstance(value, list) and len(value) == size, name, value, f"{size} values")
        for item in value:
            require(fits(item), name, item, wanted)
        return list(value)


def require(fits: bool, place: str, value: object, wanted: str) -> None:
    """Raise BadInputError that shows the value and what was wanted, unless it fits."""
    if not fits:
        raise BadInputError(
            f"dashboard.html, {place}: found {str(value)[:80]!r}, expected {wanted}; {EXPECTED}"
        )


def is_text(value: object) -> bool:
    """Return whether a value is a text of whole characters, as a file can hold it."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


# ------------------------------------------------------------------------------
# The published IFEval study of rubric self-preference: its `dashboard.html`.


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
    info = StudyInfo(
        title="Self-preference of rubric-based judges: IFEval",
        dataset="IFEval",
        licence="none stated",
        source="https://github.com/zeppombal/rubric-self-preference",
        provenance="imported",
        committees={"five-largest": Committee(members=list(LARGEST), paradigm="single_rubric")}
        if set(LARGEST) <= set(dashboard.models)
        else {},
    )
    study = NAME if name is None else name
    report = write_study(store, study, dashboard.tables(), info, mode=mode, dry_run=dry_run)
    report.warnings += dashboard.warnings()
    return report


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
        self.lengths = self.page.flat(
            "rubricLengthsFlat", sum(counts), "a length", lambda n: type(n) is int and 0 <= n < _MOST
        )
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
            size = len(self.rubric_ids)
            met = self._letters("refRubricFlat", generator, verdicts[generator], size, _VERDICTS)
            yield pa.table(
                {
                    "instance_id": self.rubric_instance,
                    "generator": _same(generator, size),
                    "rubric_id": self.rubric_ids,
                    "source": _same("program", size),
                    "met": pa.array(met, pa.bool_()),
                }
            )

    def _judgments(self) -> Iterator[pa.Table]:
        rubrics = {"instance_id": self.rubric_instance, "rubric_id": self.rubric_ids}
        for name, paradigm in (("srRubricFlat", "single_rubric"), ("arRubricFlat", "all_rubrics")):
            for key, letters in self.page.object_of(name).items():
                judge, generator = self._key(name, key, 2)
                met = pa.array(self._letters(name, key, letters, len(self.rubric_ids), _VERDICTS), pa.bool_())
                yield _rows(judge, paradigm, generator, rubrics | {"met": met}, "met")
        instances = {"instance_id": self.instances}
        for key, scores in self.page.object_of("daScores").items():
            judge, generator = self._key("daScores", key, 2)
            score = pa.array(self._scores(key, scores), pa.float64())
            yield _rows(judge, "direct_assessment", generator, instances | {"score": score}, "score")
        for key, letters in self.page.object_of("pwcOutcomes").items():
            judge, generator, opponent = self._key("pwcOutcomes", key, 3)
            outcomes = self._letters("pwcOutcomes", key, letters, len(self.instances), _CHOICES)
            choice = {"opponent": _same(opponent, len(outcomes)), "choice": pa.array(outcomes, pa.string())}
            yield _rows(judge, "pairwise", generator, instances | choice, "choice")

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
        text = letters
        if isinstance(letters, list) and all(isinstance(one, str) and len(one) == 1 for one in letters):
            text = "".join(letters)
        fits = isinstance(text, str) and len(text) == size
        require(fits, f"{name}[{key!r}]", text, f"{size} characters, {' or '.join(meaning)}")
        values = [meaning.get(letter) for letter in str(text)]
        self._count(name, values)
        return values

    def _count(self, name: str, values: Sequence[object]) -> None:
        self.no_verdict[name] = self.no_verdict.get(name, 0) + sum(value is None for value in values)

    def _key(self, name: str, key: str, parts: int) -> list[str]:
        pieces = key.split("|")
        fits = len(pieces) == parts and all(part in self.generators for part in pieces[1:])
        shape = "judge|x|y" if parts == 3 else "judge|generator"
        require(fits, name, key, f"a key {shape} of known models")
        return pieces


def _rows(judge: str, paradigm: str, generator: str, columns: dict[str, Any], verdict: str) -> pa.Table:
    """Return judgments of one judge and generator; `verdict` is the column that their status hangs on."""
    ok = columns[verdict].is_valid()
    shared = {"judge": judge, "paradigm": paradigm, "generator": generator}
    shared_columns = {name: _same(text, len(ok)) for name, text in shared.items()}
    return pa.table({**shared_columns, **columns, "status": pc.if_else(ok, "ok", "unparsed")})


def _same(text: str, size: int) -> pa.DictionaryArray:
    return constant(text, size, CODED_TEXT)


def _is_number(value: object) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < _MOST)

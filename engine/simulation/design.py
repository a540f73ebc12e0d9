"""Shared by the simulated studies: planted models, families and biases, and writing to a store."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine import __version__, schema
from engine.errors import UsageError, unknown
from engine.stats import Bools, Floats
from engine.store import Store
from engine.store.arrow_types import stored_schema
from engine.store.study_files import StudyInfo
from engine.values import parse_int

# ------------------------------------------------------------------------------
# Planted in a simulated study: models with their skill, and the bias of each as a judge.


SIMULATED_PARADIGMS = ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
SLICE_COLUMNS = ("polarity", "length", "theme", "axis")


@dataclass(frozen=True, slots=True)
class Slice:
    """The rubrics on which a bias is at full strength.

    `column` is one of `SLICE_COLUMNS`. `value` is `negative` or `positive` for polarity; `extreme`
    (the shortest and the longest tenth of the study's rubrics) or `LO:HI` (characters, ends included,
    either open) for length; a name for theme and axis.
    """

    column: str
    value: str

    def __post_init__(self) -> None:
        if self.column not in SLICE_COLUMNS:
            raise unknown("column of a biased slice", self.column, SLICE_COLUMNS)
        if self.column == "polarity" and self.value not in ("negative", "positive"):
            raise unknown("polarity", self.value, ("negative", "positive"))
        if self.column == "length" and self.value != "extreme":
            self.bounds()

    @classmethod
    def parse(cls, text: str) -> "Slice":
        column, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise UsageError(f"{text!r} names no slice; write column=value, as in polarity=negative")
        return cls(column.strip(), value.strip())

    def bounds(self) -> tuple[float, float]:
        """Return the lowest and highest length of a `LO:HI` slice; an open end is infinite."""
        low, colon, high = self.value.partition(":")
        try:
            ends = float(low or "-inf"), float(high or "inf")
        except ValueError:
            colon = ""
        if not colon:
            raise UsageError(f"length {self.value!r} is neither 'extreme' nor LO:HI, as in 10:80")
        return ends

    def __str__(self) -> str:
        return f"{self.column}={self.value}"


@dataclass(frozen=True, slots=True)
class Bias:
    """By which factors a judge is likelier to credit a failed rubric than for an unrelated model's response.

    `self_ratio` applies to its own responses, `family_ratio` to those of its family. With `on` they apply on
    that slice, and elsewhere only the share `elsewhere` of their excess over 1. `hard_items` is not a bias:
    rubrics that the judge's own response fails are that many times likelier to be credited, whoever wrote the
    response, which raises the plain ratio above 1 but not the matched one.
    """

    self_ratio: float = 1.0
    family_ratio: float = 1.0
    on: Slice | None = None
    elsewhere: float = 0.0
    hard_items: float = 1.0

    def __post_init__(self) -> None:
        for name in ("self_ratio", "family_ratio", "hard_items"):
            value = getattr(self, name)
            if not 0 < value < float("inf"):
                raise UsageError(f"{name} {value!r} is not a ratio; give a number above 0")
        if not 0 <= self.elsewhere <= 1:
            raise UsageError(f"elsewhere {self.elsewhere!r} is not a share; give a number from 0 to 1")

    @property
    def strongest(self) -> float:
        return max(1.0, self.self_ratio, self.family_ratio) * max(1.0, self.hard_items)


@dataclass(frozen=True, slots=True)
class Model:
    """One model: how well it answers, and how it errs as a judge, as shares.

    `skill` is the share of (average) rubrics that its responses meet, `overestimation` the share of failed
    rubrics that it credits for responses of other families, and `underestimation` the share of fulfilled ones
    that it does not credit. `first_bias` is, among the pairs on which its two orders differ, the share in
    which it preferred the response shown first (0.5: no position bias).
    """

    name: str
    family: str
    skill: float = 0.75
    overestimation: float = 0.2
    underestimation: float = 0.06
    first_bias: float = 0.5
    bias: Bias = field(default_factory=Bias)
    provider: str | None = None
    size_b: float | None = None

    def __post_init__(self) -> None:
        for name in ("skill", "overestimation", "underestimation", "first_bias"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} {value!r} of {self.name!r} is not a share; give 0 to 1")
        if self.skill in (0, 1):
            raise UsageError(f"skill {self.skill!r} of {self.name!r}: give a share above 0 and below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Base of the designs: the shares of answers that are, independently of all else, unparsed or refused."""

    unparsed: float = 0.0
    refused: float = 0.0
    seed: int = 0

    def check_draws(self) -> None:
        if min(self.unparsed, self.refused) < 0 or self.unparsed + self.refused >= 1:
            problem = f"unparsed {self.unparsed!r} and refused {self.refused!r}"
            raise UsageError(f"{problem}: give shares whose sum is below 1")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed!r}: give a whole number from 0")

    @property
    def run_id(self) -> str:
        return f"simulated-{self.seed}"

    def rng(self, *stream: int) -> np.random.Generator:
        """Return the generator of one kind of draw, independent of all others."""
        return np.random.default_rng([self.seed, *stream])


@dataclass(frozen=True, slots=True)
class Design(Draws):
    """The design of a simulated study, without its items.

    `judges` and `generators` are models; one that is in both is the same model. `instance_spread` in [0, 1)
    is how much the judges' error rates vary between instances: each multiplies them by a factor drawn
    uniformly from 1 - spread to 1 + spread, which leaves every ratio as planted.
    """

    judges: tuple[Model, ...]
    generators: tuple[Model, ...]
    paradigms: tuple[str, ...] = SIMULATED_PARADIGMS
    instance_spread: float = 0.3

    def __post_init__(self) -> None:
        for role, models in (("judge", self.judges), ("generator", self.generators)):
            names = [model.name for model in models]
            if not names:
                raise UsageError(f"there is no {role}; name at least one")
            for name in names:
                if not name or names.count(name) > 1:
                    raise UsageError(f"{role} {name!r} is empty or occurs twice; give each its own name")
        by_name = {model.name: model for model in self.judges}
        for model in self.generators:
            if by_name.get(model.name, model) != model:
                raise UsageError(f"{model.name!r} is described twice, differently; describe each model once")
        if not 0 <= self.instance_spread < 1:
            raise UsageError(f"instance spread {self.instance_spread!r}: give a share from 0 to below 1")
        self.check_draws()
        for paradigm in self.paradigms:
            if paradigm not in SIMULATED_PARADIGMS:
                raise unknown("paradigm", paradigm, SIMULATED_PARADIGMS)
        for judge in self.judges:
            highest = judge.overestimation * judge.bias.strongest * (1 + self.instance_spread)
            if highest > 1:
                raise UsageError(
                    f"judge {judge.name!r}: overestimation {judge.overestimation!r} times its ratios and the "
                    f"instances' spread is {highest:.2f}, above 1; lower overestimation or the ratios"
                )

    @property
    def models(self) -> tuple[Model, ...]:
        """Every model once: the generators, then the other judges."""
        names = {model.name for model in self.generators}
        return self.generators + tuple(model for model in self.judges if model.name not in names)


# ------------------------------------------------------------------------------
# Default families and skills for models of which only the names, or the number, are given.


FAMILY_SIZE, MOST_MODELS = 3, 10_000  # if only the number of models is given
LOWEST_SKILL, HIGHEST_SKILL = 0.6, 0.8


def names_of(models: Sequence[str]) -> list[str]:
    """Return `models`, or names for a number: `["12"]` becomes four families of three, `f1-1` to `f4-3`."""
    if len(models) == 1 and models[0].isdecimal():
        count = parse_int(models[0]) or 0
        if not 1 <= count <= MOST_MODELS:
            remedy = f"give a number from 1 to {MOST_MODELS:,}, or names"
            raise UsageError(f"{models[0]!r} models cannot take part; {remedy}")
        return [f"f{index // FAMILY_SIZE + 1}-{index % FAMILY_SIZE + 1}" for index in range(count)]
    if not models:
        raise UsageError("no model takes part; give a number of models, or their names")
    return list(models)


def families_of(names: Sequence[str], families: Sequence[str], biased: Sequence[str] | None) -> Sequence[str]:
    """Return a family for each name: those given, else the name up to its first hyphen."""
    if families and len(families) != len(names):
        remedy = f"give one for each of: {', '.join(names)}"
        raise UsageError(f"there are {len(families)} families for {len(names)} models; {remedy}")
    if unknown_judges := set(biased or ()) - set(names):
        remedy = f"choose from: {', '.join(names)}"
        raise UsageError(f"biased {min(unknown_judges)!r} is not a model of the study; {remedy}")
    return families or [name.partition("-")[0] for name in names]


def default_models(
    names: Sequence[str],
    families: Sequence[str],
    bias: Bias,
    biased: Sequence[str] | None,
    *,
    overestimation: float = 0.2,
    underestimation: float = 0.06,
    first_bias: float = 0.5,
) -> tuple[Model, ...]:
    """Return models of these names, with skills spread evenly from 0.6 to 0.8.

    `families` are as in `families_of`. `bias` is planted in the judges `biased` (None: in all).
    """
    family_names = families_of(names, families, biased)
    step = (HIGHEST_SKILL - LOWEST_SKILL) / max(1, len(names) - 1)
    return tuple(
        Model(
            name=name,
            family=family_names[index],
            skill=round(LOWEST_SKILL + index * step, 6),
            bias=bias if biased is None or name in biased else Bias(),
            overestimation=overestimation,
            underestimation=underestimation,
            first_bias=first_bias,
        )
        for index, name in enumerate(names)
    )


# ------------------------------------------------------------------------------
# Shared by the simulated studies: Arrow columns, tables, a stream of judgments, writing to a store.


Codes = npt.NDArray[np.int32]

STATUS_NAMES = ("ok", "unparsed", "refused")

CHOICE_NAMES = ("generator", "opponent", "tie")
ORDER_NAMES = ("generator", "opponent")  # which response of a pair was shown first
DECLINED = "The request was declined by the provider."  # the raw reply if the status is refused


def judgment_schema(names: str) -> pa.Schema:
    """Return the stored types of columns of `judgments`, given by names separated by blanks."""
    stored = stored_schema(schema.JUDGMENTS)
    return pa.schema([stored.field(name) for name in names.split()])


def text_column(codes: npt.NDArray[np.integer], values: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """Return a dictionary-encoded text column; a code below 0 is null."""
    words = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=codes < 0), words)


def constant(value: str, size: int) -> pa.DictionaryArray:
    return text_column(np.zeros(size, dtype=np.int32), [value])


def number_column(values: Floats) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))


def draw_status(
    shape: int | tuple[int, ...], unparsed: float, refused: float, rng: np.random.Generator
) -> Codes:
    """Draw indices into `STATUS_NAMES`, independently of what the answers would have been."""
    uniform = rng.random(shape)
    codes = np.zeros(uniform.shape, dtype=np.int32)
    codes[uniform < unparsed + refused] = 2
    codes[uniform < unparsed] = 1
    return codes


def call_ids(prefix: str, calls: npt.NDArray[np.integer]) -> pa.DictionaryArray:
    """Return the names of calls by their numbers, which start at 0 without gaps."""
    count = int(calls.max(initial=-1)) + 1
    return text_column(calls, [f"{prefix}-{number}" for number in range(count)])


def first_of_call(calls: npt.NDArray[np.integer]) -> Bools:
    """Return which rows are the first of their call; the rows of a call are adjacent."""
    return np.asarray(np.diff(calls, prepend=-1) != 0)


def table_of(columns: Mapping[str, pa.Array | str], table_schema: pa.Schema) -> pa.Table:
    """Return a table of the schema; a text fills its whole column, missing columns are null."""
    size = len(columns["status"])
    arrays = []
    for column in table_schema:
        values = columns.get(column.name, pa.nulls(size, column.type))
        arrays.append((constant(values, size) if isinstance(values, str) else values).cast(column.type))
    return pa.table(arrays, table_schema)


def numbered_ids(letter: str, count: int) -> list[str]:
    """Return ids of equal width, such as `q01` to `q12`; UsageError for a count below 1."""
    if count < 1:
        raise UsageError(f"instances {count!r}: give a whole number from 1")
    return [f"{letter}{number:0{len(str(count))}d}" for number in range(1, count + 1)]


def models_table(models: Iterable[Any], *fields: str) -> pa.Table:
    """Return the table `models`: name, family, provider, size, and further fields by their names."""
    fields, stored = ("family", "provider", "size_b", *fields), stored_schema(schema.MODELS)
    rows = [{"model": model.name, **{name: getattr(model, name) for name in fields}} for model in models]
    return pa.Table.from_pylist(rows, pa.schema([stored.field(name) for name in ("model", *fields)]))


def runs_table(design: Draws, calls: Iterable[tuple[str, str, str]]) -> pa.Table:
    """Return the table of runs, with a row for each (judge, paradigm, variant)."""
    rows = [
        {
            "run_id": design.run_id,
            "model": judge,
            "role": "judge",
            "paradigm": paradigm,
            "variant": variant,
            "provenance": "simulated",
            "seed": design.seed,
            "software": f"spb-explorer {__version__}",
        }
        for judge, paradigm, variant in calls
    ]
    return pa.Table.from_pylist(rows)


NOTES = "Simulated: no model was asked. The planted effects are recorded under truth in study.json."


class Simulation(ABC):
    """A simulated study of rubrics, pairs or orders; its judgments are drawn on demand."""

    schema: ClassVar[pa.Schema]
    raw: ClassVar[tuple[str, str]]
    """The raw replies if the status is unparsed, and if it is refused."""

    design: Draws

    @abstractmethod
    def tables(self) -> dict[str, pa.Table]:
        """Return every table except `judgments`, with the columns of the exchange form."""

    @abstractmethod
    def planted(self) -> dict[str, Any]:
        """Return what was planted and the numbers to expect from it, as JSON values."""

    def judgments(self) -> pa.RecordBatchReader:
        """Return the answers as a stream of record batches; every call returns the same rows."""
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(self.schema, batches)

    @abstractmethod
    def _tables(self) -> Iterator[pa.Table]: ...

    def _table(self, columns: Mapping[str, pa.Array | str], status: Codes) -> pa.Table:
        """Return judgments as a table; `status` holds indices into `STATUS_NAMES`."""
        outcome = {"status": text_column(status, STATUS_NAMES), "raw": text_column(status - 1, self.raw)}
        return table_of({"run_id": self.design.run_id, **columns, **outcome}, self.schema)


def write_simulated(
    store: Store, name: str, study: Simulation, *, title: str | None = None, replace: bool = False
) -> None:
    """Write a simulated study, drawing it as it is written; UsageError if it exists, unless `replace`."""
    info = StudyInfo(
        name=name,
        title=title or f"{name} (simulated)",
        provenance="simulated",
        source=study.design.run_id,
        notes=NOTES,
        truth=study.planted(),
    )
    judgments = (pa.Table.from_batches([batch]) for batch in study.judgments())
    store.write(name, study.tables() | {"judgments": judgments}, info, mode="replace" if replace else "new")

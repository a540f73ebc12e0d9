"""Makes a study's types from the catalogue: its methods' options, and the fields of every measure's rows.

`python -m tests.tools.study_stub --write` writes them after a change of a measure, an option or a filter; a
test fails while a file on disk differs. Without `--write` it prints `engine/study.pyi`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from engine.explore.find_slices import FIND
from engine.explore.gate import REQUIREMENTS
from engine.measures.catalogue import OWN
from engine.measures.entry import Measure
from engine.measures.methods import arguments_of, docstring_of, method_name
from engine.slices import FLAGS, GROUPINGS, grouping_words
from engine.store import MODES

ENGINE = Path(__file__).resolve().parents[2] / "engine"
FIRST = "# Made from the catalogue: python -m tests.tools.study_stub --write; edit it there.\n"
ROWS_HEAD = f"""\
{FIRST}\"\"\"The rows of each measure, by field.\"\"\"

from typing import Any, TypedDict

MaybeNone = Any
\"\"\"In place of None where a value may be undefined: readers are held to the fields' names alone.\"\"\"
"""
_GROUPS = tuple(dict.fromkeys((*GROUPINGS, *grouping_words(GROUPINGS))))
COMPUTED_HEAD = f"""\
{FIRST}from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack, overload

from engine.arrays.study_arrays import StudyArrays
from engine.measures import row_types
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.slices import Slice

Names = str | Sequence[str]
Numbers = int | str | Sequence[int]
Range = str | tuple[float | None, float | None]
"""
HEAD = f"""\
{FIRST}import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, Unpack, overload

import altair as alt
import pandas as pd

from engine.findings.findings import Findings
from engine.measures.entry import Measure
from engine.measures.measured_study import *
from engine.measures.result import Result
from engine.report.gate_report import GateReport
from engine.slices import Repeats, Slice
"""

KINDS = {
    "names": "Names",
    "numbers": "Numbers",
    "name": "str",
    "range": "Range",
    "number": "float",
    "integer": "int",
    "switch": "bool",
}
PLACE = "str | Path | None"
VALUES = {"count": "int", "flag": "bool", "list": "list[Any]"}
CHECKED = ("scorecard", "expected")
"""Measures whose readers must check for None too: what is concluded rests on them."""

COMPARED = ("a", "b", "difference", "low", "high", "p", "p_adjusted")
"""Fields of the rows that compare two slices."""


WHOLE = {"resamples": "int", "seed": "int"}
SHORT = {"judge": "Names", "generator": "Names"}
"""Short for `judges` and `generators`."""


def files() -> dict[Path, str]:
    """Return the text of each file that is made."""
    return {
        ENGINE / "measures" / "row_types.py": _text(_row_types()),
        ENGINE / "measures" / "measured_study.pyi": _text(_measured_study()),
        ENGINE / "study.pyi": stub(),
    }


def stub() -> str:
    """Return the text of `engine/study.pyi`."""
    return _text(_study())


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _row_types() -> Iterator[str]:
    yield ROWS_HEAD
    for measure in (*OWN, FIND):
        yield from _row(measure)


def _measured_study() -> Iterator[str]:
    yield COMPUTED_HEAD
    yield from _dictionary("SliceArguments", SHORT | _of_slice())
    yield from _dictionary("SlicedArguments", SLICED, "SliceArguments")
    yield from _dictionary("WholeArguments", WHOLE, "SliceArguments")
    yield from _dictionary(
        "FindArguments", {"top": "int | None", "by": "str | Sequence[str]"}, "SliceArguments"
    )
    for measure in OWN:
        yield from _dictionary(f"{_camel(measure)}Arguments", _own(measure), _base(measure))
    for measure in (*OWN, FIND):
        yield f"class {_camel(measure)}Result(Result):"
        yield "    @property"
        yield f"    def rows(self) -> list[row_types.{_camel(measure)}Row]: ..."
        yield ""
    yield "class MeasuredStudy(StudyArrays):"
    yield "    @classmethod"
    yield f"    def open(cls, path: {PLACE} = None, *, store: {PLACE} = None) -> Self: ..."
    for measure in OWN:
        yield from _overload("result", measure, f"{_camel(measure)}Result")
    yield from _of_any_measure("result", "Result")
    yield "    def _finished(self, result: Result) -> Result: ..."
    yield "    def of_runs(self, runs: Iterable[str] | None) -> Self: ..."
    yield "    def families(self, relatives: str | None = None) -> dict[str, str | None]: ..."
    yield ""
    yield "def measure_of(measure: str | Measure) -> Measure: ..."
    yield "def say_successor(entry: Measure) -> None: ..."


def _of_slice() -> dict[str, str]:
    flags = {flag.name: _argument(flag.kind, flag.choices, none=flag.default is None) for flag in FLAGS}
    return {"slice": "Slice | str | None"} | flags


def _own(measure: Measure) -> dict[str, str]:
    groups = (
        {} if measure.sliced else {"by": f"{_literal(measure.groups)} | None" if measure.groups else "None"}
    )
    return groups | {
        option.name: _argument(option.kind, option.choices, none=True) for option in measure.options
    }


def _argument(kind: str, choices: tuple[str, ...], *, none: bool) -> str:
    text = _literal(choices) if kind == "name" and choices else KINDS[kind]
    return f"{text} | None" if none else text


def _literal(values: tuple[str, ...]) -> str:
    return f"Literal[{', '.join(map(repr, values))}]".replace("'", '"')


SLICED = {
    "by": f"{_literal(_GROUPS)} | Sequence[{_literal(_GROUPS)}] | None",
    "against": "Slice | str | Mapping[str, Any] | None",
    "common": "bool",
    **WHOLE,
    "interval": _literal(("percentile", "expanded")),
}


def _base(measure: Measure) -> str:
    return "SlicedArguments" if measure.sliced else "WholeArguments"


def _camel(measure: Measure) -> str:
    return "".join(part.title() for part in measure.name.split("-"))


def _dictionary(name: str, fields: dict[str, str], base: str = "TypedDict") -> Iterator[str]:
    yield f"class {name}({base}, total=False):"
    yield from (f"    {key}: {kind}" for key, kind in fields.items())
    if not fields:
        yield "    pass"
    yield ""


def _row(measure: Measure) -> Iterator[str]:
    undefined = "None" if measure.name in CHECKED else "MaybeNone"
    fields: dict[str, str] = {"slice": "str | int | None"} if measure.sliced or measure.groups else {}
    for field in measure.fields:
        fields |= dict.fromkeys(field.columns(), f"float | {undefined}")
        plain = "str" if field.kind == "text" else "float"
        fields[field.name] = VALUES.get(field.kind, f"{plain} | {undefined}")
    if measure.sliced:
        fields = dict.fromkeys(COMPARED, f"float | {undefined}") | fields
    yield from _dictionary(f"{_camel(measure)}Row", fields | {"reasons": "dict[str, str]"})


def _study() -> Iterator[str]:
    yield HEAD
    yield "class StudyFindings(Findings): ..."
    yield ""
    yield "class Study(MeasuredStudy):"
    drawn = "alt.TopLevelMixin"
    for method, returns in (("measure", "pd.DataFrame"), ("plot", drawn), ("chart", drawn)):
        for measure in OWN:
            if returns != drawn or measure.has_chart:
                yield from _overload(method, measure, returns)
        if method == "plot":
            yield "    @overload"
            yield f"    def plot(self, **arguments: Unpack[ScorecardArguments]) -> {drawn}: ..."
        yield from _of_any_measure(method, returns)
    methods = (("find_result", "FindResult"), ("slices", "pd.DataFrame"), ("find", "pd.DataFrame"))
    for method, returns in methods:
        yield f"    def {method}(self, **arguments: Unpack[FindArguments]) -> {returns}: ..."
    given = "*, resamples: int | None = None, seed: int | None = None"
    yield f"    def findings(self, {given}) -> StudyFindings: ..."
    for measure in ("Scorecard", "Expected"):  # the second where rows are grouped
        arguments = f"*, full: bool = False, **arguments: Unpack[{measure}Arguments]"
        yield f"    @overload\n    def judges(self, {arguments}) -> pd.DataFrame: ..."
    columns = "*, full: bool = False, **columns: str | float | Sequence[str | float] | None"
    yield from (
        f"    def {name}(self, {columns}) -> pd.DataFrame: ..." for name in ("judgments", "responses")
    )
    yield "    def measures(self, *, full: bool = False) -> pd.DataFrame: ..."
    yield from _other_methods()
    yield from _methods()


def _other_methods() -> Iterator[str]:
    """Yield the methods that check judges, plan and write files, whose arguments are not in the catalogue."""
    amounts = "*, questions: int | None = None, power: float = 0.8, tastes: float = 0.0"
    yield f"    def power(self, excess: float | Sequence[float] = (), {amounts}) -> pd.DataFrame: ..."
    rules = "max_excess: float | None = None, max_ratio: float | None = None, "
    rules += f"require: {_literal(REQUIREMENTS)} | None = None, "
    rules += "independent: bool = False, group: bool = False"
    runs = "run: Names = (), paradigm: str | None = None, variant: str | None = None, "
    runs += 'repeats: Repeats = "majority"'
    yield f"    def gate(self, judge: Names = (), *, {rules}, {runs}) -> GateReport: ..."
    printed = "date: str | dt.date | None = None, force: bool = False"
    yield f'    def report(self, path: str | Path, *, story: str = "main", {printed}) -> Path: ...'
    yield f"    def card(self, judge: str, path: str | Path, *, {printed}) -> Path: ..."
    stored = f'store: {PLACE} = None, mode: {_literal(MODES)} = "new", run: str | None = None'
    yield f"    def save(self, name: str, *, {stored}) -> Self: ..."


def _methods() -> Iterator[str]:
    """Yield a method for each measure, with its arguments written out: editors complete them."""
    for measure in OWN:
        kinds = {"full": "bool"} | SLICED | WHOLE | SHORT | _of_slice() | _own(measure)
        names = ["full", *arguments_of(measure)]
        arguments = ", ".join(f"{name}: {kinds[name]} = ..." for name in names)
        yield f"    def {method_name(measure)}(self, *, {arguments}) -> pd.DataFrame:"
        first, *others = docstring_of(measure).replace("\\", "\\\\").splitlines()
        yield f'        """{first}'
        yield from (f"        {line}" if line else "" for line in others)
        yield '        """'


def _overload(method: str, measure: Measure, returns: str) -> Iterator[str]:
    names = _literal(tuple(dict.fromkeys((measure.name, measure.name.replace("-", "_")))))
    arguments = f"self, measure: {names}, **arguments: Unpack[{_camel(measure)}Arguments]"
    yield "    @overload"
    yield f"    def {method}({arguments}) -> {returns}: ..."


def _of_any_measure(method: str, returns: str) -> Iterator[str]:
    yield "    @overload"
    yield f"    def {method}(self, measure: Measure, **arguments: Any) -> {returns}: ..."


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for path, text in files().items():
            path.write_text(text, "utf-8")
    else:
        sys.stdout.write(stub())

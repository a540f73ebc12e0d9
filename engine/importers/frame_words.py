"""What `engine.from_frame` and `engine.import_file` say: their arguments in errors, and warnings."""

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.rows import number_of
from engine.importers.tables.asking.score_questions import MISSING
from engine.phrases import join_names, quantity
from engine.wording import in_python

_PACKAGE = str(Path(__file__).parents[1])


class _Arguments:
    """The arguments of `from_frame`."""

    def name(self, column: str, quote: str = "") -> str:
        return f"{quote}{column}{quote}"

    def option(self, name: str) -> str:
        return {"judge-columns": "judges", "criterion-columns": "criteria"}.get(name, name)

    def column_of(self, option: str) -> str:
        return "column" if option == "map" else f"column of {option}"

    def column(self, name: str) -> str:
        return f"{name}="

    def columns(self, fields: Mapping[str, str]) -> str:
        return ", ".join(f"{column}={field!r}" for column, field in fields.items())

    def constant(self, column: str, value: str) -> str:
        if column == "scale":  # which is a number, and an argument of its own
            return f"scale={value if value == 'NUMBER' or number_of(value) is not None else repr(value)}"
        return f"set={ {column: value} }"

    def model(self, role: str) -> str:
        return self.constant(role, "NAME")

    def meanings(self, column: str, meanings: Mapping[str, str]) -> str:
        return f"value={ {column: _with_none(meanings)} }"

    def open_meanings(self, column: str, meanings: Mapping[str, str], words: str) -> str:
        return f"{self.meanings(column, meanings)} with {words} in place of each ?"

    def without(self, fields: Sequence[str]) -> str:
        return f"drop {join_names(fields)} from the frame"

    def criteria(self, fields: Sequence[str]) -> str:
        return f"criteria={list(fields)}"

    def rows(self, path: str) -> str:
        return f"rows={path!r}"

    def one_name(self, names: Mapping[str, str], columns: Sequence[str]) -> str:
        return f"value={ {column: dict(names) for column in columns} }"


class _FileArguments(_Arguments):
    """The arguments of `import_file`."""

    def option(self, name: str) -> str:
        if name in ("judge", "generator", "baseline"):
            return self.model(name)
        return {"not": "leave_out"}.get(name, super().option(name).replace("-", "_"))

    def model(self, role: str) -> str:
        return "run='NAME'" if role == "run" else super().model(role)

    def without(self, fields: Sequence[str]) -> str:
        return f"leave_out={list(fields)}"


ARGUMENTS: OptionSpelling = _Arguments()
FILE_ARGUMENTS: OptionSpelling = _FileArguments()


def call_on_frame(options: ImportOptions, drop: str = "columns=", last: Sequence[str] = ()) -> str:
    """Return a call of `from_frame` with these options, on a frame whose `drop` takes columns so."""
    left_out = list(options.leave_out)
    first = f"frame.drop({drop}{left_out})" if left_out else "frame"
    return call_with(replace(options, leave_out=()), "from_frame", first, last)


def call_with(options: ImportOptions, call: str, first: str, last: Sequence[str] = ()) -> str:
    """Return a call of `from_frame`, or of `import_file`, with these options and the `last` arguments."""
    arguments = [f"{name}={field!r}" for name, field in options.map.items()]
    constants = {
        **{name: model for name in ("judge", "generator") if (model := getattr(options, name))},
        **{name: text for name, text in options.set.items() if name != "scale"},
    }
    arguments += [f"scale={options.set['scale']}"] if "scale" in options.set else []
    arguments += [f"set={constants}"] if constants else []
    arguments += (
        [f"value={ {name: _with_none(words) for name, words in options.value.items()} }"]
        if options.value
        else []
    )
    arguments += [f"judges={list(options.judges)}"] if options.judges else []
    arguments += [f"criteria={list(options.criteria)}"] if options.criteria else []
    arguments += [f"rows={options.rows!r}"] if options.rows else []
    arguments += ["guess=False"] if options.no_guess else []
    arguments += [f"leave_out={list(options.leave_out)}"] if options.leave_out else []
    arguments += ["whole_ids=True"] if options.whole_ids else []
    return f"engine.{call}({', '.join([first, *arguments, *last])})"


def _with_none(words: Mapping[str, str]) -> dict[str, str | None]:
    """Return meanings of values as Python writes them: None for no verdict."""
    return {value: None if meaning == MISSING else meaning for value, meaning in words.items()}


def written_arguments(given: Mapping[str, object]) -> list[str]:
    """Return the arguments that are given as a call has them."""
    return [
        f"{name}={(str(value) if isinstance(value, Path) else value)!r}"
        for name, value in given.items()
        if value
    ]


_NO_ORDER = (
    "no pair says which answer was shown first, so whether judges favour themselves cannot be measured; "
    "name the column that does (first='COLUMN', with the values 'generator' and 'opponent'), or, if the "
    "answer of {first} was always shown first, give set={{'first': 'generator'}}"
)


def warn_of_report(
    call: str,
    report: MappingReport,
    families: Mapping[str, str],
    *,
    in_no_order: bool,
    further: Sequence[str] = (),
) -> None:
    """Warn about rows left out, repeated verdicts, values not stored, and families open or of no model.

    `call` is the function that was called, and `further` what else to warn of.
    """
    notes = [f"{reason}: {out.count:,} of {report.rows_read:,} rows left out ({out.examples[0]})"
            for reason, out in report.left_out.items()]  # fmt: skip
    if report.truth_alone.count:
        notes.append(report.without_judge())
    if report.is_unreadable:
        notes.append("no verdict could be read")
    elif report.many_without_verdict:
        notes.append(report.without_verdict())
    if in_no_order:
        first = report.first_of_two
        notes.append(_NO_ORDER.format(first=repr(first) if first else "the first model named"))
    elif report.repeats:
        notes.append(f"{quantity(report.repeats, 'judgment')} repeated, counted as further trials")
        notes += report.contradictions()
    notes += report.cautions
    if report.questions:
        notes.append("families to decide (give families={'MODEL': 'FAMILY'}): " + "; ".join(report.questions))
    absent = set(families) - {row.model for row in report.models}
    if absent:
        what = "frame" if call == "from_frame" else "file"
        notes.append(f"families names models that are not in the {what}: {', '.join(sorted(absent))}")
    warn(call, [*notes, *filter(None, further)])


def warn(call: str, notes: Sequence[str]) -> None:
    """Warn of what a function has to say, if anything, at the line that calls this package."""
    if notes:
        text = f"{call}: " + "; ".join(map(in_python, notes))
        warnings.warn(text, UserWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return how far above the caller of this function the first line outside of this package is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level

"""What `engine.from_frame` says: its arguments in errors, and a warning of what was left out."""

import warnings
from collections.abc import Mapping, Sequence

from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.option_spelling import OptionSpelling
from engine.phrases import join_names, quantity


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
        return f"set={ {column: value} }"

    def model(self, role: str) -> str:
        return self.constant(role, "NAME")

    def meanings(self, column: str, meanings: Mapping[str, str]) -> str:
        return f"value={ {column: dict(meanings)} }"

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


ARGUMENTS: OptionSpelling = _Arguments()


def call_with(options: ImportOptions) -> str:
    """Return the call of `from_frame` with these options."""
    arguments = [f"{name}={field!r}" for name, field in options.map.items()]
    constants = {
        **{name: model for name in ("judge", "generator") if (model := getattr(options, name))},
        **{name: text for name, text in options.set.items() if name != "scale"},
    }
    arguments += [f"scale={options.set['scale']}"] if "scale" in options.set else []
    arguments += [f"set={constants}"] if constants else []
    arguments += (
        [f"value={ {name: dict(words) for name, words in options.value.items()} }"] if options.value else []
    )
    arguments += [f"judges={list(options.judges)}"] if options.judges else []
    arguments += [f"criteria={list(options.criteria)}"] if options.criteria else []
    arguments += [f"rows={options.rows!r}"] if options.rows else []
    arguments += ["guess=False"] if options.no_guess else []
    return f"engine.from_frame({', '.join(['frame', *arguments])})"


_NO_ORDER = (
    "no pair says which answer was shown first, so whether judges favour themselves cannot be measured; "
    "name the column that does (first='COLUMN', with the values 'generator' and 'opponent'), or, if the "
    "answer of {first} was always shown first, give set={{'first': 'generator'}}"
)


def warn_of_report(report: MappingReport, families: Mapping[str, str], *, in_no_order: bool) -> None:
    """Warn about rows left out, repeated verdicts, values not stored, and families open or of no model."""
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
    notes += report.cautions
    if report.questions:
        notes.append("families to decide (give families={'MODEL': 'FAMILY'}): " + "; ".join(report.questions))
    absent = set(families) - {row.model for row in report.models}
    if absent:
        notes.append(f"families names models that are not in the frame: {', '.join(sorted(absent))}")
    if notes:
        warnings.warn("from_frame: " + "; ".join(notes), UserWarning, stacklevel=4)

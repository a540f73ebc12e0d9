"""What `engine.from_frame` says: errors that name its arguments, and a warning of what was left out."""

import re
import warnings
from collections.abc import Mapping

from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.phrases import join_names, quantity

_FLAGS = (
    (re.compile(r"columns: --map (\w+=[^;]+)"), lambda m: f"columns: {_columns(m[1])}"),
    (re.compile(r"--set (\w+)='?([^\s,;')]+)'?"), lambda m: f"set={{{m[1]!r}: {m[2]!r}}}"),
    (re.compile(r"--map reads (\w+ and \w+) both from"), lambda m: f"{m[1]} both name"),
    (re.compile(r"column of --map"), lambda _: "column"),
    (re.compile(r"--map (\w+)=([^\s,;.()'?]+)"), lambda m: f"{m[1]}={m[2]!r}"),
    (re.compile(r"--map (\w+)="), lambda m: f"{m[1]}="),
    (re.compile(r"\b(\w+)=FIELD"), lambda m: f"{m[1]}='FIELD'"),
    (re.compile(r"--value '(\w+):([^']+)'"), lambda m: _meanings(m[1], m[2])),
    (re.compile(r"--value (\w+):(\S.*?=\w+(?:,[^\s=]+=\w+)*)(?![\w=])"), lambda m: _meanings(m[1], m[2])),
    (re.compile(r"(?<=\}, or )=(\w+)"), lambda m: repr(m[1])),
    (re.compile(r" *,? *or leave out --strict to import the others"), lambda _: ", or leave out strict"),
    (re.compile(r"--(judge|generator) NAME"), lambda m: f"set={{{m[1]!r}: 'NAME'}}"),
    (re.compile(r"--not \S+?(?: --not \S+?)*(?=[\s,;.)]|$)"), lambda m: _dropped(m[0])),
    (re.compile(r"--rows (\S+?)(?=[\s.,;)]|$)"), lambda m: f"rows={m[1]!r}"),
    (re.compile(r"--judge-columns ?(?=\S)"), lambda _: "judges "),
    (re.compile(r"--(set|value|judges|rows) ?(?=\S)"), lambda m: m[1] + " "),
    (re.compile(r"import again with "), lambda _: "give "),
    (re.compile(r"\(table: "), lambda _: "("),
    (re.compile(r"`spb import PATH --run NAME` names a run"), lambda _: "run_id='FIELD' names them"),
)


def _columns(pairs: str) -> str:
    """Return `judge='rater', met='ok'` for `judge=rater,met=ok`; a column's name may have commas."""
    parts = (pair.partition("=") for pair in re.split(r",(?=\w+=)", pairs))
    return ", ".join(f"{name}={column!r}" for name, _, column in parts)


def _meanings(column: str, pairs: str) -> str:
    items = ", ".join(
        f"{old!r}: {new!r}" for old, _, new in (pair.rpartition("=") for pair in pairs.split(","))
    )
    return f"value={{{column!r}: {{{items}}}}}"


def _dropped(flags: str) -> str:
    return f"drop {join_names(flags.removeprefix('--not ').split(' --not '))} from the frame"


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
    arguments += [f"rows={options.rows!r}"] if options.rows else []
    arguments += ["guess=False"] if options.no_guess else []
    return f"engine.from_frame({', '.join(['frame', *arguments])})"


def in_arguments(text: str) -> str:
    """Return a text with the command's options replaced by the arguments of `from_frame`."""
    for pattern, argument in _FLAGS:
        text = pattern.sub(argument, text)
    return text


_WARNED = ("look like people", "not stored", "guessed", "people gave", "are taken for", "may each be")
"""Parts of the notes that a frame's user is warned of."""

_NO_ORDER = (
    "no pair says which answer was shown first, so whether judges favour themselves cannot be measured; "
    "name the column that does (first='COLUMN', with the values 'generator' and 'opponent')"
)


def warn_of_report(report: MappingReport, families: Mapping[str, str], *, in_no_order: bool) -> None:
    """Warn about rows left out, repeated verdicts, values not stored, and families open or of no model."""
    notes = [f"{reason}: {out.count:,} of {report.rows_read:,} rows left out ({out.examples[0]})"
            for reason, out in report.left_out.items()]  # fmt: skip
    if report.truth_alone.count:
        notes.append(report.without_judge())
    if report.is_unreadable:
        notes.append("no verdict could be read")
    if in_no_order:
        notes.append(_NO_ORDER)
    elif report.repeats:
        notes.append(f"{quantity(report.repeats, 'judgment')} repeated, counted as further trials")
    notes += [note for note in report.notes if any(words in note for words in _WARNED)]
    if report.questions:
        notes.append("families to decide (give families={'MODEL': 'FAMILY'}): " + "; ".join(report.questions))
    absent = set(families) - {row.model for row in report.models}
    if absent:
        notes.append(f"families names models that are not in the frame: {', '.join(sorted(absent))}")
    if notes:
        warnings.warn("from_frame: " + in_arguments("; ".join(notes)), UserWarning, stacklevel=4)
